// The chunks around a chunk of the same source, in order, without itself.
// Parameters: namespace STRING; id STRING; before, after INTEGER, how many.
// Returns one row: refs LIST<INTEGER>.
MATCH (m:Chunk {id: $id})<-[:HAS_CHUNK]-(:Source)-[:HAS_CHUNK]->(c:Chunk)
WHERE m.namespace = $namespace AND m.ordinal - $before <= c.ordinal <= m.ordinal + $after
WITH c ORDER BY c.ordinal
RETURN collect(c.ref) AS refs
