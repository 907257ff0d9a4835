// Whole chunks with their sources. Times are given as microseconds since 1970.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: chunks LIST of [ref, id, ordinal, start, end, text, context, spans, speaker,
// truncated, metadata, time said], sources LIST of the same values as read_sources.
UNWIND $refs AS ref
MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk {ref: ref})
RETURN collect([ref, c.id, c.ordinal, c.start, c.`end`, c.text, c.context, c.spans, c.speaker, c.truncated,
                c.metadata, c.spoken_at.epochMillis * 1000 + c.spoken_at.microsecond % 1000]) AS chunks,
       collect([s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash,
                s.ingested_at.epochMillis * 1000 + s.ingested_at.microsecond % 1000, s.tags, s.metadata, s.chunk_count,
                s.time.epochMillis * 1000 + s.time.microsecond % 1000]) AS sources
