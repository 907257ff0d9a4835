// kgmem 10: what links a document to others
MATCH (d:Document {namespace: 'default', title: 'The Analytical Engine'})-[:HAS_CHUNK]->(:Chunk)-[:NAMES]->(e:Entity)
WHERE 1 < e.chunk_count <= 5
WITH DISTINCT d, e ORDER BY e.chunk_count LIMIT 20
MATCH link = (d)-[:HAS_CHUNK]->(:Chunk)-[:NAMES]->(e)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(other:Source)
WHERE other <> d
RETURN link LIMIT 25
