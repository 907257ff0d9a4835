// The first source whose id comes after another's, with all that it was loaded with.
// Parameters: namespace STRING; after STRING, the id to go on from.
// Returns no row or one: source LIST of the same values as read_source, text BYTES (zlib), pages LIST<INTEGER>,
// turns JSON STRING.
MATCH (s:Source)
USING INDEX s:Source(namespace, id)
WHERE s.namespace = $namespace AND s.id > $after
WITH s ORDER BY s.namespace, s.id LIMIT 1
MATCH (s)-[:HAS_TEXT]->(t)
RETURN [s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash, s.time, s.ingested_at, s.tags,
        s.metadata, s.chunk_count] AS source,
       t.data AS text, s.pages AS pages, s.turns AS turns
