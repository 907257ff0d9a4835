// kgmem 09: the chunks nearest to a chunk by meaning
CYPHER 25
MATCH (:Document {namespace: 'default', title: 'Fram'})-[:HAS_CHUNK]->(c:Chunk {ordinal: 0})
WITH c LIMIT 1
MATCH (near:Chunk)
SEARCH near IN (
  VECTOR INDEX chunk_embedding FOR c.embedding
  WHERE near.namespace = 'default'
  LIMIT 8
) SCORE AS score
MATCH found = (d:Source)-[:HAS_CHUNK]->(near)
RETURN score, d.title AS document, near.text AS text, found
ORDER BY score DESC LIMIT 8
