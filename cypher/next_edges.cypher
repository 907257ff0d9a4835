// Chunks with those just before and after them in their source, unless too long apart.
// Parameters: refs LIST<INTEGER>, of chunks; gap INTEGER, seconds.
// Returns one row, side by side: chunks, beside LIST<INTEGER>; talks LIST<BOOLEAN>, whether they are turns.
UNWIND $refs AS chunk
MATCH (c:Chunk {ref: chunk})-[:NEXT]-(other)
WHERE c.time IS NULL OR other.time IS NULL OR abs(c.time.epochSeconds - other.time.epochSeconds) <= $gap
WITH chunk, other.ref AS beside, c.kind = 'conversation' AS talk
WHERE beside IS NOT NULL AND talk IS NOT NULL
RETURN collect(chunk) AS chunks, collect(beside) AS beside, collect(talk) AS talks
