// A source.
// Parameters: namespace STRING; id STRING.
// Returns one row: sources LIST of one or none, [id, kind, uri, title, media type, content hash, time, ingested at,
// tags, metadata, chunk count].
MATCH (s:Source {id: $id})
WHERE s.namespace = $namespace
RETURN collect([s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash, s.time, s.ingested_at, s.tags,
                s.metadata, s.chunk_count]) AS sources
