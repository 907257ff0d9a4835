// Facts with their evidence.
// Parameters: namespace STRING; ids LIST<STRING>.
// Returns one row: facts LIST of [id, subject, predicate, objects, confidence, negated, chunk's id, source's id, title,
// text, spans, sentence, subject's id or null, object's id or null].
UNWIND $ids AS id
MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk)-[:STATES]->(f:Fact {id: id})
WHERE f.namespace = $namespace
RETURN collect([id, f.subject, f.predicate, f.objects, f.confidence, f.negated, c.id, s.id, s.title, c.text, c.spans,
                f.sentence, head([(f)-[:SUBJECT]->(e) | e.id]), head([(f)-[:OBJECT]->(e) | e.id])]) AS facts
