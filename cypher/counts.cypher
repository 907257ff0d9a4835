// How much a namespace holds.
// Parameters: namespace STRING; first, last INTEGER, the handles of its chunks.
// Returns one row: sources, chunks, sentences, entities, mentions, facts, pending INTEGER.
CALL () {
  MATCH (s:Source) USING INDEX SEEK s:Source(namespace, id) WHERE s.namespace = $namespace AND s.id > ''
  RETURN count(*) AS sources
}
CALL () {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(ref) WHERE $first <= c.ref <= $last
  RETURN count(*) AS chunks, sum(size(c.spans)) / 2 AS sentences
}
CALL () {
  MATCH (e:Entity) USING INDEX SEEK e:Entity(namespace, id) WHERE e.namespace = $namespace AND e.id > ''
  RETURN count(*) AS entities, sum(COUNT { (e)<-[:MENTIONS]-() }) AS mentions
}
CALL () {
  MATCH (f:Fact) USING INDEX SEEK f:Fact(namespace, id) WHERE f.namespace = $namespace AND f.id > ''
  RETURN count(*) AS facts
}
CALL () {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(namespace, pending) WHERE c.namespace = $namespace AND c.pending IS NOT NULL
  RETURN count(*) AS pending
}
RETURN sources, chunks, sentences, entities, mentions, facts, pending
