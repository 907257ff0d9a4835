// The entities that sentences name, and the heaviest chunks of these and of other entities.
// Parameters: sentences LIST of [chunk, sentence]; refs LIST<INTEGER>, of more entities; limit INTEGER, for each entity;
// the filter's.
// Returns one row: bridges LIST of [chunk, sentence, entity, chunk count, own count, key]; entities, chunks LIST<INTEGER>,
// weights LIST<FLOAT> side by side, as entity_edges gives them.
CALL () {
  UNWIND $sentences AS place
  MATCH (:Chunk {ref: place[0]})-[r:NAMES]->(e:Entity)
  WHERE place[1] IN r.sentences
  WITH place, e.ref AS entity, e.chunk_count AS chunk_count, e.own_count AS own_count, e.key AS key
  WHERE entity IS NOT NULL AND chunk_count IS NOT NULL AND own_count IS NOT NULL AND key IS NOT NULL
  RETURN collect([place[0], place[1], entity, chunk_count, own_count, key]) AS bridges
}
CALL (bridges) {
  UNWIND [bridge IN bridges | bridge[2]] + $refs AS entity
  WITH DISTINCT entity
  CALL (entity) {
    MATCH (c:Chunk)-[r:NAMES]->()
    USING INDEX SEEK r:NAMES(entity, rank, chunk)
    WHERE r.entity = entity AND r.rank < 0.0 AND r.chunk IS NOT NULL
// + filter
    RETURN r ORDER BY r.entity, r.rank, r.chunk LIMIT $limit
  }
  RETURN collect(entity) AS entities, collect(r.chunk) AS chunks, collect(-r.rank) AS weights
}
RETURN bridges, entities, chunks, weights
