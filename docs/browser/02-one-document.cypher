// kgmem 02: one document with its chunks, its sentences and what they name
MATCH (d:Document {namespace: 'default', title: 'Lyon'})
MATCH page = (d)-[:HAS_CHUNK]->(c:Chunk)-[:HAS_SENTENCE]->(s:Sentence)
WITH page, c, s ORDER BY c.ordinal, s.ordinal LIMIT 30
OPTIONAL MATCH names = (s)-[:MENTIONS]->(:Entity)
RETURN page, names LIMIT 100
