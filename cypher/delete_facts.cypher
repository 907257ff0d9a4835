// Remove the facts of sources, and the relations between entities that they state.
// Parameters: sources LIST<INTEGER>.
// Returns nothing.
UNWIND $sources AS source
MATCH (:Source {ref: source})-[:HAS_CHUNK]->(:Chunk)-[:STATES]->(f:Fact)
CALL (f) {
  MATCH ()-[r:RELATES_TO]->() WHERE r.fact = f.id
  DELETE r
}
DETACH DELETE f
