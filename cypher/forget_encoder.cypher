// The store holds nobody's vectors any more.
// Parameters: none.
// Returns nothing.
MATCH (k:Kgmem {id: 'store'})
REMOVE k.encoder_model, k.encoder_weights, k.encoder_dimension, k.encoder_normalised
