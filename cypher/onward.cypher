// Where entities lead to beside chunks that are known: their heaviest chunks, with all entities of these; and which
// chunks stand beside any of them in their source.
// Parameters: refs LIST<INTEGER>, of entities; limit INTEGER, for each entity; known LIST<INTEGER>, of chunks; gap
// INTEGER, seconds; the filter's.
// Returns one row: new LIST<INTEGER>, of chunks; chunks, entities LIST<INTEGER>, weights LIST<FLOAT> side by side, as
// chunk_edges gives them; placed, beside LIST<INTEGER>, talks LIST<BOOLEAN> side by side, as
// next_edges gives them.
CALL () {
  UNWIND $refs AS entity
  CALL (entity) {
    MATCH (c:Chunk)-[r:NAMES]->()
    USING INDEX SEEK r:NAMES(entity, rank, chunk)
    WHERE r.entity = entity AND r.rank < 0.0 AND r.chunk IS NOT NULL
// + filter
    RETURN r ORDER BY r.entity, r.rank, r.chunk LIMIT $limit
  }
  WITH DISTINCT r.chunk AS chunk
  WHERE NOT chunk IN $known
  RETURN collect(chunk) AS new
}
CALL (new) {
  UNWIND new AS chunk
  MATCH ()-[r:NAMES]->()
  USING INDEX SEEK r:NAMES(chunk, entity, weight)
  WHERE r.chunk = chunk AND r.entity IS NOT NULL AND r.weight IS NOT NULL
  RETURN collect(chunk) AS chunks, collect(r.entity) AS entities, collect(r.weight) AS weights
}
CALL (new) {
  UNWIND $known + new AS chunk
  MATCH (c:Chunk {ref: chunk})-[:NEXT]-(other)
  WHERE c.time IS NULL OR other.time IS NULL OR abs(c.time.epochSeconds - other.time.epochSeconds) <= $gap
  WITH chunk, other.ref AS next, c.kind = 'conversation' AS talk
  WHERE next IS NOT NULL AND talk IS NOT NULL
  RETURN collect(chunk) AS placed, collect(next) AS beside, collect(talk) AS talks
}
RETURN new, chunks, entities, weights, placed, beside, talks
