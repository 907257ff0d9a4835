"""Reading for people: sources, chunks, entities and facts by id, in keyset pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kgmem.ids import to_json
from kgmem.model import Chunk, Document, Entity, Ref, Source
from kgmem.store.codec import fold, from_micros, unpack_text, unpack_turns
from kgmem.store.contract import Counts, StoredChunk, StoredFact
from kgmem.store.sqlite.base import Base
from kgmem.store.sqlite.codec import unpack_spans
from kgmem.store.sqlite.connection import Connection

_SOURCE = (
    "s.id, s.kind, s.uri, s.title, s.media_type, s.content_hash, s.time, s.ingested_at, s.tags, s.metadata, "
    "s.chunk_count"
)
_CHUNK = (
    'c.rowid, c.id, c.ordinal, c.start, c."end", c.text, c.context, c.speaker, c.spoken_at, c.truncated, '
    f"c.metadata, n.spans, {_SOURCE}"
)
_CHUNK_FROM = "chunk AS c JOIN sentence AS n ON n.chunk = c.rowid JOIN source AS s ON s.rowid = c.source"
_FACT = (
    "f.id, f.subject, f.predicate, f.objects, f.confidence, f.negated, a.id, b.id, c.id, s.id, s.title, "
    "c.text, n.spans, f.sentence"
)
_FACT_FROM = (
    "fact AS f JOIN chunk AS c ON c.rowid = f.chunk JOIN sentence AS n ON n.chunk = c.rowid "
    "JOIN source AS s ON s.rowid = c.source LEFT JOIN entity AS a ON a.rowid = f.subject_entity "
    "LEFT JOIN entity AS b ON b.rowid = f.object_entity"
)

_BY_ID = "+"
"""Before a row id: go through the index of ids to the end of the page, rather than sort the namespace for each page."""


class Browser(Base):
    def source(self, source_id: str) -> Source | None:
        c = self.db.reader()
        row = c.execute(
            f"SELECT {_SOURCE} FROM source AS s WHERE s.id = ? AND s.rowid BETWEEN ? AND ?",
            (source_id, *self._range(c)),
        ).fetchone()
        return _source(row) if row else None

    def sources(
        self, *, kinds: Sequence[str] = (), uri_prefix: str = "", after: str | None = None, limit: int = 100
    ) -> list[Source]:
        c = self.db.reader()
        return [
            _source(row)
            for row in c.execute(
                f"SELECT {_SOURCE} FROM source AS s WHERE s.id > ? AND {_BY_ID}s.rowid BETWEEN ? AND ? "
                "AND (? = '[]' OR s.kind IN (SELECT value FROM json_each(?))) AND substr(s.uri, 1, ?) = ? "
                "ORDER BY s.id LIMIT ?",
                (
                    after or "",
                    *self._range(c),
                    to_json(list(kinds)),
                    to_json(list(kinds)),
                    len(uri_prefix),
                    uri_prefix,
                    limit,
                ),
            )
        ]

    def hashes(self, source_ids: Sequence[str]) -> dict[str, str]:
        c = self.db.reader()
        return dict(
            c.execute(
                "SELECT s.id, s.content_hash FROM json_each(?) AS j CROSS JOIN source AS s ON s.id = j.value "
                "WHERE s.rowid BETWEEN ? AND ?",
                (to_json(list(source_ids)), *self._range(c)),
            )
        )

    def text(self, source_id: str) -> str | None:
        c = self.db.reader()
        row = c.execute(
            "SELECT text FROM source WHERE id = ? AND rowid BETWEEN ? AND ?", (source_id, *self._range(c))
        ).fetchone()
        return unpack_text(row[0]) if row else None

    def chunks(self, refs: Sequence[Ref]) -> list[StoredChunk]:
        c = self.db.reader()
        found = {
            row[0]: _chunk(row)
            for row in c.execute(
                f"SELECT {_CHUNK} FROM {_CHUNK_FROM} WHERE c.rowid IN (SELECT value FROM json_each(?))",
                (to_json(self._own(c, refs)),),
            )
        }
        return [found[ref] for ref in refs if ref in found]

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        c = self.db.reader()
        row = c.execute(
            f"SELECT {_CHUNK} FROM {_CHUNK_FROM} WHERE c.id = ? AND c.rowid BETWEEN ? AND ?",
            (chunk_id, *self._range(c)),
        ).fetchone()
        return _chunk(row) if row else None

    def source_chunks(self, source_id: str, *, after: int = -1, limit: int = 100) -> list[StoredChunk]:
        c = self.db.reader()
        return [
            _chunk(row)
            for row in c.execute(
                f"SELECT {_CHUNK} FROM {_CHUNK_FROM} WHERE s.id = ? AND s.rowid BETWEEN ? AND ? AND c.ordinal > ? "
                "ORDER BY c.ordinal LIMIT ?",
                (source_id, *self._range(c), after, limit),
            )
        ]

    def neighbours(self, chunk_ids: Sequence[str], before: int, after: int) -> dict[str, list[StoredChunk]]:
        c = self.db.reader()
        found: dict[str, list[StoredChunk]] = {}
        for chunk_id, *row in c.execute(
            f"SELECT m.id, {_CHUNK} FROM json_each(?) AS j CROSS JOIN chunk AS m ON m.id = j.value "
            f"JOIN {_CHUNK_FROM} WHERE c.source = m.source AND m.rowid BETWEEN ? AND ? "
            "AND c.ordinal BETWEEN m.ordinal - ? AND m.ordinal + ? AND c.rowid <> m.rowid ORDER BY c.ordinal",
            (to_json(list(dict.fromkeys(chunk_ids))), *self._range(c), before, after),
        ):
            found.setdefault(chunk_id, []).append(_chunk(row))
        return found

    def entity(self, entity_id: str) -> Entity | None:
        with self.db.snapshot():
            c = self.db.reader()
            row = c.execute(
                "SELECT rowid FROM entity WHERE id = ? AND rowid BETWEEN ? AND ?", (entity_id, *self._range(c))
            ).fetchone()
            return self.entity_names([row[0]])[row[0]] if row else None

    def entities(self, match: str = "", *, after: str | None = None, limit: int = 100) -> list[Entity]:
        with self.db.snapshot():
            c = self.db.reader()
            wanted = " ".join(fold(match).split())
            rows = [
                r
                for (r,) in c.execute(
                    f"SELECT rowid FROM entity WHERE id > ? AND {'' if wanted else _BY_ID}rowid BETWEEN ? AND ? "
                    "AND instr(key, ?) ORDER BY id LIMIT ?",
                    (after or "", *self._range(c), wanted, limit),
                )
            ]
            named = self.entity_names(rows)
        return [named[row] for row in rows]

    def entity_names(self, refs: Sequence[Ref]) -> dict[Ref, Entity]:
        with self.db.snapshot():
            c = self.db.reader()
            own = self._own(c, refs)
            forms = self._forms(own)
            return {
                row: Entity(entity_id, key, forms[row][0], forms[row][1], count, forms[row][2])
                for row, entity_id, key, count in c.execute(
                    "SELECT rowid, id, key, chunk_count FROM entity WHERE rowid IN (SELECT value FROM json_each(?))",
                    (to_json(own),),
                )
            }

    def entity_chunks(self, entity_id: str, limit: int) -> list[tuple[StoredChunk, int]]:
        c = self.db.reader()
        rows = c.execute(
            "SELECT e.chunk, coalesce((SELECT min(m.sentence) FROM mention AS m WHERE m.entity = e.entity "
            "AND m.chunk = e.chunk), 0) FROM entity AS n JOIN edge AS e ON e.entity = n.rowid "
            "WHERE n.id = ? AND n.rowid BETWEEN ? AND ? ORDER BY e.weight DESC, e.chunk LIMIT ?",
            (entity_id, *self._range(c), limit),
        ).fetchall()
        stored = {chunk.ref: chunk for chunk in self.chunks([row for row, _ in rows])}
        return [(stored[row], sentence) for row, sentence in rows if row in stored]

    def entity_neighbours(self, entity_id: str, limit: int) -> list[tuple[Entity, int]]:
        with self.db.snapshot():
            c = self.db.reader()
            rows = c.execute(
                "SELECT t.entity, count(*) AS shared FROM (SELECT DISTINCT o.entity, o.chunk, o.sentence "
                "FROM entity AS n JOIN mention AS m ON m.entity = n.rowid "
                "JOIN mention AS o ON o.chunk = m.chunk AND o.sentence = m.sentence AND o.entity <> m.entity "
                "WHERE n.id = ? AND n.rowid BETWEEN ? AND ?) AS t JOIN entity AS e ON e.rowid = t.entity "
                "GROUP BY t.entity ORDER BY shared DESC, e.id LIMIT ?",
                (entity_id, *self._range(c), limit),
            ).fetchall()
            named = self.entity_names([row for row, _ in rows])
        return [(named[row], shared) for row, shared in rows]

    def facts(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity_id: str = "",
        after: str | None = None,
        limit: int = 100,
    ) -> list[StoredFact]:
        c = self.db.reader()
        low, high = self._range(c)
        by_id = "" if (subject + predicate + object).strip() or entity_id else _BY_ID
        parts, values = [f"{by_id}f.rowid BETWEEN ? AND ?", "f.id > ?"], [low, high, after or ""]
        for holds, words in (
            ("instr(kgmem_fold(f.subject), w.value)", subject),
            ("instr(kgmem_fold(f.predicate), w.value)", predicate),
            ("EXISTS (SELECT 1 FROM json_each(f.objects) AS o WHERE instr(kgmem_fold(o.value), w.value))", object),
        ):
            if wanted := list(dict.fromkeys(fold(words).split())):
                parts.append(f"NOT EXISTS (SELECT 1 FROM json_each(?) AS w WHERE NOT {holds})")
                values.append(to_json(wanted))
        if entity_id:
            parts.append(
                "(f.subject_entity = (SELECT rowid FROM entity WHERE id = ?) "
                "OR f.object_entity = (SELECT rowid FROM entity WHERE id = ?))"
            )
            values += [entity_id, entity_id]
        return [
            _fact(row)
            for row in c.execute(
                f"SELECT {_FACT} FROM {_FACT_FROM} WHERE {' AND '.join(parts)} ORDER BY f.id LIMIT ?", (*values, limit)
            )
        ]

    def fact(self, fact_id: str) -> StoredFact | None:
        c = self.db.reader()
        row = c.execute(
            f"SELECT {_FACT} FROM {_FACT_FROM} WHERE f.id = ? AND f.rowid BETWEEN ? AND ?", (fact_id, *self._range(c))
        ).fetchone()
        return _fact(row) if row else None

    def documents(self) -> Iterator[Document]:
        after = ""
        while row := self._next_document(after):
            after = row[0]
            yield _document(row)

    def _next_document(self, after: str) -> Sequence[Any] | None:
        c = self.db.reader()
        row: Sequence[Any] | None = c.execute(
            f"SELECT {_SOURCE}, s.text, s.pages, s.turns FROM source AS s "
            f"WHERE s.id > ? AND {_BY_ID}s.rowid BETWEEN ? AND ? ORDER BY s.id LIMIT 1",
            (after, *self._range(c)),
        ).fetchone()
        return row

    def counts(self) -> Counts:
        with self.db.snapshot():
            return self._counts(self.db.reader())

    def _counts(self, c: Connection) -> Counts:
        bounds = self._range(c)

        def count(table: str, column: str = "rowid") -> int:
            return int(c.execute(f"SELECT count(*) FROM {table} WHERE {column} BETWEEN ? AND ?", bounds).fetchone()[0])

        sentences = c.execute(
            "SELECT coalesce(sum(length(spans)), 0) / 8 FROM sentence WHERE chunk BETWEEN ? AND ?", bounds
        ).fetchone()[0]
        return Counts(
            count("source"),
            count("chunk"),
            sentences,
            count("entity"),
            count("mention", "chunk"),
            count("fact"),
            count("pending_chunk", "chunk"),
        )


def _source(row: Sequence[Any]) -> Source:
    time, ingested = from_micros(row[6]), from_micros(row[7])
    assert ingested is not None
    return Source(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        time,
        ingested,
        tuple(json.loads(row[8])),
        json.loads(row[9]),
        row[10],
    )


def _document(row: Sequence[Any]) -> Document:
    source = _source(row)
    text, pages, turns = row[-3:]
    return Document(
        source.uri,
        unpack_text(text),
        source.title,
        source.media_type,
        source.timestamp,
        source.tags,
        source.metadata,
        source.kind,
        tuple(json.loads(pages)),
        unpack_turns(turns),
    )


def _chunk(row: Sequence[Any]) -> StoredChunk:
    chunk = Chunk(
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        row[6],
        unpack_spans(row[11]),
        row[7],
        from_micros(row[8]),
        json.loads(row[10]),
        bool(row[9]),
    )
    return StoredChunk(row[0], chunk, _source(row[12:]))


def _fact(row: Sequence[Any]) -> StoredFact:
    spans = unpack_spans(row[12])
    start, end = spans[row[13]] if row[13] < len(spans) else (0, len(row[11]))
    return StoredFact(
        row[0],
        row[1],
        row[2],
        tuple(json.loads(row[3])),
        row[4],
        bool(row[5]),
        row[6],
        row[7],
        row[8],
        row[9],
        row[10],
        row[11][start:end],
    )
