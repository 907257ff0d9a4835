// The mentions and the summed-up edges of chunks.
// Parameters: chunks LIST<INTEGER>.
// Returns chunk INTEGER, mentions LIST of [entity, sentence, start, end], edges LIST of [entity, mentions, own, sentences].
UNWIND $chunks AS chunk
MATCH (c:Chunk {ref: chunk})
RETURN c.ref AS chunk,
       COLLECT {
         MATCH (c)-[:HAS_SENTENCE*0..1]->(p)-[m:MENTIONS]->(e)
         RETURN [e.ref, coalesce(CASE WHEN p:Sentence THEN p.ordinal END, 0), m.start, m.end]
       } AS mentions,
       COLLECT {
         MATCH (c)-[r:NAMES]->()
         RETURN [r.entity, r.mentions, r.own, r.sentences]
       } AS edges
