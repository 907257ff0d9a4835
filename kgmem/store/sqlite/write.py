"""Writing and removing whole sources, each in one transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import count as counting

import numpy as np

from kgmem import errors, graph, ids, names
from kgmem.ids import to_json
from kgmem.model import Mention, PreparedSource
from kgmem.store.codec import pack_text, pack_turns, pack_unit, to_micros
from kgmem.store.contract import PutResult
from kgmem.store.handles import NAMESPACE_BITS
from kgmem.store.sqlite.base import Base, place
from kgmem.store.sqlite.codec import pack_spans
from kgmem.store.sqlite.connection import Connection
from kgmem.store.sqlite.separators import replace_separators


class Writer(Base):
    def put(self, sources: Sequence[PreparedSource]) -> list[PutResult]:
        with self.db.write() as c:
            encoder = self._encoder(c)
            if encoder is None:
                raise errors.StoreError(f"{self.db.path} has no encoder yet; open it with one to write to it.")
            for dimension in {p.vectors.shape[1] for p in sources if len(p.chunks)} - {encoder.dimension}:
                raise errors.EncoderMismatch(
                    f"{self.db.path} was encoded with {encoder}, but vectors of {dimension} dimensions were to be "
                    "written; choose that encoder again, or run `kgmem reindex` to encode everything anew."
                )
            low, _ = self._range(c, create=True)
            gone: set[str] = set()
            results = [self._put(c, low, prepared, gone) for prepared in sources]
            if "replaced" in results:
                self._leave_no_trace(c, gone)
        if "replaced" in results:
            self.db.forget_deleted()
        return results

    def _put(self, c: Connection, low: int, prepared: PreparedSource, gone: set[str]) -> PutResult:
        source = prepared.source
        row = c.execute("SELECT rowid, content_hash FROM source WHERE id = ?", (source.id,)).fetchone()
        if row and row[0] >> NAMESPACE_BITS != low >> NAMESPACE_BITS:
            raise errors.StoreError(f"Source {source.id} belongs to another namespace than {self.namespace}.")
        if row and row[1] == source.content_hash:
            return "unchanged"
        if row:
            gone |= self._remove(c, [row[0]])
        self._insert(c, low, prepared)
        return "replaced" if row else "added"

    def delete(self, source_ids: Iterable[str]) -> int:
        with self.db.write() as c:
            low, high = self._range(c)
            rows = [
                r
                for (r,) in c.execute(
                    "SELECT rowid FROM source WHERE rowid BETWEEN ? AND ? AND id IN (SELECT value FROM json_each(?))",
                    (low, high, to_json(list(source_ids))),
                )
            ]
            if rows:
                self._leave_no_trace(c, self._remove(c, rows))
        if rows:
            self.db.forget_deleted()
        return len(rows)

    def _insert(self, c: Connection, low: int, p: PreparedSource) -> None:
        s = p.source
        source_row = take_rows(c, low, "source", 1)
        c.execute(
            f"INSERT INTO source VALUES ({place(15)})",
            (
                source_row,
                s.id,
                s.kind,
                s.uri,
                s.title,
                s.media_type,
                s.content_hash,
                to_micros(s.timestamp),
                to_micros(s.ingested_at),
                to_json(s.tags),
                to_json(dict(s.metadata)),
                to_json(list(p.pages)),
                pack_turns(p.turns),
                len(p.chunks),
                pack_text(p.text),
            ),
        )
        first = take_rows(c, low, "chunk", len(p.chunks))
        entity_rows = self._entities(c, low, source_row, p)
        mentions_of: dict[int, list[Mention]] = defaultdict(list)
        for mention in {(m.ordinal, m.start, m.end, m.key): m for m in p.mentions}.values():
            mentions_of[mention.ordinal].append(mention)
        own = {entity_rows[t.key] for t in p.titles}

        chunk_rows, edge_rows, mention_rows = [], [], []
        for i, chunk in enumerate(p.chunks):
            row = first + i
            named = Counter(entity_rows[m.key] for m in mentions_of[chunk.ordinal])
            edge_rows += [
                (row, entity, named[entity], entity in own, graph.edge_weight(named[entity], entity in own))
                for entity in named.keys() | own
            ]
            mention_rows += [
                (row, m.start, m.end, entity_rows[m.key], m.sentence, m.origin) for m in mentions_of[chunk.ordinal]
            ]
            time = chunk.timestamp or s.timestamp
            chunk_rows.append(
                (
                    row,
                    chunk.id,
                    source_row,
                    chunk.ordinal,
                    chunk.start,
                    chunk.end,
                    to_micros(time),
                    chunk.text,
                    chunk.context,
                    chunk.speaker,
                    to_micros(chunk.timestamp),
                    chunk.truncated,
                    to_json(dict(chunk.metadata)),
                    p.terms[i],
                )
            )
        rows = range(first, first + len(p.chunks))
        c.executemany(f"INSERT INTO chunk VALUES ({place(14)})", chunk_rows)
        c.executemany("INSERT INTO chunk_terms (rowid, terms) VALUES (?,?)", zip(rows, p.terms, strict=True))
        c.executemany(
            "INSERT INTO vector (rowid, namespace, embedding) VALUES (?,?,?)",
            (
                (row, low >> NAMESPACE_BITS, vector.astype(np.float32).tobytes())
                for row, vector in zip(rows, p.vectors, strict=True)
                # Nothing is near to a vector of nothing, yet it would take a place among the nearest.
                if vector.any()
            ),
        )
        c.executemany(
            "INSERT INTO sentence VALUES (?,?,?)",
            (
                (row, pack_spans(chunk.sentences), pack_unit(np.concatenate([own[None], vectors])))
                for row, chunk, own, vectors in zip(rows, p.chunks, p.vectors, p.sentence_vectors, strict=True)
            ),
        )
        c.executemany("INSERT INTO mention VALUES (?,?,?,?,?,?)", mention_rows)
        c.executemany("INSERT INTO edge VALUES (?,?,?,?,?)", edge_rows)
        add_to_entities(c, ((entity, is_own, 1) for _, entity, _, is_own, _ in edge_rows))
        self._insert_facts(c, low, first, p, entity_rows)
        c.executemany("INSERT INTO pending_chunk VALUES (?,0)", ((row,) for row in rows))

    def _entities(self, c: Connection, low: int, source_row: int, p: PreparedSource) -> dict[str, int]:
        """The row of each entity that the source names by itself, made where it is new."""
        forms = Counter((m.key, m.surface if m.origin == "acronym" else m.name, m.type) for m in p.mentions)
        forms.update((t.key, t.name, t.type) for t in p.titles)
        keys = sorted({key for key, _, _ in forms})
        rows = self._entity_rows(c, keys)
        missing = [key for key in keys if key not in rows]
        rows.update(zip(missing, counting(take_rows(c, low, "entity", len(missing))), strict=False))
        new = [(rows[key], ids.entity_id(self.namespace, key), key, names.key_head(key)) for key in missing]
        c.executemany("INSERT INTO entity (rowid, id, key, head) VALUES (?,?,?,?)", new)
        c.executemany("INSERT INTO pending_name VALUES (?)", ((row[0],) for row in new if names.linkable(row[2])))
        c.executemany(
            "INSERT INTO form VALUES (?,?,?,?,?)",
            ((rows[key], source_row, surface, kind, n) for (key, surface, kind), n in sorted(forms.items())),
        )
        return rows

    def _insert_facts(
        self, c: Connection, low: int, first: int, p: PreparedSource, entity_rows: dict[str, int]
    ) -> None:
        values: dict[str, tuple[object, ...]] = {}
        for fact in p.facts:
            chunk = p.chunks[fact.ordinal]
            fact_id = ids.fact_id(chunk.id, fact.sentence, fact.subject, fact.predicate, fact.objects)
            values.setdefault(
                fact_id,
                (
                    first + fact.ordinal,
                    fact.sentence,
                    fact.subject,
                    fact.predicate,
                    to_json(fact.objects),
                    fact.confidence,
                    fact.negated,
                    entity_rows.get(fact.subject_key or ""),
                    entity_rows.get(fact.object_key or ""),
                ),
            )
        following = take_rows(c, low, "fact", len(values))
        c.executemany(
            f"INSERT INTO fact VALUES ({place(11)})",
            ((following + i, fact_id, *rest) for i, (fact_id, rest) in enumerate(values.items())),
        )

    def _leave_no_trace(self, c: Connection, gone: set[str]) -> None:
        """What a deletion has to do beyond deleting; `gone` are the index terms of what was deleted."""
        replace_separators(c, gone)
        self.db.mark_leftovers(c)

    def _remove(self, c: Connection, sources: Sequence[int]) -> set[str]:
        """Delete these sources' rows. Returns their index terms."""
        gone: set[str] = set()
        for source in sources:
            chunks = []
            for row, terms in c.execute("SELECT rowid, terms FROM chunk WHERE source = ?", (source,)):
                chunks.append(row)
                gone.update(terms.split(" "))
            listed = to_json(chunks)
            within = "IN (SELECT value FROM json_each(?))"
            add_to_entities(
                c,
                (
                    (entity, -own, -1)
                    for entity, own in c.execute(
                        f"SELECT entity, own FROM edge WHERE chunk {within}", (listed,)
                    ).fetchall()
                ),
            )
            c.execute(
                "INSERT INTO chunk_terms (chunk_terms, rowid, terms) "
                f"SELECT 'delete', rowid, terms FROM chunk WHERE rowid {within}",
                (listed,),
            )
            c.executemany("DELETE FROM vector WHERE rowid = ?", ((r,) for r in chunks))
            for table in ("edge", "mention", "fact", "sentence", "pending_chunk"):
                column = "rowid" if table in ("sentence", "pending_chunk") else "chunk"
                c.execute(f"DELETE FROM {table} WHERE {column} {within}", (listed,))
            supported = [r for (r,) in c.execute("SELECT DISTINCT entity FROM form WHERE source = ?", (source,))]
            c.execute("DELETE FROM form WHERE source = ?", (source,))
            c.execute("DELETE FROM chunk WHERE source = ?", (source,))
            c.execute("DELETE FROM source WHERE rowid = ?", (source,))
            self._remove_orphans(c, source >> NAMESPACE_BITS << NAMESPACE_BITS, supported)
        return gone

    def _remove_orphans(self, c: Connection, low: int, entities: Iterable[int]) -> None:
        """Entities that no source names by itself any more go, with the links that others had to them.

        The chunks that lose such a link are searched again: a shorter name may fit there now.
        """
        mark = take_rows(c, low, "mark", 1)
        for entity in entities:
            if c.execute("SELECT 1 FROM form WHERE entity = ? LIMIT 1", (entity,)).fetchone():
                continue
            for (chunk,) in c.execute("SELECT chunk FROM edge WHERE entity = ?", (entity,)).fetchall():
                c.execute("INSERT OR REPLACE INTO pending_chunk VALUES (?,?)", (chunk, mark))
                c.execute("DELETE FROM edge WHERE chunk = ? AND entity = ?", (chunk, entity))
                c.execute("DELETE FROM mention WHERE chunk = ? AND entity = ?", (chunk, entity))
            c.execute("DELETE FROM pending_name WHERE entity = ?", (entity,))
            c.execute("DELETE FROM entity WHERE rowid = ?", (entity,))


def take_rows(c: Connection, low: int, kind: str, wanted: int) -> int:
    """The first of `wanted` row ids of this kind that have never been given before."""
    last = c.execute(
        f"UPDATE namespace SET last_{kind} = last_{kind} + ? WHERE id = ? RETURNING last_{kind}",
        (wanted, low >> NAMESPACE_BITS),
    ).fetchone()[0]
    return low + int(last) - wanted + 1


def add_to_entities(c: Connection, changes: Iterable[tuple[int, int, int]]) -> None:
    """Add (own chunks, chunks) to entities' counts."""
    totals: dict[int, list[int]] = {}
    for entity, own, count in changes:
        total = totals.setdefault(entity, [0, 0])
        total[0] += own
        total[1] += count
    c.executemany(
        "UPDATE entity SET own_count = own_count + ?, chunk_count = chunk_count + ? WHERE rowid = ?",
        ((*total, entity) for entity, total in totals.items()),
    )
