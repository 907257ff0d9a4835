// kgmem 06: facts around one entity
CALL db.index.fulltext.queryNodes('entity_names', '"lyon"', {limit: 100}) YIELD node AS e
WHERE e.namespace = 'default'
WITH e ORDER BY e.chunk_count DESC LIMIT 1
CALL (e) {
  MATCH facts = (e)-[:RELATES_TO]-{1,2}(:Entity)
  RETURN facts LIMIT 20
  UNION
  MATCH facts = (e)<-[:SUBJECT|OBJECT]-(f:Fact)
  WITH facts, f ORDER BY f.confidence DESC LIMIT 10
  RETURN facts
}
RETURN facts LIMIT 30
