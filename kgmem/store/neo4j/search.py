"""Reading for search: the three indexes, and pieces of the graph as arrays.

What may be many rows comes as one record of parallel lists, which costs the
driver a fortieth. What goes while it is read has null for its values and is
left out: by the statements, since lists that leave out nulls are not parallel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from kgmem.graph import TALK_GAP, edge_weight, next_weight
from kgmem.model import Filter, Floats, Ref, Vectors
from kgmem.store.codec import from_micros
from kgmem.store.contract import ENDING, NO_EDGES, Candidate, Cosines, Edges, EntityInfo, KnownName, MentionAt
from kgmem.store.handles import NAMESPACE_BITS, NOWHERE
from kgmem.store.neo4j.lucene import any_term
from kgmem.store.neo4j.nearest import MAX_K, VectorSearcher
from kgmem.store.packed import cosines_of, own_vectors

_OWN_PAGES = 20
_LUCENE_SHARE = 2.2
_OWN_RANK = -edge_weight(0, True)
"""The lightest chunk of an own page ranks here, so that the lighter ones need not be looked at."""


class Searcher(VectorSearcher):
    def term_search(self, terms: Sequence[str], k: int, where: Filter) -> list[tuple[Ref, float]]:
        low, high = self._range()
        queries = any_term(low >> NAMESPACE_BITS, terms)
        if not queries or k < 1 or (low, high) == NOWHERE:
            return []
        k = min(k, MAX_K)
        # What a filter leaves out, or another part of a long question adds to, is not known before all are looked at.
        options = {} if where or len(queries) > 1 else {"limit": k}
        found = self.db.read("worded_chunks", where, namespace=self.namespace, queries=queries, options=options, k=k)
        return list(zip(*found[0], strict=True))

    def rarity(self, weights: Floats) -> Floats:
        # Lucene has ln(1 + (N - n + ½) / (n + ½)) for it, and leaves the constant k1 + 1 out of the share.
        held = weights * _LUCENE_SHARE
        rarity: Floats = np.log(np.maximum(np.expm1(held), 1.0))
        return rarity

    def time_search(self, since: datetime, until: datetime, k: int, where: Filter) -> list[Ref]:
        bounds = {"from": since.astimezone(UTC), "to": until.astimezone(UTC)}
        refs: list[Ref] = self.db.read("dated_chunks", where, namespace=self.namespace, k=k, **bounds)[0][0]
        return refs

    def allowed(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        own = self._own(refs)
        if not where or not own:
            return set(own)
        return set(self.db.read("allowed_chunks", where, refs=own)[0][0])

    def find_names(self, keys: Iterable[str], where: Filter) -> list[KnownName]:
        return self.named(keys, (), where)

    def named(self, keys: Iterable[str], heads: Iterable[str], where: Filter) -> list[KnownName]:
        values = {"keys": list(dict.fromkeys(keys)), "heads": list(dict.fromkeys(heads))}
        if not any(values.values()):
            return []
        (names,) = self.db.read(
            "find_names", where, namespace=self.namespace, rank=_OWN_RANK, pages=_OWN_PAGES, **values
        )[0]
        return [
            KnownName(ref, id, key, name, kind, count, tuple(own))
            for ref, id, key, name, kind, count, own in names
            if None not in (ref, id, name, kind, count)
        ]

    def cosines(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Cosines]:
        return cosines_of(self._packed(refs), vector)

    def candidates(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Candidate]:
        own = self._own(refs)
        if not own:
            return {}
        found, codes, *others = self.db.read("candidates", refs=own, ending=ENDING)[0]
        cosines = cosines_of(dict(zip(found, codes, strict=True)), vector)
        return {
            ref: Candidate(cosines[ref], terms, ending, from_micros(time), after)
            for ref, terms, ending, (time, after) in zip(found, *others, strict=True)
        }

    def chunk_vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        encoder = self._encoder()
        return own_vectors(self._packed(refs), encoder.dimension) if encoder else {}

    def _packed(self, refs: Sequence[Ref]) -> dict[Ref, bytes]:
        """The codes of each chunk's own vector and of its sentences'."""
        own = self._own(refs)
        return dict(zip(*self.db.read("chunk_vectors", refs=own)[0], strict=True)) if own else {}

    def mentions_of(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> list[MentionAt]:
        own = self._own(entities)
        return self._mentions("entity_mentions", own, where, limit=per_entity) if own else []

    def mentions_in(self, chunks: Sequence[Ref]) -> list[MentionAt]:
        own = self._own(chunks)
        return self._mentions("chunk_mentions", own, Filter()) if own else []

    def _mentions(self, name: str, refs: Sequence[int], where: Filter, **values: Any) -> list[MentionAt]:
        return list(map(MentionAt, *self.db.read(name, where, refs=refs, **values)[0]))

    def entities_in(self, sentences: Sequence[tuple[Ref, int]]) -> list[MentionAt]:
        wanted = set(sentences)
        found = self.mentions_in(list({chunk for chunk, _ in sentences}))
        return [m for m in found if (m.chunk, m.sentence) in wanted]

    def entity_edges(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> Edges:
        own = self._own(entities)
        return edges_of(*self.db.read("entity_edges", where, refs=own, limit=per_entity)[0]) if own else NO_EDGES

    def chunk_edges(self, chunks: Sequence[Ref]) -> Edges:
        own = self._own(chunks)
        return edges_of(*self.db.read("chunk_edges", refs=own)[0]) if own else NO_EDGES

    def next_edges(self, chunks: Sequence[Ref]) -> Edges:
        own = self._own(chunks)
        if not own:
            return NO_EDGES
        return neighbours_of(*self.db.read("next_edges", refs=own, gap=TALK_GAP)[0])

    def entity_info(self, entities: Sequence[Ref]) -> dict[Ref, EntityInfo]:
        own = self._own(entities)
        if not own:
            return {}
        rows = zip(*self.db.read("entity_info", refs=own)[0], strict=True)
        return {ref: EntityInfo(chunk_count, own_count > 0, key) for ref, chunk_count, own_count, key in rows}


def edges_of(left: Sequence[Ref], right: Sequence[Ref], weight: Sequence[float]) -> Edges:
    return Edges(np.array(left), np.array(right), np.array(weight, np.float64)) if left else NO_EDGES


def neighbours_of(left: Sequence[Ref], right: Sequence[Ref], talks: Sequence[bool]) -> Edges:
    """Edges between chunks that stand next to each other, in a conversation or another text."""
    return edges_of(left, right, [next_weight(talk) for talk in talks])
