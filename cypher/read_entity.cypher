// An entity.
// Parameters: namespace STRING; id STRING.
// Returns one row: entities LIST of one or none, the same values as entity_names.
MATCH (e:Entity {id: $id})
WHERE e.namespace = $namespace
RETURN collect([e.ref, e.id, e.key, e.name, e.type, e.chunk_count, e.aliases]) AS entities
