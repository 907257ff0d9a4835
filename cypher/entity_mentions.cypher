// The first sentences that name each entity, those of its heaviest chunks first.
// Parameters: refs LIST<INTEGER>, of entities; limit INTEGER, for each entity; the filter's.
// Returns one row, side by side: chunks, entities, sentences LIST<INTEGER>.
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
