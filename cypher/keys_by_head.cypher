// Keys of entities with many words, by their first words.
// Parameters: namespace STRING; heads LIST<STRING>.
// Returns head STRING, keys LIST<STRING>.
UNWIND $heads AS head
MATCH (e:Entity {namespace: $namespace, head: head})
RETURN head, collect(e.key) AS keys
