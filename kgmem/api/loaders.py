"""Look-ups by id, gathered: what one tick of the event loop asks for goes to the store in one thread call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from strawberry.dataloader import DataLoader

from kgmem.model import Entity, Source
from kgmem.store.contract import Store, StoredChunk

K = TypeVar("K")
V = TypeVar("V")


class Read(Protocol):
    """Runs work on the store in a thread (`kgmem.api.context.Context.read`)."""

    def __call__(self, work: Callable[[Store], Any]) -> Awaitable[Any]: ...


class Loaders:
    """One operation's loaders. Each gives None for an id that is not there."""

    def __init__(self, read: Read) -> None:
        def together(find: Callable[[Store, Sequence[K]], list[V]]) -> DataLoader[K, V]:
            async def load(keys: list[K]) -> Sequence[V]:
                found: Sequence[V] = await read(lambda store: find(store, keys))
                return found

            return DataLoader(load, max_batch_size=100)

        def gathered(find: Callable[[Store, K], V]) -> DataLoader[K, V]:
            return together(lambda store, keys: [find(store, key) for key in keys])

        self.source: DataLoader[str, Source | None] = gathered(lambda store, key: store.source(key))
        self.chunk: DataLoader[str, StoredChunk | None] = gathered(lambda store, key: store.chunk(key))
        self.entity: DataLoader[str, Entity | None] = gathered(lambda store, key: store.entity(key))
        self.text: DataLoader[str, str | None] = gathered(lambda store, key: store.text(key))
        self.around: DataLoader[tuple[str, int, int], list[StoredChunk]] = together(_around)
        self.chunk_entities: DataLoader[str, list[Entity]] = together(_entities_of)

    def clear(self) -> None:
        for loader in (self.source, self.chunk, self.entity, self.text, self.around, self.chunk_entities):
            loader.clear_all()


def _around(store: Store, keys: Sequence[tuple[str, int, int]]) -> list[list[StoredChunk]]:
    """The neighbours of each (chunk, how many before, how many after); one reading for each pair of numbers."""
    by_span: dict[tuple[int, int], list[str]] = {}
    for chunk_id, *span in keys:
        by_span.setdefault((span[0], span[1]), []).append(chunk_id)
    found = {span: store.neighbours(ids, *span) for span, ids in by_span.items()}
    return [found[before, after].get(chunk_id, []) for chunk_id, before, after in keys]


def _entities_of(store: Store, chunk_ids: Sequence[str]) -> list[list[Entity]]:
    """The entities that each chunk names, in the order of their first sentence."""
    with store.snapshot():
        refs = [stored.ref if (stored := store.chunk(key)) else None for key in chunk_ids]
        mentions = sorted(store.mentions_in([ref for ref in refs if ref is not None]), key=lambda m: m.sentence)
        named = store.entity_names(list({mention.entity for mention in mentions}))
    found: dict[object, dict[object, Entity]] = {}
    for mention in mentions:
        if mention.entity in named:
            found.setdefault(mention.chunk, {})[mention.entity] = named[mention.entity]
    return [list(found.get(ref, {}).values()) for ref in refs]
