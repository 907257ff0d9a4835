// The store's indexes and their states.
// Parameters: none.
// Returns name, state STRING, populated FLOAT (per cent), options MAP.
SHOW INDEXES YIELD name, state, populationPercent, options
RETURN name, state, populationPercent AS populated, options
