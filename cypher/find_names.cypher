// Entities by key or by the first words of a long key, each with the heaviest chunks of its own pages that a filter lets
// through.
// Parameters: namespace STRING; keys, heads LIST<STRING>; rank FLOAT, the highest of a chunk of an own page; pages
// INTEGER; the filter's.
// Returns one row: names LIST of [ref, id, key, name, type, chunk count, chunks].
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {namespace: $namespace, key: key})
  RETURN e
  UNION
  UNWIND $heads AS head
  MATCH (e:Entity {namespace: $namespace, head: head})
  RETURN e
}
CALL (e) {
  WITH e WHERE e.own_count > 0
  MATCH (c:Chunk)-[r:NAMES]->()
  USING INDEX SEEK r:NAMES(entity, rank, chunk)
  WHERE r.entity = e.ref AND r.rank <= $rank AND r.chunk IS NOT NULL AND r.own
// + filter
  WITH r ORDER BY r.entity, r.rank, r.chunk LIMIT $pages
  RETURN collect(r.chunk) AS own
}
RETURN collect([e.ref, e.id, e.key, e.name, e.type, e.chunk_count, own]) AS names
