// Put chunks one after the other.
// Parameters: rows LIST<LIST<INTEGER>> of [chunk, the next one].
// Returns nothing.
UNWIND $rows AS row
MATCH (a:Chunk {ref: row[0]})
MATCH (b:Chunk {ref: row[1]})
CREATE (a)-[:NEXT]->(b)
