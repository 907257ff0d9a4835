// The chunks that still have a link to entities that no source names by itself any more.
// Parameters: entities LIST<INTEGER>.
// Returns one row: chunks LIST<INTEGER>.
UNWIND $entities AS entity
MATCH (c:Chunk)-[:NAMES]->(:Entity {ref: entity})
RETURN collect(DISTINCT c.ref) AS chunks
