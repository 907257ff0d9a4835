// kgmem 04: everything around one entity
CALL db.index.fulltext.queryNodes('entity_names', '"brunel"', {limit: 100}) YIELD node AS e
WHERE e.namespace = 'default'
WITH e ORDER BY e.chunk_count DESC LIMIT 1
MATCH (e)<-[:MENTIONS]-(s:Sentence)
WITH DISTINCT s LIMIT 12
MATCH around = (:Source)-[:HAS_CHUNK]->(:Chunk)-[:HAS_SENTENCE]->(s)-[:MENTIONS]->(:Entity)
RETURN around LIMIT 100
