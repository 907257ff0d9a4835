"""Reading for search: the three indexes, and pieces of the graph as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from kgmem.graph import TALK_GAP, next_weight
from kgmem.ids import to_json
from kgmem.model import Filter, Floats, Ref, Vectors
from kgmem.store.codec import from_micros
from kgmem.store.contract import ENDING, NO_EDGES, Candidate, Cosines, Edges, EntityInfo, KnownName, MentionAt
from kgmem.store.handles import NAMESPACE_BITS, NOWHERE
from kgmem.store.packed import cosines_of, own_vectors
from kgmem.store.sqlite.base import Base
from kgmem.store.sqlite.connection import Connection
from kgmem.store.sqlite.filter import condition

MAX_K = 4096
_BROAD = 10_000
"""Rows that a full-text query may look at before its most frequent words are left out."""
_OWN_PAGES = 20


def quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def match_any(terms: Iterable[str]) -> str:
    """An FTS5 query for any of the terms, each a string and nothing else; empty where there is none."""
    # A query ends at a NUL, which no indexed term holds.
    return " OR ".join(quoted(term) for term in dict.fromkeys(terms) if "\0" not in term)


class Searcher(Base):
    def vector_search(self, vector: Vectors, k: int, where: Filter) -> list[tuple[Ref, float]]:
        c = self.db.reader()
        low, high = self._range(c)
        if self._encoder(c) is None or k < 1 or (low, high) == NOWHERE:
            return []
        sql = "SELECT rowid, distance FROM vector WHERE embedding MATCH ? AND k = ? AND namespace = ?"
        values: list[object] = [
            np.ascontiguousarray(vector, np.float32).tobytes(),
            min(k, MAX_K),
            low >> NAMESPACE_BITS,
        ]
        if where:
            joined, more = condition(where)
            sql += (
                " AND rowid IN (SELECT c.rowid FROM chunk AS c JOIN source AS s ON s.rowid = c.source "
                f"WHERE c.rowid BETWEEN ? AND ? AND {joined})"
            )
            values += [low, high, *more]
        return [
            (row, 1.0 - distance)
            for row, distance in c.execute(sql + " ORDER BY distance", values)
            if distance is not None
        ]

    def term_search(self, terms: Sequence[str], k: int, where: Filter) -> list[tuple[Ref, float]]:
        c = self.db.reader()
        low, high = self._range(c)
        wanted = match_any(self._bounded(list(dict.fromkeys(terms))))
        if not wanted or k < 1:
            return []
        sql = (
            "SELECT c.rowid, t.score FROM (SELECT rowid, -bm25(chunk_terms) AS score FROM chunk_terms "
            "WHERE chunk_terms MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rank LIMIT ?) AS t "
            "JOIN chunk AS c ON c.rowid = t.rowid ORDER BY t.score DESC, c.id"
        )
        values: list[object] = [wanted, low, high, k]
        if where:
            joined, more = condition(where)
            sql = (
                "SELECT c.rowid, -bm25(chunk_terms) AS score FROM chunk_terms "
                "JOIN chunk AS c ON c.rowid = chunk_terms.rowid JOIN source AS s ON s.rowid = c.source "
                f"WHERE chunk_terms MATCH ? AND chunk_terms.rowid BETWEEN ? AND ? AND {joined} "
                "ORDER BY score DESC, c.id LIMIT ?"
            )
            values = [wanted, low, high, *more, k]
        return list(c.execute(sql, values))

    def rarity(self, weights: Floats) -> Floats:
        return weights

    def _bounded(self, terms: list[str]) -> list[str]:
        """The rarest of the terms whose rows together stay below the bound; always at least one."""
        c = self.db.reader()
        low, high = self._range(c)
        last = c.execute("SELECT max(rowid) FROM chunk WHERE rowid BETWEEN ? AND ?", (low, high)).fetchone()[0]
        if last is None:
            return []
        if (last - low) * len(terms) <= _BROAD:
            return terms
        counts = dict(
            c.execute(
                "SELECT j.value, t.doc FROM json_each(?) AS j CROSS JOIN term_count AS t ON t.term = j.value",
                (to_json(terms),),
            )
        )
        kept: list[str] = []
        rows = 0
        for term in sorted(counts, key=lambda t: (counts[t], t)):
            rows += counts[term]
            if kept and rows > _BROAD:
                break
            kept.append(term)
        return kept

    def time_search(self, since: datetime, until: datetime, k: int, where: Filter) -> list[Ref]:
        c = self.db.reader()
        low, high = self._range(c)
        joined, values = condition(Filter(since=since, until=until))
        if where:
            more, extra = condition(where)
            joined, values = f"{joined} AND {more}", [*values, *extra]
        return [
            r
            for (r,) in c.execute(
                f"SELECT c.rowid FROM chunk AS c JOIN source AS s ON s.rowid = c.source WHERE {joined} "
                "AND c.rowid BETWEEN ? AND ? ORDER BY c.time, c.id LIMIT ?",
                (*values, low, high, k),
            )
        ]

    def allowed(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        c = self.db.reader()
        own = self._own(c, refs)
        if not where:
            return set(own)
        joined, values = condition(where)
        return {
            r
            for (r,) in c.execute(
                "SELECT c.rowid FROM json_each(?) AS j CROSS JOIN chunk AS c ON c.rowid = j.value "
                f"JOIN source AS s ON s.rowid = c.source WHERE {joined}",
                (to_json(own), *values),
            )
        }

    def find_names(self, keys: Iterable[str], where: Filter) -> list[KnownName]:
        with self.db.snapshot():
            return self._find_names(self.db.reader(), keys, where)

    def _find_names(self, c: Connection, keys: Iterable[str], where: Filter) -> list[KnownName]:
        rows = self._entity_rows(c, keys)
        forms = self._forms(list(rows.values()))
        found = []
        for key, row in rows.items():
            entity_id, count, owned = c.execute(
                "SELECT id, chunk_count, own_count FROM entity WHERE rowid = ?", (row,)
            ).fetchone()
            own: list[Ref] = []
            if owned:
                joined, values = _through("e.chunk", where)
                own = [
                    r
                    for (r,) in c.execute(
                        f"SELECT e.chunk FROM edge AS e {joined} AND e.entity = ? AND e.own "
                        "ORDER BY e.weight DESC, e.chunk LIMIT ?",
                        (*values, row, _OWN_PAGES),
                    )
                ]
            found.append(KnownName(row, entity_id, key, forms[row][0], forms[row][1], count, tuple(own)))
        return found

    def cosines(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Cosines]:
        return cosines_of(self._packed(refs), vector)

    def candidates(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Candidate]:
        c = self.db.reader()
        rows = c.execute(
            "SELECT c.rowid, v.vectors, c.terms, substr(c.text, -?), c.time, a.rowid FROM json_each(?) AS j "
            "CROSS JOIN chunk AS c ON c.rowid = j.value JOIN sentence AS v ON v.chunk = c.rowid "
            "LEFT JOIN chunk AS a ON a.source = c.source AND a.ordinal = c.ordinal + 1",
            (ENDING, to_json(self._own(c, refs))),
        ).fetchall()
        cosines = cosines_of({row: vectors for row, vectors, *_ in rows}, vector)
        return {
            row: Candidate(cosines[row], words, ending, from_micros(time), after)
            for row, _, words, ending, time, after in rows
        }

    def chunk_vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        encoder = self._encoder(self.db.reader())
        return own_vectors(self._packed(refs), encoder.dimension) if encoder else {}

    def _packed(self, refs: Sequence[Ref]) -> dict[Ref, bytes]:
        """The codes of each chunk's own vector and of its sentences'."""
        c = self.db.reader()
        return dict(
            c.execute(
                "SELECT chunk, vectors FROM sentence WHERE chunk IN (SELECT value FROM json_each(?))",
                (to_json(self._own(c, refs)),),
            )
        )

    def mentions_of(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> list[MentionAt]:
        c = self.db.reader()
        joined, values = _through("e.chunk", where)
        found = []
        for entity in self._own(c, entities):
            found += [
                MentionAt(chunk, entity, sentence)
                for chunk, sentence in c.execute(
                    "SELECT DISTINCT e.chunk, m.sentence FROM edge AS e INDEXED BY edge_entity "
                    f"JOIN mention AS m ON m.entity = e.entity AND m.chunk = e.chunk {joined} "
                    "AND e.entity = ? ORDER BY e.weight DESC, e.chunk, m.sentence LIMIT ?",
                    (*values, entity, per_entity),
                )
            ]
        return found

    def mentions_in(self, chunks: Sequence[Ref]) -> list[MentionAt]:
        c = self.db.reader()
        return [
            MentionAt(*row)
            for row in c.execute(
                "SELECT DISTINCT m.chunk, m.entity, m.sentence FROM json_each(?) AS j "
                "CROSS JOIN mention AS m ON m.chunk = j.value",
                (to_json(self._own(c, chunks)),),
            )
        ]

    def entities_in(self, sentences: Sequence[tuple[Ref, int]]) -> list[MentionAt]:
        wanted = set(sentences)
        found = self.mentions_in(list({chunk for chunk, _ in sentences}))
        return [m for m in found if (m.chunk, m.sentence) in wanted]

    def entity_edges(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> Edges:
        c = self.db.reader()
        joined, values = _through("e.chunk", where)
        return _edges(
            [
                row
                for entity in self._own(c, entities)
                for row in c.execute(
                    f"SELECT e.entity, e.chunk, e.weight FROM edge AS e INDEXED BY edge_entity {joined} "
                    "AND e.entity = ? ORDER BY e.weight DESC, e.chunk LIMIT ?",
                    (*values, entity, per_entity),
                )
            ]
        )

    def chunk_edges(self, chunks: Sequence[Ref]) -> Edges:
        c = self.db.reader()
        return _edges(
            c.execute(
                "SELECT e.chunk, e.entity, e.weight FROM json_each(?) AS j CROSS JOIN edge AS e ON e.chunk = j.value",
                (to_json(self._own(c, chunks)),),
            ).fetchall()
        )

    def next_edges(self, chunks: Sequence[Ref]) -> Edges:
        c = self.db.reader()
        rows = c.execute(
            "SELECT a.rowid, b.rowid, s.kind = 'conversation' FROM json_each(?) AS j "
            "CROSS JOIN chunk AS a ON a.rowid = j.value JOIN source AS s ON s.rowid = a.source "
            "JOIN chunk AS b ON b.source = a.source AND b.ordinal IN (a.ordinal - 1, a.ordinal + 1) "
            "AND (a.time IS NULL OR b.time IS NULL OR abs(a.time - b.time) <= ?)",
            (to_json(self._own(c, chunks)), TALK_GAP * 1_000_000),
        )
        return _edges([(a, b, next_weight(talk)) for a, b, talk in rows])

    def entity_info(self, entities: Sequence[Ref]) -> dict[Ref, EntityInfo]:
        c = self.db.reader()
        return {
            row: EntityInfo(count, bool(own), key)
            for row, count, own, key in c.execute(
                "SELECT rowid, chunk_count, own_count, key FROM entity WHERE rowid IN (SELECT value FROM json_each(?))",
                (to_json(self._own(c, entities)),),
            )
        }


def _through(chunk: str, where: Filter) -> tuple[str, list[object]]:
    """A join that lets only chunks through that the filter allows, ended by an open WHERE."""
    if not where:
        return "WHERE 1", []
    joined, values = condition(where)
    return f"JOIN chunk AS c ON c.rowid = {chunk} JOIN source AS s ON s.rowid = c.source WHERE {joined}", values


def _edges(rows: Sequence[tuple[Ref, Ref, float]]) -> Edges:
    if not rows:
        return NO_EDGES
    left, right, weight = zip(*rows, strict=True)
    return Edges(np.array(left), np.array(right), np.array(weight, np.float64))
