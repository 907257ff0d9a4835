// The first sentences that name each entity, those of its heaviest chunks first, and the vectors of their chunks.
// Parameters: refs LIST<INTEGER>, of entities; limit INTEGER, for each entity; own LIST<INTEGER>, more chunks whose
// vectors are wanted; the filter's.
// Returns one row: chunks, entities, sentences LIST<INTEGER> side by side; refs LIST<INTEGER> and codes LIST<BYTES> side
// by side, as chunk_vectors gives them.
CALL () {
  UNWIND $refs AS entity
  CALL (entity) {
    MATCH (c:Chunk)-[r:NAMES]->()
    USING INDEX SEEK r:NAMES(entity, rank, chunk)
    WHERE r.entity = entity AND r.rank < 0.0 AND r.chunk IS NOT NULL
// + filter
    WITH r ORDER BY r.entity, r.rank, r.chunk
    UNWIND r.sentences AS sentence
    RETURN r.chunk AS chunk, sentence LIMIT $limit
  }
  RETURN collect(chunk) AS chunks, collect(entity) AS entities, collect(sentence) AS sentences
}
CALL (chunks) {
  UNWIND chunks + $own AS ref
  WITH DISTINCT ref
  MATCH (c:Chunk {ref: ref})
  WITH ref, c.codes AS codes
  WHERE codes IS NOT NULL
  RETURN collect(ref) AS refs, collect(codes) AS codes
}
RETURN chunks, entities, sentences, refs, codes
