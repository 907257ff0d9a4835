// The source that was written after another one, with its text.
// Parameters: namespace STRING; after, last INTEGER (handles).
// Returns ref INTEGER, id, pages, turns, text BYTES (zlib); no row at the end.
MATCH (s:Source)-[:HAS_TEXT]->(t:Text)
WHERE s.ref > $after AND s.ref <= $last
WITH s, t ORDER BY s.ref LIMIT 1
RETURN s.ref AS ref, s.id AS id, s.pages AS pages, s.turns AS turns, t.data AS text
