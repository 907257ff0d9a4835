// How many chunks there are, and how many of them are to be searched.
// Parameters: namespace STRING.
// Returns chunks, pending INTEGER.
RETURN COUNT { MATCH (c:Chunk) WHERE c.namespace = $namespace AND c.kind IS NOT NULL } AS chunks,
       COUNT { MATCH (c:Chunk) WHERE c.namespace = $namespace AND c.pending IS NOT NULL } AS pending
