// The first source whose id comes after another's, with what it was loaded with beside its own values.
// Parameters: namespace STRING; after STRING, the id to go on from.
// Returns no row or one: id STRING, text BYTES (zlib), pages LIST<INTEGER>, turns JSON STRING; the latter three are
// null where it is going just now.
MATCH (s:Source)
USING INDEX SEEK s:Source(namespace, id)
WHERE s.namespace = $namespace AND s.id > $after
WITH s ORDER BY s.namespace, s.id LIMIT 1
OPTIONAL MATCH (s)-[:HAS_TEXT]->(t)
RETURN s.id AS id, t.data AS text, s.pages AS pages, s.turns AS turns
