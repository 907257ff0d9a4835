// Take the namespace for this transaction: whoever writes to it next waits until this one ends.
// Parameters: namespace STRING.
// Returns number INTEGER; model, weights STRING, dimension INTEGER, normalised BOOLEAN of the store's encoder; replaced_by
// STRING or null. No row where the namespace is not there yet.
MATCH (n:Namespace {name: $namespace})
SET n.writes = n.writes + 1
WITH n
MATCH (k:Kgmem {id: 'store'})
RETURN n.number AS number, k.encoder_model AS model, k.encoder_weights AS weights, k.encoder_dimension AS dimension,
       k.encoder_normalised AS normalised, k.replaced_by AS replaced_by
