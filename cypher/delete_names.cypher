// Remove summed-up edges.
// Parameters: rows LIST<LIST<INTEGER>> of [chunk, entity].
// Returns nothing.
UNWIND $rows AS row
MATCH (:Chunk {ref: row[0]})-[r:NAMES]->(:Entity {ref: row[1]})
DELETE r
