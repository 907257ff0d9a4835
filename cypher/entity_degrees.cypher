// The total weight of entities' edges.
// Parameters: refs LIST<INTEGER>.
// Returns one row, side by side: refs LIST<INTEGER>, degrees LIST<FLOAT>.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
RETURN collect(ref) AS refs, collect(e.degree) AS degrees
