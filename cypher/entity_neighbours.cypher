// The entities named in the same sentences as an entity, with how many sentences, most first.
// Parameters: namespace STRING; id STRING; limit INTEGER.
// Returns one row, side by side: entities LIST of the same values as entity_names, counts LIST<INTEGER>.
MATCH (n:Entity {id: $id})<-[a:NAMES]-(:Chunk)-[b:NAMES]->(e:Entity)
WHERE n.namespace = $namespace
WITH e, sum(size([sentence IN a.sentences WHERE sentence IN b.sentences])) AS shared
WHERE shared > 0
WITH e, shared ORDER BY shared DESC, e.id LIMIT $limit
RETURN collect([e.ref, e.id, e.key, e.name, e.type, e.chunk_count, e.aliases]) AS entities, collect(shared) AS counts
