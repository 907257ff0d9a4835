// The entities named in the same sentences as an entity, with how many sentences, most first.
// Parameters: namespace STRING; id STRING; limit INTEGER.
// Returns one row, side by side: refs, counts LIST<INTEGER>.
MATCH (n:Entity {id: $id})<-[:MENTIONS]-(place)-[:MENTIONS]->(e:Entity)
WHERE n.namespace = $namespace AND e <> n
WITH e, count(DISTINCT place) AS shared ORDER BY shared DESC, e.id LIMIT $limit
RETURN collect(e.ref) AS refs, collect(shared) AS counts
