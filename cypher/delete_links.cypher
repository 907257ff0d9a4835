// Remove what was linked in chunks; what their own source recognised stays.
// Parameters: chunks LIST<INTEGER>.
// Returns nothing.
UNWIND $chunks AS chunk
MATCH (c:Chunk {ref: chunk})-[:HAS_SENTENCE*0..1]->()-[m:MENTIONS {origin: 'gazetteer'}]->()
DELETE m
