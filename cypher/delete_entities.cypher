// Remove entities with all that joins them to anything.
// Parameters: entities LIST<INTEGER>.
// Returns nothing.
UNWIND $entities AS entity
MATCH (e:Entity {ref: entity})
DETACH DELETE e
