// Vectors, codes and terms of a source's chunks, a page of them.
// Parameters: source, after (ordinal), limit INTEGER.
// Returns ordinal INTEGER, terms STRING, embedding LIST<FLOAT> or null, sentences LIST<BYTES> in order.
MATCH (:Source {ref: $source})-[:HAS_CHUNK]->(c:Chunk)
WHERE c.ordinal > $after
WITH c ORDER BY c.ordinal LIMIT $limit
RETURN c.ordinal AS ordinal, c.terms AS terms, c.embedding AS embedding,
       COLLECT { MATCH (c)-[:HAS_SENTENCE]->(n) RETURN n.embedding ORDER BY n.ordinal } AS sentences
ORDER BY ordinal
