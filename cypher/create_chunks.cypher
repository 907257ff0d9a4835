// Make chunks of sources that are there. A vector of nothing is left out: it is near to nothing.
// Parameters: rows LIST<MAP> {source, properties MAP, vector VECTOR or null}.
// Returns nothing.
CYPHER 25
UNWIND $rows AS row
MATCH (s:Source {ref: row.source})
CREATE (s)-[:HAS_CHUNK]->(c:Chunk)
SET c = row.properties
WITH c, row
CALL (c, row) {
  WITH c, row WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)
}
