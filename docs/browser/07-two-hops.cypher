// kgmem 07: which two rivers meet in the city where the author of The Little Prince was born?
MATCH (book:Document {namespace: 'default', title: 'The Little Prince'})
MATCH first = (book)-[:HAS_CHUNK]->(:Chunk)-[:HAS_SENTENCE]->(born:Sentence)-[:MENTIONS]->(city:Entity)
WHERE born.text CONTAINS ' born '
MATCH second = (city)<-[:MENTIONS]-(meet:Sentence)-[:MENTIONS]->(:Entity)
WHERE meet.text CONTAINS ' joins ' OR meet.text CONTAINS ' meet '
RETURN first, second LIMIT 25
