// Those of some chunks that a filter lets through.
// Parameters: refs LIST<INTEGER>; the filter's.
// Returns one row: refs LIST<INTEGER>.
UNWIND $refs AS ref
MATCH (c:Chunk {ref: ref})
WHERE c.ref = ref
// + filter
RETURN collect(ref) AS refs
