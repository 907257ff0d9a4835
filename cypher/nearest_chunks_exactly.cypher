// The chunks nearest to a vector among all that a filter lets through, one by one. Sources are looked at before chunks,
// so that only the chunks of those that may be meant cost anything.
// Parameters: namespace STRING; vector VECTOR; k INTEGER; the filter's.
// Returns one row: refs LIST<INTEGER>, scores LIST<FLOAT> ((1 + cosine) / 2), best first.
MATCH (source:Source)
USING INDEX SEEK source:Source(namespace, id)
WHERE source.namespace = $namespace AND source.id > ''
  AND ($kinds IS NULL OR source.kind IN $kinds)
  AND ($uri_prefix IS NULL OR source.uri STARTS WITH $uri_prefix)
  AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN source.tags))
  AND ($facets IS NULL OR all(facet IN $facets WHERE facet IN source.facets))
MATCH (source)-[:HAS_CHUNK]->(c:Chunk)
WHERE c.embedding IS NOT NULL
// + filter
WITH c.ref AS ref, vector.similarity.cosine(c.embedding, $vector) AS score
WHERE ref IS NOT NULL AND score IS NOT NULL
WITH ref, score ORDER BY score DESC, ref LIMIT $k
RETURN collect(ref) AS refs, collect(score) AS scores
