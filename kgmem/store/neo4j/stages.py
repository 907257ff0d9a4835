"""The stages of a search, each in one round trip."""

from __future__ import annotations

from collections.abc import Sequence

from kgmem.graph import TALK_GAP
from kgmem.model import Filter, Ref, Vectors
from kgmem.store.contract import NO_EDGES, Bridge, Cosines, Edges, EntityInfo, Evidence, MentionAt
from kgmem.store.neo4j.browse import entities_of, stored_chunks
from kgmem.store.neo4j.search import Searcher, edges_of, neighbours_of
from kgmem.store.packed import cosines_of


class StageReader(Searcher):
    def seed_sentences(
        self, entities: Sequence[Ref], per_entity: int, own: Sequence[Ref], vector: Vectors, where: Filter
    ) -> tuple[list[MentionAt], dict[Ref, Cosines]]:
        values = {"refs": self._own(entities), "own": self._own(own)}
        if not any(values.values()):
            return [], {}
        chunks, named, sentences, refs, codes = self.db.read("seed_sentences", where, limit=per_entity, **values)[0]
        mentions = list(map(MentionAt, chunks, named, sentences))
        return mentions, cosines_of(dict(zip(refs, codes, strict=True)), vector)

    def bridges(
        self, sentences: Sequence[tuple[Ref, int]], entities: Sequence[Ref], per_entity: int, where: Filter
    ) -> tuple[list[Bridge], Edges]:
        own = set(self._own(chunk for chunk, _ in sentences))
        places = [[chunk, sentence] for chunk, sentence in dict.fromkeys(sentences) if chunk in own]
        refs = self._own(entities)
        if not places and not refs:
            return [], NO_EDGES
        bridges, *edges = self.db.read("bridges", where, sentences=places, refs=refs, limit=per_entity)[0]
        named = [Bridge(at, i, entity, EntityInfo(n, own > 0, key)) for at, i, entity, n, own, key in bridges]
        return named, edges_of(*edges)

    def onward(
        self, entities: Sequence[Ref], per_entity: int, chunks: Sequence[Ref], where: Filter
    ) -> tuple[list[Ref], Edges, Edges]:
        values = {"refs": self._own(entities), "known": self._own(chunks)}
        if not any(values.values()):
            return [], NO_EDGES, NO_EDGES
        new, left, right, weights, *beside = self.db.read("onward", where, limit=per_entity, gap=TALK_GAP, **values)[0]
        return new, edges_of(left, right, weights), neighbours_of(*beside)

    def evidence(
        self,
        chunks: Sequence[Ref],
        entities: Sequence[Ref],
        placed: Sequence[Ref],
        near: Sequence[Ref],
        vector: Vectors,
    ) -> Evidence:
        wanted = {"chunks": chunks, "entities": entities, "placed": placed, "near": near}
        values = {name: self._own(refs) for name, refs in wanted.items()}
        if not any(values.values()):
            return Evidence({}, {}, [], {})
        rows, sources, named, places, refs, codes = self.db.read("evidence", Filter(), **values)[0]
        return Evidence(
            stored_chunks(rows, sources),
            entities_of(named),
            [MentionAt(*place) for place in places],
            cosines_of(dict(zip(refs, codes, strict=True)), vector),
        )
