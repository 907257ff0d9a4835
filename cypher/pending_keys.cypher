// Keys of entities that older chunks have not been searched for.
// Parameters: namespace STRING; limit INTEGER.
// Returns one row: keys LIST<STRING>.
MATCH (e:Entity) WHERE e.namespace = $namespace AND e.pending IS NOT NULL
WITH e LIMIT $limit
RETURN collect(e.key) AS keys
