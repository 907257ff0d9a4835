// The content hashes of those of some sources that are there.
// Parameters: namespace STRING; ids LIST<STRING>.
// Returns one row, side by side: ids, hashes LIST<STRING>.
UNWIND $ids AS id
MATCH (s:Source {id: id})
WHERE s.namespace = $namespace
WITH id, s.content_hash AS hash
WHERE hash IS NOT NULL
RETURN collect(id) AS ids, collect(hash) AS hashes
