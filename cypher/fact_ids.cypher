// Facts by id, from one on, whose parts contain words.
// Parameters: namespace STRING; after STRING, the id to go on from; subject, predicate, object LIST<STRING>, folded
// words; limit INTEGER.
// Returns one row: ids LIST<STRING>.
MATCH (f:Fact)
USING INDEX SEEK f:Fact(namespace, id)
WHERE f.namespace = $namespace AND f.id > $after
  AND all(word IN $subject WHERE f.folded_subject CONTAINS word)
  AND all(word IN $predicate WHERE f.folded_predicate CONTAINS word)
  AND all(word IN $object WHERE any(part IN f.folded_objects WHERE part CONTAINS word))
WITH f ORDER BY f.namespace, f.id LIMIT $limit
RETURN collect(f.id) AS ids
