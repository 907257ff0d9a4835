// The handle of an entity.
// Parameters: namespace STRING; id STRING.
// Returns one row: refs LIST<INTEGER> of one or none.
MATCH (e:Entity {id: $id})
WHERE e.namespace = $namespace
RETURN collect(e.ref) AS refs
