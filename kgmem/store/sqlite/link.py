"""Linking names known from elsewhere: which chunks are to be searched, and writing what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kgmem import graph
from kgmem.ids import to_json
from kgmem.model import Ref
from kgmem.store.contract import Link, PendingChunk
from kgmem.store.handles import NOWHERE
from kgmem.store.sqlite.base import Base
from kgmem.store.sqlite.codec import unpack_spans
from kgmem.store.sqlite.connection import Connection
from kgmem.store.sqlite.search import match_any
from kgmem.store.sqlite.write import add_to_entities, take_rows
from kgmem.terms import spelled

_SCAN_INSTEAD = 4
"""Seeking a name costs about a quarter of searching a chunk again, so many names against few chunks mark them all."""


class Linker(Base):
    def pending_names(self, limit: int) -> list[str]:
        c = self.db.reader()
        low, high = self._range(c)
        return [
            key
            for (key,) in c.execute(
                "SELECT e.key FROM pending_name AS p CROSS JOIN entity AS e ON e.rowid = p.entity "
                "WHERE p.entity BETWEEN ? AND ? LIMIT ?",
                (low, high, limit),
            )
        ]

    def seek_names(self, keys: Sequence[str]) -> int:
        with self.db.write() as c:
            low, high = self._range(c)
            if (low, high) == NOWHERE:
                return 0
            before = _pending(c, low, high)
            searched = c.execute("SELECT count(*) FROM chunk WHERE rowid BETWEEN ? AND ?", (low, high)).fetchone()[0]
            # Chunks that are pending already are marked anew too: another process may be searching them right now.
            mark = take_rows(c, low, "mark", 1)
            if len(keys) > _SCAN_INSTEAD * (searched - before):
                c.execute(
                    "INSERT OR REPLACE INTO pending_chunk SELECT rowid, ? FROM chunk WHERE rowid BETWEEN ? AND ?",
                    (mark, low, high),
                )
            else:
                for key in keys:
                    self._seek(c, low, high, mark, key)
            rows = self._entity_rows(c, keys)
            c.executemany("DELETE FROM pending_name WHERE entity = ?", ((row,) for row in rows.values()))
            return _pending(c, low, high) - before

    @staticmethod
    def _seek(c: Connection, low: int, high: int, mark: int, key: str) -> None:
        words = spelled(key)
        if words and "\0" not in key:
            c.execute(
                "INSERT OR REPLACE INTO pending_chunk SELECT rowid, ? FROM chunk_terms "
                "WHERE chunk_terms MATCH ? AND rowid BETWEEN ? AND ?",
                (mark, " AND ".join(f"({match_any(forms)})" for forms in words), low, high),
            )

    def pending_chunks(self, limit: int) -> list[PendingChunk]:
        c = self.db.reader()
        with self.db.snapshot():
            low, high = self._range(c)
            rows = c.execute(
                "SELECT p.chunk, p.mark, c.text, s.spans FROM pending_chunk AS p JOIN chunk AS c ON c.rowid = p.chunk "
                "JOIN sentence AS s ON s.chunk = p.chunk WHERE p.chunk BETWEEN ? AND ? LIMIT ?",
                (low, high, limit),
            ).fetchall()
            taken: dict[int, list[tuple[int, int]]] = {row: [] for row, _, _, _ in rows}
            for chunk, start, end in c.execute(
                """SELECT m.chunk, m.start, m."end" FROM json_each(?) AS j CROSS JOIN mention AS m
                       ON m.chunk = j.value WHERE m.origin <> 'gazetteer'""",
                (to_json(list(taken)),),
            ):
                taken[chunk].append((start, end))
        return [
            PendingChunk(row, mark, text, unpack_spans(spans), tuple(taken[row])) for row, mark, text, spans in rows
        ]

    def known(self, keys: Iterable[str]) -> set[str]:
        return set(self._entity_rows(self.db.reader(), keys))

    def known_by_head(self, heads: Iterable[str]) -> dict[str, list[str]]:
        c = self.db.reader()
        low, high = self._range(c)
        found: dict[str, list[str]] = {}
        for head, key in c.execute(
            "SELECT e.head, e.key FROM json_each(?) AS j CROSS JOIN entity AS e INDEXED BY entity_head "
            "ON e.head = j.value AND e.rowid BETWEEN ? AND ?",
            (to_json(list(heads)), low, high),
        ):
            found.setdefault(head, []).append(key)
        return found

    def link(self, found: Sequence[tuple[PendingChunk, Sequence[Link]]]) -> None:
        with self.db.write() as c:
            rows = self._entity_rows(c, {link.key for _, links in found for link in links})
            marks = dict(
                c.execute(
                    "SELECT p.chunk, p.mark FROM json_each(?) AS j CROSS JOIN pending_chunk AS p ON p.chunk = j.value",
                    (to_json(self._own(c, (chunk.ref for chunk, _ in found))),),
                )
            )
            current = {chunk.ref: links for chunk, links in found if marks.get(chunk.ref) == chunk.mark}
            c.execute(
                "DELETE FROM mention WHERE origin = 'gazetteer' AND chunk IN (SELECT value FROM json_each(?))",
                (to_json(list(current)),),
            )
            c.executemany(
                "INSERT OR IGNORE INTO mention VALUES (?,?,?,?,?,'gazetteer')",
                (
                    (ref, link.start, link.end, rows[link.key], link.sentence)
                    for ref, links in current.items()
                    for link in links
                    if link.key in rows
                ),
            )
            _refresh_edges(c, current)
            c.executemany(
                "DELETE FROM pending_chunk WHERE chunk = ?",
                ((ref,) for ref, links in current.items() if all(link.key in rows for link in links)),
            )


def _pending(c: Connection, low: int, high: int) -> int:
    return int(c.execute("SELECT count(*) FROM pending_chunk WHERE chunk BETWEEN ? AND ?", (low, high)).fetchone()[0])


def _refresh_edges(c: Connection, chunks: Iterable[Ref]) -> None:
    """Make the edges of these chunks what their mentions say, and the counts of entities with them."""
    listed = to_json(list(chunks))
    old: dict[tuple[int, int], tuple[int, bool]] = {}
    for chunk, entity, mentions, own in c.execute(
        "SELECT e.chunk, e.entity, e.mentions, e.own FROM json_each(?) AS j CROSS JOIN edge AS e ON e.chunk = j.value",
        (listed,),
    ):
        old[chunk, entity] = mentions, bool(own)
    named = Counter(
        c.execute(
            "SELECT m.chunk, m.entity FROM json_each(?) AS j CROSS JOIN mention AS m ON m.chunk = j.value", (listed,)
        )
    )
    gone = [pair for pair, (_, own) in old.items() if pair not in named and not own]
    written = []
    for pair in (old.keys() | named.keys()) - set(gone):
        mentions, own = old.get(pair, (0, False))
        if named[pair] != mentions:
            written.append((*pair, named[pair], own, graph.edge_weight(named[pair], own)))
    c.executemany("DELETE FROM edge WHERE chunk = ? AND entity = ?", gone)
    c.executemany("INSERT OR REPLACE INTO edge VALUES (?,?,?,?,?)", written)
    new = named.keys() - old.keys()
    add_to_entities(c, [(entity, 0, -1) for _, entity in gone] + [(entity, 0, 1) for _, entity in new])
