// How sources write entities' names.
// Parameters: rows LIST<MAP> {source, entity, forms STRING (JSON list of [surface, type, count])}.
// Returns nothing.
UNWIND $rows AS row
MATCH (s:Source {ref: row.source})
MATCH (e:Entity {ref: row.entity})
CREATE (s)-[:WRITES {forms: row.forms}]->(e)
