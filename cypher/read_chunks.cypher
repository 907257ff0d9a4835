// Whole chunks with their sources.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: chunks LIST of [ref, id, ordinal, start, end, text, context, speaker, time said,
// truncated, metadata, spans], sources LIST of the same values as read_source.
UNWIND $refs AS ref
MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk {ref: ref})
RETURN collect([ref, c.id, c.ordinal, c.start, c.`end`, c.text, c.context, c.speaker, c.spoken_at, c.truncated,
                c.metadata, c.spans]) AS chunks,
       collect([s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash, s.time, s.ingested_at, s.tags,
                s.metadata, s.chunk_count]) AS sources
