// Each entity with the heaviest of its chunks, read from the index alone where there is no filter.
// Parameters: refs LIST<INTEGER>, of entities; limit INTEGER, for each entity; the filter's.
// Returns one row, side by side: entities, chunks LIST<INTEGER>, weights LIST<FLOAT>.
UNWIND $refs AS entity
CALL (entity) {
  MATCH (c:Chunk)-[r:NAMES]->()
  USING INDEX SEEK r:NAMES(entity, rank, chunk)
  WHERE r.entity = entity AND r.rank < 0.0 AND r.chunk IS NOT NULL
// + filter
  RETURN r ORDER BY r.entity, r.rank, r.chunk LIMIT $limit
}
RETURN collect(entity) AS entities, collect(r.chunk) AS chunks, collect(-r.rank) AS weights
