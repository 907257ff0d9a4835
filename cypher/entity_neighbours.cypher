// The entities named in the same sentences as an entity, with how many sentences, most first.
// Parameters: namespace STRING; id STRING; limit INTEGER.
// Returns one row, side by side: refs, counts LIST<INTEGER>.
MATCH (n:Entity {id: $id})<-[:MENTIONS]-(place)-[:MENTIONS]->(e:Entity)
WHERE n.namespace = $namespace AND e <> n
WITH e.ref AS ref, e.id AS id, count(DISTINCT place) AS shared
WHERE ref IS NOT NULL
WITH ref, shared ORDER BY shared DESC, id LIMIT $limit
RETURN collect(ref) AS refs, collect(shared) AS counts
