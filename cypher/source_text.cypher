// The text of a source.
// Parameters: namespace STRING; id STRING.
// Returns no row or one: text BYTES (zlib).
MATCH (s:Source {id: $id})-[:HAS_TEXT]->(t)
WHERE s.namespace = $namespace
RETURN t.data AS text
