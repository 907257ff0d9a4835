// Take so many numbers of each kind that have never been given before.
// Parameters: namespace STRING; sources, chunks, entities, facts, marks INTEGER.
// Returns source, chunk, entity, fact, mark INTEGER: the last one of each.
MATCH (n:Namespace {name: $namespace})
SET n.last_source = n.last_source + $sources,
    n.last_chunk = n.last_chunk + $chunks,
    n.last_entity = n.last_entity + $entities,
    n.last_fact = n.last_fact + $facts,
    n.last_mark = n.last_mark + $marks
RETURN n.last_source AS source, n.last_chunk AS chunk, n.last_entity AS entity, n.last_fact AS fact, n.last_mark AS mark
