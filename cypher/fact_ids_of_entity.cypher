// An entity's facts by id, from one on, whose parts contain words.
// Parameters: as of fact_ids, and entity STRING, its id.
// Returns one row: ids LIST<STRING>.
MATCH (:Entity {id: $entity})<-[:SUBJECT|OBJECT]-(f:Fact)
WHERE f.namespace = $namespace AND f.id > $after
  AND all(word IN $subject WHERE f.folded_subject CONTAINS word)
  AND all(word IN $predicate WHERE f.folded_predicate CONTAINS word)
  AND all(word IN $object WHERE any(part IN f.folded_objects WHERE part CONTAINS word))
WITH DISTINCT f
WITH f ORDER BY f.id LIMIT $limit
RETURN collect(f.id) AS ids
