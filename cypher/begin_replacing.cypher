// Note that all data are about to be replaced by those of a file, unless something was written since `writes` were read.
// Waits for whoever is writing: nobody can write between the comparison and the note.
// Parameters: path STRING; writes LIST of [namespace, number of its writes], in order.
// Returns path STRING, whose data they are; no row where something was written meanwhile.
MATCH (n:Namespace)
SET n.writes = n.writes
WITH n ORDER BY n.name
WITH collect([n.name, n.writes]) AS now
WHERE now = $writes
MATCH (k:Kgmem {id: 'store'})
SET k.replaced_by = $path
RETURN k.replaced_by AS path
