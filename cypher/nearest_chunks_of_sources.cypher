// The chunks nearest to a vector among those of a few sources that a filter lets through, one by one.
// Parameters: namespace STRING; vector VECTOR; sources LIST<STRING>, ids; k INTEGER; the filter's.
// Returns one row: refs LIST<INTEGER>, scores LIST<FLOAT> ((1 + cosine) / 2), best first.
UNWIND $sources AS id
MATCH (:Source {id: id})-[:HAS_CHUNK]->(c:Chunk)
WHERE c.namespace = $namespace AND c.embedding IS NOT NULL
// + filter
WITH c.ref AS ref, vector.similarity.cosine(c.embedding, $vector) AS score
WHERE ref IS NOT NULL AND score IS NOT NULL
WITH ref, score ORDER BY score DESC, ref LIMIT $k
RETURN collect(ref) AS refs, collect(score) AS scores
