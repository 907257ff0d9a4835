// Remove all data of one kind in every namespace, some at a time. The namespaces stay, so that no handle is given again.
// Parameters: label STRING.
// Returns nothing.
CYPHER 25
MATCH (n:$($label))
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
