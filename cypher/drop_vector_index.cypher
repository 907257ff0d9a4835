// Remove the vector index, so that one of another dimension can be made. The vectors stay.
// Parameters: none.
// Returns nothing.
DROP INDEX chunk_embedding IF EXISTS
