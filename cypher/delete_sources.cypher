// Remove sources with their texts, chunks and sentences, whose facts are gone already.
// Parameters: sources LIST<INTEGER>.
// Returns nothing.
UNWIND $sources AS source
MATCH (s:Source {ref: source})
OPTIONAL MATCH (s)-[:HAS_TEXT]->(t:Text)
OPTIONAL MATCH (s)-[:HAS_CHUNK]->(c:Chunk)
OPTIONAL MATCH (c)-[:HAS_SENTENCE]->(n:Sentence)
DETACH DELETE n, c, t, s
