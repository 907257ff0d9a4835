// Add to entities' counts, and set what they are called.
// Parameters: rows LIST<MAP> {ref, own, chunks (to add), forms, name, type, aliases}; the latter four null to keep.
// Returns nothing.
UNWIND $rows AS row
MATCH (e:Entity {ref: row.ref})
SET e.own_count = e.own_count + row.own,
    e.chunk_count = e.chunk_count + row.chunks,
    e.forms = coalesce(row.forms, e.forms),
    e.name = coalesce(row.name, e.name),
    e.type = coalesce(row.type, e.type),
    e.aliases = coalesce(row.aliases, e.aliases)
