// Entities by key.
// Parameters: namespace STRING; keys LIST<STRING>.
// Returns one row: keys LIST<STRING>, refs LIST<INTEGER>, side by side.
UNWIND $keys AS key
MATCH (e:Entity {namespace: $namespace, key: key})
RETURN collect(e.key) AS keys, collect(e.ref) AS refs
