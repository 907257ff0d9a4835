// The chunks with the best BM25 for a full-text query. Which are the namespace's is said by its parameter alone.
// Parameters: namespace STRING; query STRING; options MAP, with the `limit` of what is looked at; k INTEGER; the filter's.
// Returns one row: refs LIST<INTEGER>, scores LIST<FLOAT>, best first.
CALL db.index.fulltext.queryNodes('chunk_terms', $query, $options) YIELD node AS c, score
WHERE c.namespace = $namespace
// + filter
WITH c, score ORDER BY score DESC, c.id LIMIT $k
RETURN collect(c.ref) AS refs, collect(score) AS scores
