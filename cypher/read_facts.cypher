// Facts with their evidence.
// Parameters: namespace STRING; ids LIST<STRING>.
// Returns one row, side by side: facts LIST of [id, subject, predicate, objects, confidence, negated, subject's id or
// null, object's id or null, chunk's id, source's id, title], evidence LIST of [text, spans, sentence].
UNWIND $ids AS id
MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk)-[:STATES]->(f:Fact {id: id})
WHERE f.namespace = $namespace
RETURN collect([id, f.subject, f.predicate, f.objects, f.confidence, f.negated,
                head([(f)-[:SUBJECT]->(e) | e.id]), head([(f)-[:OBJECT]->(e) | e.id]), c.id, s.id, s.title]) AS facts,
       collect([c.text, c.spans, f.sentence]) AS evidence
