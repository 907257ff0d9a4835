// Make a namespace with the next number, unless another process has just done so.
// Parameters: namespace STRING.
// Returns number INTEGER.
MERGE (k:Kgmem {id: 'store'})
SET k.last_namespace = coalesce(k.last_namespace, 0) + 1
WITH k
MERGE (n:Namespace {name: $namespace})
ON CREATE SET n.number = k.last_namespace, n.writes = 0, n.last_source = 0, n.last_chunk = 0,
              n.last_entity = 0, n.last_fact = 0, n.last_mark = 0
RETURN n.number AS number
