// Mark every chunk of the namespace to be searched for known names.
// Parameters: namespace STRING; mark INTEGER.
// Returns nothing.
MATCH (c:Chunk) WHERE c.namespace = $namespace AND c.id IS NOT NULL
SET c.pending = $mark
