// The chunks of a source, in order.
// Parameters: namespace STRING; id STRING; after INTEGER, the ordinal to go on from; limit INTEGER.
// Returns one row: refs LIST<INTEGER>.
MATCH (s:Source {id: $id})-[:HAS_CHUNK]->(c:Chunk)
WHERE s.namespace = $namespace AND c.ordinal > $after
WITH c ORDER BY c.ordinal LIMIT $limit
RETURN collect(c.ref) AS refs
