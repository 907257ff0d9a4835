// Each chunk with its entities, read from the index alone.
// Parameters: refs LIST<INTEGER>, of chunks.
// Returns one row, side by side: chunks, entities LIST<INTEGER>, weights LIST<FLOAT>.
UNWIND $refs AS chunk
MATCH ()-[r:NAMES]->()
USING INDEX SEEK r:NAMES(chunk, entity, weight)
WHERE r.chunk = chunk AND r.entity IS NOT NULL AND r.weight IS NOT NULL
RETURN collect(chunk) AS chunks, collect(r.entity) AS entities, collect(r.weight) AS weights
