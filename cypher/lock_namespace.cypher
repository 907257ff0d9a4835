// Take the namespace for this transaction: whoever writes to it next waits until this one ends.
// Parameters: namespace STRING.
// Returns number INTEGER; no row where the namespace is not there yet.
MATCH (n:Namespace {name: $namespace})
SET n.writes = n.writes + 1
RETURN n.number AS number
