// Sources. Times are given as microseconds since 1970, which the driver reads fifty times faster than a DATETIME;
// before 1970 `epochSeconds` rounds up, `epochMillis` down.
// Parameters: namespace STRING; ids LIST<STRING>.
// Returns one row: sources LIST of [id, kind, uri, title, media type, content hash, ingested at, tags, metadata, chunk
// count, time].
UNWIND $ids AS id
MATCH (s:Source {id: id})
WHERE s.namespace = $namespace
RETURN collect([id, s.kind, s.uri, s.title, s.media_type, s.content_hash,
                s.ingested_at.epochMillis * 1000 + s.ingested_at.microsecond % 1000, s.tags, s.metadata, s.chunk_count,
                s.time.epochMillis * 1000 + s.time.microsecond % 1000]) AS sources
