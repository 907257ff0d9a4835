// The version of the store's schema, and the file by whose data it is being replaced.
// Parameters: none.
// Returns version INTEGER, replaced_by STRING or null; no row in an empty database.
MATCH (k:Kgmem {id: 'store'})
RETURN k.version AS version, k.replaced_by AS replaced_by
