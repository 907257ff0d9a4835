// How entities are written, all sources together.
// Parameters: refs LIST<INTEGER>.
// Returns one row: refs LIST<INTEGER>, forms LIST<STRING> (JSON lists of [surface, type, count]), side by side.
UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
RETURN collect(e.ref) AS refs, collect(e.forms) AS forms
