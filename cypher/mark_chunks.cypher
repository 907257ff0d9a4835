// Mark chunks to be searched for known names. A chunk marked anew while it is searched has another mark by then.
// Parameters: chunks LIST<INTEGER>; mark INTEGER.
// Returns nothing.
UNWIND $chunks AS chunk
MATCH (c:Chunk {ref: chunk})
SET c.pending = $mark
