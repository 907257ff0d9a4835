// kgmem 08: a conversation in order, with who spoke
MATCH (:Conversation {namespace: 'default', title: 'book-club'})-[:HAS_CHUNK]->(c:Chunk)
OPTIONAL MATCH turn = (c)-[:NEXT]->(:Chunk)
RETURN c.spoken_at AS at, c.speaker AS speaker, c.text AS says, turn
ORDER BY c.ordinal LIMIT 50
