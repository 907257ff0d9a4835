// Constraints and indexes of the Neo4j engine, store version 1. Needs Neo4j 2026.01 or newer.
// Run once when a store is opened for writing, statement by statement; every one may be run again.
// `ref` is a number that kgmem gives: namespace number * 2^40 + n. It never comes back for something else.
//
// (:Source:Document | :Source:Document:Conversation | :Source:Memory)-[:HAS_CHUNK]->(:Chunk)-[:NEXT]->(:Chunk)
// (:Source)-[:HAS_TEXT]->(:Text)                                     the text as it was loaded, zlib
// (:Chunk)-[:HAS_SENTENCE]->(:Sentence)-[:MENTIONS {start, end, surface, origin}]->(:Entity)
// (:Chunk)-[:NAMES {mentions, own, weight, sentences}]->(:Entity)    its mentions summed up, what search walks on
// (:Source)-[:ABOUT]->(:Entity)                                      the entity its title names
// (:Source)-[:WRITES {forms}]->(:Entity)                             how a source itself writes the name
// (:Chunk)-[:STATES]->(:Fact)-[:SUBJECT | OBJECT]->(:Entity)
// (:Entity)-[:RELATES_TO {predicate, confidence, sentence, ...}]->(:Entity)   a fact whose two ends are entities

CREATE CONSTRAINT kgmem_id IF NOT EXISTS FOR (n:Kgmem) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT namespace_name IF NOT EXISTS FOR (n:Namespace) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT source_id IF NOT EXISTS FOR (n:Source) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT source_ref IF NOT EXISTS FOR (n:Source) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (n:Chunk) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT chunk_ref IF NOT EXISTS FOR (n:Chunk) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT sentence_id IF NOT EXISTS FOR (n:Sentence) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_ref IF NOT EXISTS FOR (n:Entity) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (n:Fact) REQUIRE n.id IS UNIQUE;

// Keyset pages of one namespace, and look-ups within it.
CREATE INDEX source_page IF NOT EXISTS FOR (n:Source) ON (n.namespace, n.id);
CREATE INDEX entity_page IF NOT EXISTS FOR (n:Entity) ON (n.namespace, n.id);
CREATE INDEX fact_page IF NOT EXISTS FOR (n:Fact) ON (n.namespace, n.id);
CREATE INDEX entity_key IF NOT EXISTS FOR (n:Entity) ON (n.namespace, n.key);
CREATE INDEX entity_head IF NOT EXISTS FOR (n:Entity) ON (n.namespace, n.head);
CREATE INDEX chunk_time IF NOT EXISTS FOR (n:Chunk) ON (n.namespace, n.time);

// Work left for linking.
CREATE INDEX chunk_pending IF NOT EXISTS FOR (n:Chunk) ON (n.namespace, n.pending);
CREATE INDEX entity_pending IF NOT EXISTS FOR (n:Entity) ON (n.namespace, n.pending);

// An entity's heaviest chunks without looking at the others: `rank` is -weight, so that they come first.
CREATE INDEX names_rank IF NOT EXISTS FOR ()-[r:NAMES]-() ON (r.entity, r.rank, r.chunk);
// All of a chunk's edges without reading the relationships themselves, which takes three times as long.
CREATE INDEX names_chunk IF NOT EXISTS FOR ()-[r:NAMES]-() ON (r.chunk, r.entity, r.weight);
CREATE INDEX relates_to_fact IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON (r.fact);

// Terms are made by kgmem.terms; the analyzer only parts them at white space. `partition` is the namespace's token.
CREATE FULLTEXT INDEX chunk_terms IF NOT EXISTS FOR (n:Chunk) ON EACH [n.terms, n.partition]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
// For people: names in any case, in any script.
CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk', `fulltext.eventually_consistent`: false}};
