// What sources give to entities: the edges of their chunks counted, and how they write the names.
// Parameters: sources LIST<INTEGER>.
// Returns entity, own, chunks INTEGER, forms LIST<STRING>.
CALL () {
  UNWIND $sources AS source
  MATCH (:Source {ref: source})-[:HAS_CHUNK]->(:Chunk)-[r:NAMES]->()
  RETURN r.entity AS entity, sum(CASE WHEN r.own THEN 1 ELSE 0 END) AS own, count(r) AS chunks, [] AS forms
  UNION ALL
  UNWIND $sources AS source
  MATCH (:Source {ref: source})-[w:WRITES]->(e:Entity)
  RETURN e.ref AS entity, 0 AS own, 0 AS chunks, collect(w.forms) AS forms
}
RETURN entity, own, chunks, forms
