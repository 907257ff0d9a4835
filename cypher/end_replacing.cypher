// All data have been replaced.
// Parameters: none.
// Returns nothing.
MATCH (k:Kgmem {id: 'store'})
REMOVE k.replaced_by
