// Make facts of chunks that are there. A fact whose two ends are entities also joins them.
// Parameters: rows LIST<MAP> {chunk, properties MAP, subject, object (INTEGER or null), sentence STRING, recorded_at}.
// Returns nothing.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {ref: row.chunk})
CREATE (c)-[:STATES]->(f:Fact)
SET f = row.properties
WITH f, row
OPTIONAL MATCH (a:Entity {ref: row.subject})
OPTIONAL MATCH (b:Entity {ref: row.object})
FOREACH (_ IN CASE WHEN a IS NULL THEN [] ELSE [1] END | CREATE (f)-[:SUBJECT]->(a))
FOREACH (_ IN CASE WHEN b IS NULL THEN [] ELSE [1] END | CREATE (f)-[:OBJECT]->(b))
FOREACH (_ IN CASE WHEN a IS NULL OR b IS NULL THEN [] ELSE [1] END |
  CREATE (a)-[:RELATES_TO {fact: f.id, predicate: f.predicate, confidence: f.confidence, negated: f.negated,
                           sentence: row.sentence, recorded_at: row.recorded_at}]->(b))
