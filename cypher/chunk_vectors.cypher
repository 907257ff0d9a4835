// The vectors of chunks and of their sentences, as int8 codes. Sentences come in no order.
// Parameters: refs LIST<INTEGER>, each once.
// Returns one row: refs LIST<INTEGER> and codes LIST<BYTES> side by side; and of the sentences chunks, ordinals
// LIST<INTEGER> and sentence_codes LIST<BYTES>.
UNWIND $refs AS ref
MATCH (c:Chunk {ref: ref})
WITH collect(c) AS found
CALL (found) {
  UNWIND found AS c
  MATCH (c)-[:HAS_SENTENCE]->(s)
  RETURN collect(c.ref) AS chunks, collect(s.ordinal) AS ordinals, collect(s.embedding) AS sentence_codes
}
RETURN [c IN found | c.ref] AS refs, [c IN found | c.codes] AS codes, chunks, ordinals, sentence_codes
