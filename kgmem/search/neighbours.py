"""What stands before and after each hit in its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgmem.model import Chunk, Hit
from kgmem.store.contract import Store


def with_neighbours(store: Store, hits: Sequence[Hit], count: int) -> list[Hit]:
    """The hits, each with up to `count` chunks before and after it, whatever a filter says of those."""
    if not count or not hits:
        return list(hits)
    around = store.neighbours([hit.chunk.id for hit in hits], count, count)
    return [_beside(hit, [stored.chunk for stored in around.get(hit.chunk.id, ())]) for hit in hits]


def _beside(hit: Hit, around: Sequence[Chunk]) -> Hit:
    here = hit.chunk.ordinal
    return replace(
        hit,
        before=tuple(chunk for chunk in around if chunk.ordinal < here),
        after=tuple(chunk for chunk in around if chunk.ordinal > here),
    )
