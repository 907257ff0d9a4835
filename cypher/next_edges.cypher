// Turns of conversations with the turns just before and after them. Where nobody ever talked, nothing is looked up.
// Parameters: refs LIST<INTEGER>, of chunks.
// Returns one row, side by side: chunks, beside LIST<INTEGER>.
CALL () {
  MATCH (:Conversation)
  RETURN count(*) AS talks
}
WITH talks WHERE talks > 0
UNWIND $refs AS chunk
MATCH (c:Chunk {ref: chunk})-[:NEXT]-(other)
WHERE c.kind = 'conversation'
WITH chunk, other.ref AS beside
WHERE beside IS NOT NULL
RETURN collect(chunk) AS chunks, collect(beside) AS beside
