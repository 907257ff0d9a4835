// Chunks of some time, oldest first.
// Parameters: namespace STRING; from (inclusive), to (exclusive) DATETIME; k INTEGER; the filter's.
// Returns one row: refs LIST<INTEGER>.
MATCH (c:Chunk)
USING INDEX SEEK c:Chunk(namespace, time)
WHERE c.namespace = $namespace AND c.time >= $from AND c.time < $to
// + filter
WITH c ORDER BY c.namespace, c.time, c.id LIMIT $k
RETURN collect(c.ref) AS refs
