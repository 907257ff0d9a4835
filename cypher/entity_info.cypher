// How many chunks name each entity, and how many of them are its own page's.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs, chunk_counts, own_counts LIST<INTEGER>.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
WITH ref, e.chunk_count AS chunk_count, e.own_count AS own_count
WHERE chunk_count IS NOT NULL AND own_count IS NOT NULL
RETURN collect(ref) AS refs, collect(chunk_count) AS chunk_counts, collect(own_count) AS own_counts
