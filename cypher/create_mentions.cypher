// Say where chunks name entities; from the chunk itself where it has no such sentence.
// Parameters: rows LIST<MAP> {chunk, sentence, entity, start, end, surface, origin}.
// Returns nothing.
UNWIND $rows AS row
MATCH (c:Chunk {ref: row.chunk})
MATCH (e:Entity {ref: row.entity})
OPTIONAL MATCH (c)-[:HAS_SENTENCE]->(s:Sentence {ordinal: row.sentence})
WITH row, e, coalesce(s, c) AS place
CREATE (place)-[:MENTIONS {start: row.start, `end`: row.end, surface: row.surface, origin: row.origin}]->(e)
