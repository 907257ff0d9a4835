// Make entities that are new. `head` is null for a key of few words, `pending` where older chunks are not searched for it.
// Parameters: namespace STRING; rows LIST<MAP> {ref, id, key, head, pending}.
// Returns nothing.
UNWIND $rows AS row
CREATE (e:Entity {ref: row.ref, id: row.id, namespace: $namespace, key: row.key, head: row.head, pending: row.pending,
                  chunk_count: 0, own_count: 0, forms: '[]'})
