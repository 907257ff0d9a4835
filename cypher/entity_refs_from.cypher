// Entities by id, from one on.
// Parameters: namespace STRING; after STRING, the id to go on from; match STRING, a part of the key; limit INTEGER.
// Returns one row: refs LIST<INTEGER>, in the order of the ids.
MATCH (e:Entity)
USING INDEX SEEK e:Entity(namespace, id)
WHERE e.namespace = $namespace AND e.id > $after AND e.key CONTAINS $match
WITH e ORDER BY e.namespace, e.id LIMIT $limit
RETURN collect(e.ref) AS refs
