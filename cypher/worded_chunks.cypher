// The chunks with the best BM25 for full-text queries together. Which are the namespace's is said by its parameter.
// Parameters: namespace STRING; queries LIST<STRING>; options MAP, with the `limit` of what each of them may find;
// k INTEGER; the filter's.
// Returns one row, side by side: refs LIST<INTEGER>, scores LIST<FLOAT>, best first.
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes('chunk_terms', query, $options) YIELD node AS c, score
WHERE c.namespace = $namespace
// + filter
WITH c.ref AS ref, c.id AS id, sum(score) AS score
WHERE ref IS NOT NULL
WITH ref, score ORDER BY score DESC, id LIMIT $k
RETURN collect(ref) AS refs, collect(score) AS scores
