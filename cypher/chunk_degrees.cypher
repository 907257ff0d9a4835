// The total weight of chunks' edges.
// Parameters: refs LIST<INTEGER>; next_weight FLOAT, of each edge between turns.
// Returns one row, side by side: refs LIST<INTEGER>, degrees LIST<FLOAT>.
UNWIND $refs AS ref
MATCH (c:Chunk {ref: ref})
WITH ref, [(c)-[r:NAMES]->() | r.weight] AS weights,
     CASE WHEN c.kind = 'conversation' THEN $next_weight * COUNT { (c)-[:NEXT]-() } ELSE 0.0 END AS beside
RETURN collect(ref) AS refs,
       collect(reduce(total = beside, weight IN weights | total + coalesce(weight, 0.0))) AS degrees
