// The chunks nearest to a vector among those of some kinds of source, by the vector index.
// Parameters: namespace STRING; vector VECTOR; kinds LIST<STRING>; limit INTEGER, what is looked at; k INTEGER.
// Returns one row: refs LIST<INTEGER>, scores LIST<FLOAT> ((1 + cosine) / 2), best first.
CYPHER 25
MATCH (c:Chunk)
SEARCH c IN (
  VECTOR INDEX chunk_embedding FOR $vector
  WHERE c.namespace = $namespace AND c.kind IN $kinds
  LIMIT $limit
) SCORE AS score
WITH c.ref AS ref, score
WHERE ref IS NOT NULL
WITH ref, score ORDER BY score DESC, ref LIMIT $k
RETURN collect(ref) AS refs, collect(score) AS scores
