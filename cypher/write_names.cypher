// Set the summed-up edges between chunks and the entities they name. `rank` is -weight.
// Parameters: rows LIST<MAP> {chunk, entity, properties MAP {chunk, entity, mentions, own, weight, rank, sentences}}.
// Returns nothing.
UNWIND $rows AS row
MATCH (c:Chunk {ref: row.chunk})
MATCH (e:Entity {ref: row.entity})
MERGE (c)-[r:NAMES]->(e)
SET r = row.properties
