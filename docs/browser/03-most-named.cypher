// kgmem 03: the entities named most, and the documents that name them
MATCH (e:Entity {namespace: 'default'})
WITH e ORDER BY e.chunk_count DESC, e.id LIMIT 12
CALL (e) {
  MATCH (d:Source)-[w:WRITES]->(e)
  RETURN d, w LIMIT 10
}
RETURN e, w, d LIMIT 120
