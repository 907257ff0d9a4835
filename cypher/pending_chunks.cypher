// Chunks to be searched for known names, with the spans of the names that were recognised in them.
// Parameters: namespace STRING; limit INTEGER.
// Returns ref, mark INTEGER, text STRING, spans LIST<INTEGER> (flat), taken LIST<LIST<INTEGER>>.
MATCH (c:Chunk) WHERE c.namespace = $namespace AND c.pending IS NOT NULL
WITH c LIMIT $limit
RETURN c.ref AS ref, c.pending AS mark, c.text AS text, c.spans AS spans,
       COLLECT {
         MATCH (c)-[:HAS_SENTENCE*0..1]->()-[m:MENTIONS]->() WHERE m.origin <> 'gazetteer'
         RETURN [m.start, m.end]
       } AS taken
