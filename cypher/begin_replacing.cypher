// Note that all data are about to be replaced by those of a file, unless no write has happened since `writes`.
// Parameters: path STRING; writes LIST of [namespace, number of its writes], in order.
// Returns path STRING, whose data they are; no row where something was written meanwhile.
MATCH (k:Kgmem {id: 'store'})
WITH k, COLLECT { MATCH (n:Namespace) RETURN [n.name, n.writes] ORDER BY n.name } AS now
WHERE now = $writes
SET k.replaced_by = $path
RETURN k.replaced_by AS path
