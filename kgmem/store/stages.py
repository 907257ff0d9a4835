"""The stages of a search put together from single readings, for an engine that a round trip costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgmem.model import Filter, Ref, Vectors
from kgmem.store.contract import Bridge, Cosines, Edges, Evidence, KnownName, MentionAt, Store


class Stages:
    """Mixed into a store; see `kgmem.store.contract.Store`."""

    def named(self: Store, keys: Iterable[str], heads: Iterable[str], where: Filter) -> list[KnownName]:
        longer = self.known_by_head(heads)
        return self.find_names(dict.fromkeys([*keys, *(key for found in longer.values() for key in found)]), where)

    def seed_sentences(
        self: Store, entities: Sequence[Ref], per_entity: int, own: Sequence[Ref], vector: Vectors, where: Filter
    ) -> tuple[list[MentionAt], dict[Ref, Cosines]]:
        mentions = self.mentions_of(entities, per_entity, where)
        return mentions, self.cosines(list(dict.fromkeys([*own, *(m.chunk for m in mentions)])), vector)

    def bridges(
        self: Store, sentences: Sequence[tuple[Ref, int]], entities: Sequence[Ref], per_entity: int, where: Filter
    ) -> tuple[list[Bridge], Edges]:
        named = self.entities_in(sentences)
        info = self.entity_info(list({m.entity for m in named}))
        bridges = [Bridge(m.chunk, m.sentence, m.entity, info[m.entity]) for m in named if m.entity in info]
        return bridges, self.entity_edges(list(dict.fromkeys([*entities, *info])), per_entity, where)

    def onward(
        self: Store, entities: Sequence[Ref], per_entity: int, chunks: Sequence[Ref], where: Filter
    ) -> tuple[list[Ref], Edges, Edges]:
        there = set(chunks)
        led = dict.fromkeys(self.entity_edges(entities, per_entity, where).right.tolist())
        new = [ref for ref in led if ref not in there]
        return new, self.chunk_edges(new), self.next_edges([*chunks, *new])

    def evidence(
        self: Store,
        chunks: Sequence[Ref],
        entities: Sequence[Ref],
        placed: Sequence[Ref],
        near: Sequence[Ref],
        vector: Vectors,
    ) -> Evidence:
        return Evidence(
            {stored.ref: stored for stored in self.chunks(chunks)},
            self.entity_names(entities),
            self.mentions_in(placed),
            self.cosines(near, vector),
        )
