// Entities by handle.
// Parameters: refs LIST<INTEGER>.
// Returns one row: entities LIST of [ref, id, key, name, type, chunk count, aliases].
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
RETURN collect([ref, e.id, e.key, e.name, e.type, e.chunk_count, e.aliases]) AS entities
