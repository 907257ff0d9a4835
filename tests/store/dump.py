"""The whole of a namespace as plain values, read through the contract alone, the engine's own handles left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from kgmem.model import Filter, Ref
from kgmem.store.contract import Edges, Store, StoredChunk

Row = TypeVar("Row")
NO_FILTER = Filter()


def paged(read: Callable[..., list[Row]], key: Callable[[Row], Any], limit: int = 100, **values: Any) -> list[Row]:
    """Every row of a keyset-paged reading."""
    rows: list[Row] = []
    while page := read(limit=limit, **values, **({"after": key(rows[-1])} if rows else {})):
        rows += page
    return rows


def all_chunks(store: Store) -> Iterator[StoredChunk]:
    for source in paged(store.sources, lambda s: s.id):
        yield from paged(lambda **kw: store.source_chunks(source.id, **kw), lambda c: c.chunk.ordinal)  # noqa: B023


def refs(store: Store) -> dict[str, Ref]:
    """The handle of every chunk and every entity that a chunk is joined to, by id."""
    chunks = {c.chunk.id: c.ref for c in all_chunks(store)}
    entities = store.entity_names(sorted(set(store.chunk_edges(list(chunks.values())).right.tolist())))
    return chunks | {entity.id: ref for ref, entity in entities.items()}


def dump(store: Store) -> dict[str, Any]:
    with store.snapshot():
        return _dump(store)


def _dump(store: Store) -> dict[str, Any]:
    stored = list(all_chunks(store))
    chunk_ids = {c.ref: c.chunk.id for c in stored}
    chunk_refs = list(chunk_ids)
    edges = store.chunk_edges(chunk_refs)
    entities = store.entity_names(sorted(set(edges.right.tolist())))
    entity_ids = {ref: entity.id for ref, entity in entities.items()}
    entity_refs = list(entity_ids)
    return {
        "sources": [_without_time(asdict(s)) for s in paged(store.sources, lambda s: s.id)],
        "texts": {s.id: store.text(s.id) for s in paged(store.sources, lambda s: s.id)},
        "chunks": [asdict(c.chunk) for c in stored],
        "vectors": {
            chunk.id: (vector.tolist(), of_sentences.tolist())
            for p in store.prepared()
            for chunk, vector, of_sentences in zip(p.chunks, p.vectors, p.sentence_vectors, strict=True)
        },
        "entities": paged(store.entities, lambda e: e.id),
        "mentions": sorted(
            (chunk_ids[m.chunk], m.sentence, entity_ids[m.entity]) for m in store.mentions_in(chunk_refs)
        ),
        "edges": _sorted(edges, chunk_ids, entity_ids),
        "edges of entities": _sorted(store.entity_edges(entity_refs, 1_000_000, NO_FILTER), entity_ids, chunk_ids),
        "next": _sorted(store.next_edges(chunk_refs), chunk_ids, chunk_ids),
        "info": {entity_ids[r]: info for r, info in store.entity_info(entity_refs).items()},
        "facts": [asdict(f) for f in paged(store.facts, lambda f: f.id)],
        "counts": asdict(store.counts()),
    }


def _sorted(edges: Edges, left: dict[Ref, str], right: dict[Ref, str]) -> Sequence[tuple[str, str, float]]:
    rows = zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True)
    return sorted((left[a], right[b], w) for a, b, w in rows)


def _without_time(source: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in source.items() if k != "ingested_at"}
