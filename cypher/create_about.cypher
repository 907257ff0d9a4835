// Which entities sources' titles name.
// Parameters: rows LIST<LIST<INTEGER>> of [source, entity].
// Returns nothing.
UNWIND $rows AS row
MATCH (s:Source {ref: row[0]})
MATCH (e:Entity {ref: row[1]})
CREATE (s)-[:ABOUT]->(e)
