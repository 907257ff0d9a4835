// The sentences of chunks that name an entity.
// Parameters: refs LIST<INTEGER>, of chunks.
// Returns one row, side by side: chunks, entities, sentences LIST<INTEGER>.
UNWIND $refs AS chunk
MATCH (:Chunk {ref: chunk})-[r:NAMES]->()
UNWIND r.sentences AS sentence
RETURN collect(chunk) AS chunks, collect(r.entity) AS entities, collect(sentence) AS sentences
