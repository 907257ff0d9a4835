// Entities by id, from one on.
// Parameters: namespace STRING; after STRING, the id to go on from; match STRING, a part of the key; limit INTEGER.
// Returns one row: entities LIST of the same values as entity_names.
MATCH (e:Entity)
USING INDEX e:Entity(namespace, id)
WHERE e.namespace = $namespace AND e.id > $after AND e.key CONTAINS $match
WITH e ORDER BY e.namespace, e.id LIMIT $limit
RETURN collect([e.ref, e.id, e.key, e.name, e.type, e.chunk_count, e.aliases]) AS entities
