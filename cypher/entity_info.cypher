// How many chunks name each entity, and how many of them are its own page's.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs, chunk_counts, own_counts LIST<INTEGER>.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
RETURN collect(ref) AS refs, collect(e.chunk_count) AS chunk_counts, collect(e.own_count) AS own_counts
