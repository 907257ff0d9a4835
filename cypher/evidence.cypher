// Whole chunks, entities, which sentences of chunks name what, and vectors, in one go.
// Parameters: chunks, entities, placed, near LIST<INTEGER>: the handles that read_chunks, entity_names, chunk_mentions and
// chunk_vectors take.
// Returns one row: what these give, chunks, sources, entities, places LIST of [chunk, entity, sentence], refs, codes.
CALL () {
  UNWIND $chunks AS ref
  MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk {ref: ref})
  RETURN collect([ref, c.id, c.ordinal, c.start, c.`end`, c.text, c.context, c.spans, c.speaker, c.truncated,
                  c.metadata, c.spoken_at.epochMillis * 1000 + c.spoken_at.microsecond % 1000]) AS chunks,
         collect([s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash,
                  s.ingested_at.epochMillis * 1000 + s.ingested_at.microsecond % 1000, s.tags, s.metadata,
                  s.chunk_count, s.time.epochMillis * 1000 + s.time.microsecond % 1000]) AS sources
}
CALL () {
  UNWIND $entities AS ref
  MATCH (e:Entity {ref: ref})
  RETURN collect([ref, e.id, e.key, e.name, e.type, e.chunk_count, e.aliases]) AS entities
}
CALL () {
  UNWIND $placed AS chunk
  MATCH (:Chunk {ref: chunk})-[r:NAMES]->()
  WITH chunk, r.entity AS entity, r.sentences AS sentences
  WHERE entity IS NOT NULL
  UNWIND sentences AS sentence
  RETURN collect([chunk, entity, sentence]) AS places
}
CALL () {
  UNWIND $near AS ref
  MATCH (c:Chunk {ref: ref})
  WITH ref, c.codes AS codes
  WHERE codes IS NOT NULL
  RETURN collect(ref) AS refs, collect(codes) AS codes
}
RETURN chunks, sources, entities, places, refs, codes
