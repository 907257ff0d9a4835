// How many chunks name each entity, how many of them are its own page's, and its key.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs, chunk_counts, own_counts LIST<INTEGER>; keys LIST<STRING>.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
WITH ref, e.chunk_count AS chunk_count, e.own_count AS own_count, e.key AS key
WHERE chunk_count IS NOT NULL AND own_count IS NOT NULL AND key IS NOT NULL
RETURN collect(ref) AS refs, collect(chunk_count) AS chunk_counts, collect(own_count) AS own_counts,
       collect(key) AS keys
