// What a source itself recognises, how it writes it, and whose own page it is.
// Parameters: source INTEGER.
// Returns one row: mentions LIST of [ordinal, sentence, start, end, surface, key, origin], forms LIST of [key, JSON],
// own LIST<STRING> of keys.
MATCH (s:Source {ref: $source})
RETURN COLLECT {
         MATCH (s)-[:HAS_CHUNK]->(c:Chunk)-[:HAS_SENTENCE*0..1]->(p)-[m:MENTIONS]->(e:Entity)
         WHERE m.origin <> 'gazetteer'
         WITH c, m, e, CASE WHEN p:Sentence THEN p.ordinal ELSE 0 END AS sentence
         ORDER BY c.ordinal, m.start, m.end, e.key
         RETURN [c.ordinal, sentence, m.start, m.end, m.surface, e.key, m.origin]
       } AS mentions,
       COLLECT { MATCH (s)-[w:WRITES]->(e:Entity) RETURN [e.key, w.forms] } AS forms,
       COLLECT { MATCH (s)-[:ABOUT]->(e:Entity) RETURN e.key } AS own
