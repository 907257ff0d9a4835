// Not a statement: the condition on chunk `c` that kgmem adds where a statement says `// + filter`.
// Parameters, each null where nothing is asked: kinds, uris, tags, facets LIST<STRING>; uri_prefix STRING;
// since (inclusive), until (exclusive) DATETIME.
($kinds IS NULL OR c.kind IN $kinds)
AND ($since IS NULL OR c.time >= $since)
AND ($until IS NULL OR c.time < $until)
AND (coalesce($uris, $uri_prefix, $tags, $facets) IS NULL OR EXISTS {
  MATCH (s:Source)-[:HAS_CHUNK]->(c)
  WHERE ($uris IS NULL OR s.uri IN $uris)
    AND ($uri_prefix IS NULL OR s.uri STARTS WITH $uri_prefix)
    AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN s.tags))
    AND ($facets IS NULL OR all(facet IN $facets WHERE facet IN s.facets))
})
