// The total weight of entities' edges.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs LIST<INTEGER>, degrees LIST<FLOAT>.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
WITH ref, e.degree AS degree
WHERE degree IS NOT NULL
RETURN collect(ref) AS refs, collect(degree) AS degrees
