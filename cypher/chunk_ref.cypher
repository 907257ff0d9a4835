// The handle of a chunk.
// Parameters: namespace STRING; id STRING.
// Returns one row: refs LIST<INTEGER> of one or none.
MATCH (c:Chunk {id: $id})
WHERE c.namespace = $namespace
RETURN collect(c.ref) AS refs
