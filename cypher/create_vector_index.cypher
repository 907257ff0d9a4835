// The vector index over chunks, made when the store's encoder is known. What filters use most is kept in it.
// Parameters: dimension INTEGER; settings MAP, more of indexConfig, such as `vector.hnsw.m`.
// Returns nothing.
CYPHER 25
CREATE VECTOR INDEX chunk_embedding IF NOT EXISTS FOR (c:Chunk) ON c.embedding WITH [c.namespace, c.kind, c.time]
OPTIONS $options
