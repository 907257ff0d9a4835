// The version of the server.
// Parameters: none.
// Returns version STRING, such as 2026.09.0.
CALL dbms.components() YIELD name, versions
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version
