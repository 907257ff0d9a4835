// Make sources with their texts.
// Parameters: rows LIST<MAP> {labels LIST<STRING>, properties MAP, text BYTES (zlib)}.
// Returns nothing.
CYPHER 25
UNWIND $rows AS row
CREATE (s:Source:$(row.labels))-[:HAS_TEXT]->(:Text {data: row.text})
SET s = row.properties
