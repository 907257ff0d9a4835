// Sources by id, in whatever namespace.
// Parameters: ids LIST<STRING>.
// Returns id STRING, ref INTEGER, content_hash, namespace STRING.
UNWIND $ids AS id
MATCH (s:Source {id: id})
RETURN s.id AS id, s.ref AS ref, s.content_hash AS content_hash, s.namespace AS namespace
