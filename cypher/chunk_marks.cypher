// The marks of chunks that are still to be searched.
// Parameters: chunks LIST<INTEGER>.
// Returns one row: chunks, marks LIST<INTEGER>, side by side.
UNWIND $chunks AS chunk
MATCH (c:Chunk {ref: chunk}) WHERE c.pending IS NOT NULL
RETURN collect(c.ref) AS chunks, collect(c.pending) AS marks
