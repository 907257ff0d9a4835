// The chunks that name an entity, heaviest first, each with the first sentence that does.
// Parameters: namespace STRING; id STRING; limit INTEGER.
// Returns one row, side by side: refs, sentences LIST<INTEGER>.
MATCH (e:Entity {id: $id})
WHERE e.namespace = $namespace
CALL (e) {
  MATCH ()-[r:NAMES]->()
  USING INDEX SEEK r:NAMES(entity, rank, chunk)
  WHERE r.entity = e.ref AND r.rank < 0.0 AND r.chunk IS NOT NULL
  RETURN r ORDER BY r.entity, r.rank, r.chunk LIMIT $limit
}
RETURN collect(r.chunk) AS refs, collect(coalesce(r.sentences[0], 0)) AS sentences
