// What is compared of chunks that an arm found.
// Parameters: refs LIST<INTEGER>; ending INTEGER, characters.
// Returns one row, side by side: refs LIST<INTEGER>; codes LIST<BYTES> as chunk_vectors gives them; terms, endings
// LIST<STRING>; places LIST of [time in microseconds, the next chunk's ref], null where there is none.
UNWIND $refs AS ref
MATCH (c:Chunk {ref: ref})
OPTIONAL MATCH (c)-[:NEXT]->(next)
WITH ref, c.codes AS codes, c.terms AS terms, right(c.text, $ending) AS ending,
     [c.time.epochMillis * 1000 + c.time.microsecond % 1000, next.ref] AS place
WHERE codes IS NOT NULL AND terms IS NOT NULL AND ending IS NOT NULL
RETURN collect(ref) AS refs, collect(codes) AS codes, collect(terms) AS terms, collect(ending) AS endings,
       collect(place) AS places
