"""The path that led to a hit: entities and the sentences that name them, from the question on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgmem.model import Entity, Ref, Step
from kgmem.search.expand import Activation
from kgmem.search.pagerank import RESTART, Floats, Subgraph
from kgmem.store.contract import ChunkData, MentionAt, Store, StoredChunk

MAX_STEPS = 4


@dataclass(frozen=True, slots=True)
class Link:
    """One step before names and texts are looked up: `entity` is named by sentence `sentence` of `chunk`."""

    entity: Ref
    chunk: Ref
    sentence: int | None


def trace(graph: Subgraph, mass: Floats, activation: Activation, chunk: Ref) -> list[Link]:
    """Where the mass of `chunk` came from, the question's entity first. Empty where no entity led there."""
    at = {ref: i for i, ref in enumerate(graph.chunks)}
    count = len(graph.chunks)
    links: list[Link] = []
    here: Ref | None = chunk
    seen: set[int] = set()
    while here is not None and len(links) < MAX_STEPS:
        entity = _main_inflow(graph, mass, at[here], seen, count, graph.weights.shape[0])
        if entity is None:
            return []
        seen.add(entity)
        ref = graph.entities[entity - count]
        links.append(Link(ref, here, None))
        activated = activation.entities.get(ref)
        if activated is not None:
            if activated.via is not None and activated.via[0] != here:
                links.append(Link(activated.seed, *activated.via))
            elif activated.via is not None:
                links[-1] = Link(activated.seed, *activated.via)
            return links[::-1]
        source = _main_inflow(graph, mass, entity, seen | {at[here]}, 0, count)
        if source is None:
            return []
        seen.add(at[here])
        here = graph.chunks[source]
    return []


def _main_inflow(graph: Subgraph, mass: Floats, node: int, seen: set[int], low: int, high: int) -> int | None:
    """The neighbour within [low, high) from which most of the node's mass came."""
    row = graph.weights.getrow(node)
    best, best_flow = None, 0.0
    for neighbour, weight in zip(row.indices, row.data, strict=True):
        if low <= neighbour < high and neighbour not in seen and graph.degree[neighbour] > 0:
            flow = (1 - RESTART) * mass[neighbour] * weight / graph.degree[neighbour]
            if flow > best_flow:
                best, best_flow = int(neighbour), flow
    return best


def steps(
    store: Store,
    paths: Sequence[Sequence[Link]],
    question: Floats,
    data: Mapping[Ref, ChunkData],
) -> list[tuple[Step, ...]]:
    """Each path with its names and sentences. Where a chunk names an entity more than once, the sentence nearest to
    the question is shown."""
    links = [link for path in paths for link in path]
    chunks = list(dict.fromkeys(link.chunk for link in links))
    stored = {found.ref: found for found in store.chunks(chunks)}
    named = store.entity_names(list(dict.fromkeys(link.entity for link in links)))
    vectors = dict(data)
    missing = [ref for ref in chunks if ref not in vectors]
    if missing:
        vectors |= store.chunk_data(missing)
    places: dict[tuple[Ref, Ref], list[int]] = {}
    for mention in store.mentions_in(chunks):
        places.setdefault((mention.chunk, mention.entity), []).append(mention.sentence)
    return [
        tuple(step for link in path if (step := _step(link, stored, named, vectors, places, question)) is not None)
        for path in paths
    ]


def _step(
    link: Link,
    stored: Mapping[Ref, StoredChunk],
    named: Mapping[Ref, Entity],
    data: Mapping[Ref, ChunkData],
    places: Mapping[tuple[Ref, Ref], list[int]],
    question: Floats,
) -> Step | None:
    found, entity = stored.get(link.chunk), named.get(link.entity)
    if found is None or entity is None:
        return None
    sentences = found.chunk.sentences
    index = link.sentence
    if index is None:
        naming = places.get((link.chunk, link.entity)) or list(range(len(sentences)))
        vectors = data[link.chunk].sentence_vectors if link.chunk in data else np.zeros((0, len(question)))
        index = max(naming, key=lambda i: float(vectors[i] @ question) if i < len(vectors) else -1.0, default=0)
    start, end = sentences[index] if index < len(sentences) else (0, len(found.chunk.text))
    return Step(
        entity.name, entity.id, found.chunk.id, found.source.id, found.source.title, found.chunk.text[start:end]
    )


__all__ = ["Link", "MentionAt", "steps", "trace"]
