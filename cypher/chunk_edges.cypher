// Each chunk with its entities.
// Parameters: refs LIST<INTEGER>, of chunks.
// Returns one row, side by side: chunks, entities LIST<INTEGER>, weights LIST<FLOAT>.
UNWIND $refs AS chunk
MATCH (:Chunk {ref: chunk})-[r:NAMES]->()
RETURN collect(chunk) AS chunks, collect(r.entity) AS entities, collect(r.weight) AS weights
