// The version of the store's schema.
// Parameters: none.
// Returns version INTEGER; no row in an empty database.
MATCH (k:Kgmem {id: 'store'})
RETURN k.version AS version
