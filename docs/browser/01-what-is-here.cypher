// kgmem 01: what is here, by namespace
MATCH (n:Source|Chunk|Sentence|Entity|Fact)
RETURN n.namespace AS namespace, labels(n) AS labels, count(*) AS many, count(n.pending) AS pending
ORDER BY namespace, many DESC LIMIT 100
