// The chunks around chunks of the same source, in order, without themselves.
// Parameters: namespace STRING; ids LIST<STRING>; before, after INTEGER, how many.
// Returns one row, side by side: ids LIST<STRING>, each as often as it has neighbours, refs LIST<INTEGER>.
UNWIND $ids AS id
MATCH (m:Chunk {id: id})<-[:HAS_CHUNK]-(:Source)-[:HAS_CHUNK]->(c:Chunk)
WHERE m.namespace = $namespace AND m.ordinal - $before <= c.ordinal <= m.ordinal + $after
WITH id, c.ref AS ref, c.ordinal AS ordinal
WHERE ref IS NOT NULL
WITH id, ref ORDER BY ordinal
RETURN collect(id) AS ids, collect(ref) AS refs
