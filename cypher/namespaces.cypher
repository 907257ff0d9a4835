// Every namespace that has been written to.
// Parameters: none.
// Returns one row: names LIST<STRING>, in order.
MATCH (n:Namespace)
WITH n.name AS name ORDER BY name
RETURN collect(name) AS names
