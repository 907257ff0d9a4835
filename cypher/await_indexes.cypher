// Wait until every index can be used.
// Parameters: seconds INTEGER.
// Returns nothing. Fails where it takes longer.
CALL db.awaitIndexes($seconds)
