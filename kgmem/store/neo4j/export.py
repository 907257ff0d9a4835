"""Giving sources back as they were put."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgmem.model import Chunk, Fact, PreparedSource, Vectors
from kgmem.store.codec import unpack_text, unpack_turns, unpack_unit
from kgmem.store.export import Spot, titles_and_mentions
from kgmem.store.neo4j.browse import Browser
from kgmem.store.neo4j.codec import unpack_forms

_CHUNKS = 500


class Exporter(Browser):
    def prepared(self) -> Iterator[PreparedSource]:
        first, last = self._range()
        after = first - 1
        while rows := self.db.read("next_source", namespace=self.namespace, after=after, last=last):
            after, source_id, pages, turns, text = rows[0]
            source = self.source(source_id)
            if source is None:
                continue
            terms, exact, of_sentences = self._vectors(after)
            spots, forms, own = self.db.read("source_mentions", source=after)[0]
            titles, mentions = titles_and_mentions(
                [Spot(*spot) for spot in spots], {key: unpack_forms(packed) for key, packed in forms}, sorted(own)
            )
            yield PreparedSource(
                source,
                unpack_text(text),
                self._chunks_of(source_id),
                exact,
                of_sentences,
                terms,
                mentions,
                self._facts_of(after),
                titles,
                tuple(pages),
                unpack_turns(turns),
            )

    def _chunks_of(self, source_id: str) -> list[Chunk]:
        chunks: list[Chunk] = []
        while page := self.source_chunks(source_id, after=chunks[-1].ordinal if chunks else -1, limit=_CHUNKS):
            chunks += [stored.chunk for stored in page]
        return chunks

    def _vectors(self, source: int) -> tuple[list[str], Vectors, list[Vectors]]:
        encoder = self._encoder()
        dimension = encoder.dimension if encoder else 0
        terms: list[str] = []
        exact: list[Vectors] = []
        of_sentences: list[Vectors] = []
        after = -1
        while rows := self.db.read("source_vectors", source=source, after=after, limit=_CHUNKS):
            after = rows[-1][0]
            for _, words, embedding, codes in rows:
                terms.append(words)
                exact.append(np.array(embedding, np.float32) if embedding else np.zeros(dimension, np.float32))
                of_sentences.append(unpack_unit(codes, dimension) if codes else np.zeros((0, dimension), np.float32))
        return terms, (np.stack(exact) if exact else np.zeros((0, dimension), np.float32)), of_sentences

    def _facts_of(self, source: int) -> list[Fact]:
        facts = self.db.read("source_facts", source=source)[0][0]
        return [Fact(f[0], f[1], f[2], f[3], tuple(f[4]), f[5], f[6], f[7], f[8]) for f in facts]
