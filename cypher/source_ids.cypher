// Sources by id, from one on.
// Parameters: namespace STRING; after STRING, the id to go on from; kinds LIST<STRING> or null; uri_prefix STRING;
// limit INTEGER.
// Returns one row: ids LIST<STRING>, in order.
MATCH (s:Source)
USING INDEX SEEK s:Source(namespace, id)
WHERE s.namespace = $namespace AND s.id > $after
  AND ($kinds IS NULL OR s.kind IN $kinds) AND s.uri STARTS WITH $uri_prefix
WITH s ORDER BY s.namespace, s.id LIMIT $limit
RETURN collect(s.id) AS ids
