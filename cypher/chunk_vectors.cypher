// The vectors of chunks: each one's own, then those of its sentences in order, as int8 codes one after the other.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs LIST<INTEGER>, codes LIST<BYTES>.
UNWIND $refs AS ref
MATCH (c:Chunk {ref: ref})
WITH ref, c.codes AS codes
WHERE codes IS NOT NULL
RETURN collect(ref) AS refs, collect(codes) AS codes
