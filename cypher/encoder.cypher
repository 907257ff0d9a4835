// The fingerprint of the encoder whose vectors the store holds.
// Parameters: none.
// Returns model, weights STRING, dimension INTEGER, normalised BOOLEAN; no row where there is none yet.
MATCH (k:Kgmem {id: 'store'})
WHERE k.encoder_model IS NOT NULL
RETURN k.encoder_model AS model, k.encoder_weights AS weights, k.encoder_dimension AS dimension,
       k.encoder_normalised AS normalised
