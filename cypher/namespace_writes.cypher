// How often each namespace has been written to.
// Parameters: none.
// Returns one row: writes LIST of [namespace, number], in order.
MATCH (n:Namespace)
WITH n ORDER BY n.name
RETURN collect([n.name, n.writes]) AS writes
