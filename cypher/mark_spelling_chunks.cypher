// Mark the chunks that may spell a name. Which rows are the namespace's is said by its parameter, not by the query.
// Parameters: namespace STRING; queries LIST<STRING>, each a full-text query for one name; mark INTEGER.
// Returns nothing.
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes('chunk_terms', query) YIELD node
WITH DISTINCT node WHERE node.namespace = $namespace
SET node.pending = $mark
