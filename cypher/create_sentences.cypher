// Make sentences of chunks that are there. `embedding` holds int8 codes; the vector's length is 1.
// Parameters: namespace STRING; rows LIST<MAP> {chunk, id, ordinal, start, end, text, embedding BYTES}.
// Returns nothing.
UNWIND $rows AS row
MATCH (c:Chunk {ref: row.chunk})
CREATE (c)-[:HAS_SENTENCE]->(:Sentence {id: row.id, namespace: $namespace, ordinal: row.ordinal, start: row.start,
                                        `end`: row.end, text: row.text, embedding: row.embedding})
