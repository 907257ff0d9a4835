// The number of a namespace, which makes the upper bits of its handles.
// Parameters: namespace STRING.
// Returns number INTEGER; no row where nothing has been written to it.
MATCH (n:Namespace {name: $namespace})
RETURN n.number AS number
