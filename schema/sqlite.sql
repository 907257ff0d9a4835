-- The embedded engine's tables, one SQLite file. Version 1 (PRAGMA user_version).
-- The upper bits of the row ids of source, chunk and entity are the namespace (rowid = namespace << 40 | n),
-- so a namespace is a range of row ids in every table and index, the full-text index included.
-- Times are microseconds since 1970 UTC; vectors of sentences are int8 codes, their length left out.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE namespace (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_source INTEGER NOT NULL DEFAULT 0,  -- highest row ids ever given, so that none comes back for something else
    last_chunk INTEGER NOT NULL DEFAULT 0,
    last_entity INTEGER NOT NULL DEFAULT 0,
    last_fact INTEGER NOT NULL DEFAULT 0,
    last_mark INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE source (
    rowid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    uri TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    time INTEGER,                       -- when the content dates from
    ingested_at INTEGER NOT NULL,
    tags TEXT NOT NULL,                 -- JSON array
    metadata TEXT NOT NULL,             -- JSON object
    pages TEXT NOT NULL,                -- JSON array of offsets
    turns TEXT NOT NULL,                -- JSON array of [start, end, speaker, time, metadata]
    chunk_count INTEGER NOT NULL,
    text BLOB NOT NULL                  -- UTF-8, zlib
);
CREATE INDEX source_uri ON source (uri);

CREATE TABLE chunk (
    rowid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    time INTEGER,                       -- its own, or else its source's
    text TEXT NOT NULL,
    context TEXT NOT NULL,
    speaker TEXT NOT NULL,
    spoken_at INTEGER,
    truncated INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    terms TEXT NOT NULL                 -- index terms, parted by spaces
);
CREATE INDEX chunk_source ON chunk (source, ordinal);
CREATE INDEX chunk_time ON chunk (time) WHERE time IS NOT NULL;

-- Terms are made by kgmem.terms; the tokenizer only parts them at white space.
CREATE VIRTUAL TABLE chunk_terms USING fts5 (
    terms, content='chunk', content_rowid='rowid', tokenize="ascii tokenchars '-_./&+#'"
);
INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE term_count USING fts5vocab (chunk_terms, 'row');

CREATE TABLE sentence (
    chunk INTEGER PRIMARY KEY,
    spans BLOB NOT NULL,                -- int32 pairs
    vectors BLOB NOT NULL               -- (1 + sentences, dimension) int8, the chunk's own vector first
);

CREATE TABLE entity (
    rowid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    head TEXT,                          -- first words of a long key
    chunk_count INTEGER NOT NULL DEFAULT 0,
    own_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX entity_key ON entity (key);
CREATE INDEX entity_head ON entity (head) WHERE head IS NOT NULL;

-- How a source itself writes an entity's name. An entity without any such row is gone.
CREATE TABLE form (
    entity INTEGER NOT NULL,
    source INTEGER NOT NULL,
    surface TEXT NOT NULL,
    type TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (entity, source, surface, type)
) WITHOUT ROWID;
CREATE INDEX form_source ON form (source);

CREATE TABLE mention (
    chunk INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    sentence INTEGER NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (chunk, start, "end", entity)
) WITHOUT ROWID;
CREATE INDEX mention_entity ON mention (entity, chunk, sentence);

CREATE TABLE edge (
    chunk INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    mentions INTEGER NOT NULL,
    own INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (chunk, entity)
) WITHOUT ROWID;
CREATE INDEX edge_entity ON edge (entity, weight DESC, chunk, own);

CREATE TABLE fact (
    rowid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chunk INTEGER NOT NULL,
    sentence INTEGER NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    objects TEXT NOT NULL,              -- JSON array
    confidence REAL NOT NULL,
    negated INTEGER NOT NULL,
    subject_entity INTEGER,
    object_entity INTEGER
);
CREATE INDEX fact_chunk ON fact (chunk);
CREATE INDEX fact_subject ON fact (subject_entity) WHERE subject_entity IS NOT NULL;
CREATE INDEX fact_object ON fact (object_entity) WHERE object_entity IS NOT NULL;

-- Work left for linking (see kgmem.ingest.link): chunks to search, names to seek in older chunks.
-- A chunk marked anew while it is being searched has another mark by then, and stays.
CREATE TABLE pending_chunk (chunk INTEGER PRIMARY KEY, mark INTEGER NOT NULL);
CREATE TABLE pending_name (entity INTEGER PRIMARY KEY);
