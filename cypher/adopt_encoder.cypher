// Note whose vectors the store holds, where nobody's are noted yet.
// Parameters: model, weights STRING; dimension INTEGER; normalised BOOLEAN; version INTEGER (of the store).
// Returns model, weights, dimension, normalised: whose they are now.
MERGE (k:Kgmem {id: 'store'})
SET k.version = coalesce(k.version, $version)
WITH k, k.encoder_model IS NULL AS free
SET k.encoder_model = CASE WHEN free THEN $model ELSE k.encoder_model END,
    k.encoder_weights = CASE WHEN free THEN $weights ELSE k.encoder_weights END,
    k.encoder_dimension = CASE WHEN free THEN $dimension ELSE k.encoder_dimension END,
    k.encoder_normalised = CASE WHEN free THEN $normalised ELSE k.encoder_normalised END
RETURN k.encoder_model AS model, k.encoder_weights AS weights, k.encoder_dimension AS dimension,
       k.encoder_normalised AS normalised
