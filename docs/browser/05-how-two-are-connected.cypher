// kgmem 05: how two entities are connected, from sentence to sentence
CALL db.index.fulltext.queryNodes('entity_names', '"little prince"', {limit: 100}) YIELD node AS a
WHERE a.namespace = 'default'
WITH a ORDER BY a.chunk_count DESC LIMIT 1
CALL db.index.fulltext.queryNodes('entity_names', '"jacquard"', {limit: 100}) YIELD node AS b
WHERE b.namespace = 'default'
WITH a, b ORDER BY b.chunk_count DESC LIMIT 1
MATCH path = ALL SHORTEST (a)
  (()<-[:MENTIONS]-(:Sentence)-[:MENTIONS]->(e:Entity WHERE e.chunk_count <= 20 OR e = b)){1,4}
  (b)
RETURN path LIMIT 5
