// Chunks have been searched for known names.
// Parameters: chunks LIST<INTEGER>.
// Returns nothing.
UNWIND $chunks AS chunk
MATCH (c:Chunk {ref: chunk})
REMOVE c.pending
