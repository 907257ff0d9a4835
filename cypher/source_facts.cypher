// The facts of a source.
// Parameters: source INTEGER.
// Returns one row: facts LIST of [ordinal, sentence, subject, predicate, objects, confidence, negated, subject's key or
// null, object's key or null].
MATCH (s:Source {ref: $source})
RETURN COLLECT {
  MATCH (s)-[:HAS_CHUNK]->(c:Chunk)-[:STATES]->(f:Fact)
  OPTIONAL MATCH (f)-[:SUBJECT]->(a:Entity)
  OPTIONAL MATCH (f)-[:OBJECT]->(b:Entity)
  WITH c, f, a, b ORDER BY f.ref
  RETURN [c.ordinal, f.sentence, f.subject, f.predicate, f.objects, f.confidence, f.negated, a.key, b.key]
} AS facts
