// The sentences of chunks that name an entity.
// Parameters: refs LIST<INTEGER>, of chunks.
// Returns one row, side by side: chunks, entities, sentences LIST<INTEGER>.
UNWIND $refs AS chunk
MATCH (:Chunk {ref: chunk})-[r:NAMES]->()
WITH chunk, r.entity AS entity, r.sentences AS sentences
WHERE entity IS NOT NULL
UNWIND sentences AS sentence
RETURN collect(chunk) AS chunks, collect(entity) AS entities, collect(sentence) AS sentences
