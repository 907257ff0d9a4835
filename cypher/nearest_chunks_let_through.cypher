// Of the chunks nearest to a vector those that a filter lets through: fewer than there are, where it lets few through.
// Parameters: namespace STRING; vector VECTOR; limit INTEGER, what is looked at; k INTEGER; the filter's.
// Returns one row: refs LIST<INTEGER>, scores LIST<FLOAT> ((1 + cosine) / 2), best first.
CYPHER 25
MATCH (c:Chunk)
SEARCH c IN (
  VECTOR INDEX chunk_embedding FOR $vector
  WHERE c.namespace = $namespace
  LIMIT $limit
) SCORE AS score
WITH c, score
WHERE c.namespace = $namespace
// + filter
WITH c.ref AS ref, score
WHERE ref IS NOT NULL
WITH ref, score ORDER BY score DESC, ref LIMIT $k
RETURN collect(ref) AS refs, collect(score) AS scores
