"""Giving sources back as they were put."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from kgmem.model import EntityType, Fact, PreparedSource, Vectors
from kgmem.store.codec import unpack_text, unpack_turns, unpack_unit
from kgmem.store.export import Spot, titles_and_mentions
from kgmem.store.sqlite.browse import Browser
from kgmem.store.sqlite.connection import Connection


class Exporter(Browser):
    def prepared(self) -> Iterator[PreparedSource]:
        c = self.db.reader()
        after = self._range(c)[0] - 1
        while True:
            with self.db.snapshot():
                row = c.execute(
                    "SELECT rowid, id FROM source WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT 1",
                    (after, self._range(c)[1]),
                ).fetchone()
                if row is None:
                    return
                after = row[0]
                prepared = self._prepared(c, *row)
            yield prepared

    def _prepared(self, c: Connection, source_row: int, source_id: str) -> PreparedSource:
        source = self.source(source_id)
        assert source is not None
        text, pages, turns = c.execute(
            "SELECT text, pages, turns FROM source WHERE rowid = ?", (source_row,)
        ).fetchone()
        stored = self.source_chunks(source_id, limit=1 << 40)
        terms = [t for (t,) in c.execute("SELECT terms FROM chunk WHERE source = ? ORDER BY ordinal", (source_row,))]
        encoder = self._encoder(c)
        assert encoder is not None
        exact, of_sentences = self._vectors(c, source_row, encoder.dimension)
        spots, own = self._spots(c, source_row)
        forms: dict[str, dict[tuple[str, EntityType], int]] = defaultdict(dict)
        for key, surface, kind, count in c.execute(
            "SELECT e.key, f.surface, f.type, f.count FROM form AS f JOIN entity AS e ON e.rowid = f.entity "
            "WHERE f.source = ?",
            (source_row,),
        ):
            forms[key][surface, kind] = count
        titles, mentions = titles_and_mentions(spots, forms, own)
        return PreparedSource(
            source,
            unpack_text(text),
            [s.chunk for s in stored],
            exact,
            of_sentences,
            terms,
            mentions,
            self._facts_of(c, source_row),
            titles,
            tuple(json.loads(pages)),
            unpack_turns(turns),
        )

    @staticmethod
    def _vectors(c: Connection, source_row: int, dimension: int) -> tuple[Vectors, list[Vectors]]:
        exact, of_sentences = [], []
        for vector, packed in c.execute(
            "SELECT (SELECT embedding FROM vector WHERE vector.rowid = c.rowid), n.vectors FROM chunk AS c "
            "JOIN sentence AS n ON n.chunk = c.rowid WHERE c.source = ? ORDER BY c.ordinal",
            (source_row,),
        ):
            exact.append(np.frombuffer(vector, np.float32) if vector else np.zeros(dimension, np.float32))
            of_sentences.append(unpack_unit(packed, dimension)[1:])
        return (np.stack(exact) if exact else np.zeros((0, dimension), np.float32)), of_sentences

    @staticmethod
    def _spots(c: Connection, source_row: int) -> tuple[list[Spot], list[str]]:
        """What the source itself recognises, and the keys of entities whose own page it is."""
        spots = [
            Spot(ordinal, sentence, start, end, text[start:end], key, origin)
            for ordinal, sentence, start, end, text, key, origin in c.execute(
                'SELECT c.ordinal, m.sentence, m.start, m."end", c.text, e.key, m.origin FROM chunk AS c '
                "JOIN mention AS m ON m.chunk = c.rowid JOIN entity AS e ON e.rowid = m.entity "
                "WHERE c.source = ? AND m.origin <> 'gazetteer' ORDER BY c.ordinal, m.start, m.\"end\", e.key",
                (source_row,),
            )
        ]
        own = c.execute(
            "SELECT DISTINCT e.key FROM chunk AS c JOIN edge AS d ON d.chunk = c.rowid AND d.own "
            "JOIN entity AS e ON e.rowid = d.entity WHERE c.source = ? ORDER BY e.key",
            (source_row,),
        )
        return spots, [key for (key,) in own]

    @staticmethod
    def _facts_of(c: Connection, source_row: int) -> list[Fact]:
        rows: list[Any] = c.execute(
            "SELECT c.ordinal, f.sentence, f.subject, f.predicate, f.objects, f.confidence, f.negated, a.key, b.key "
            "FROM chunk AS c JOIN fact AS f ON f.chunk = c.rowid LEFT JOIN entity AS a ON a.rowid = f.subject_entity "
            "LEFT JOIN entity AS b ON b.rowid = f.object_entity WHERE c.source = ? ORDER BY f.rowid",
            (source_row,),
        ).fetchall()
        return [Fact(r[0], r[1], r[2], r[3], tuple(json.loads(r[4])), r[5], bool(r[6]), r[7], r[8]) for r in rows]
