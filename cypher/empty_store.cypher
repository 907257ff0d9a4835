// Remove all data of every namespace, some at a time. The namespaces stay, so that no handle is given again.
// Parameters: none.
// Returns nothing.
MATCH (n) WHERE n:Source OR n:Text OR n:Chunk OR n:Sentence OR n:Entity OR n:Fact
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS
