// Older chunks have been marked for these names.
// Parameters: namespace STRING; keys LIST<STRING>.
// Returns nothing.
UNWIND $keys AS key
MATCH (e:Entity {namespace: $namespace, key: key})
REMOVE e.pending
