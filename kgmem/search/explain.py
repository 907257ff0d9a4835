"""The path that led to a hit: entities and the sentences that name them, from the question on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from kgmem.model import Entity, Ref, Step, Vectors
from kgmem.search.expand import Activation
from kgmem.search.pagerank import RESTART, Floats, Subgraph
from kgmem.store.contract import Cosines, Store, StoredChunk

MAX_STEPS = 4
NO_COSINES = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Link:
    """One step before names and texts are looked up: `entity` is named by sentence `sentence` of `chunk`."""

    entity: Ref
    chunk: Ref
    sentence: int | None


def trace(graph: Subgraph, mass: Floats, activation: Activation, at: Mapping[Ref, int], chunk: Ref) -> list[Link]:
    """Where the mass of `chunk` came from, the question's entity first. Empty where no entity led there.

    `at` is each chunk's place in the graph.
    """
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
    first, last = graph.weights.indptr[node], graph.weights.indptr[node + 1]
    neighbours = graph.weights.indices[first:last]
    degree = graph.degree[neighbours]
    flow = np.where(
        (neighbours >= low) & (neighbours < high) & (degree > 0),
        (1 - RESTART) * mass[neighbours] * graph.weights.data[first:last] / np.maximum(degree, 1e-12),
        0.0,
    )
    for i in np.argsort(-flow, kind="stable").tolist():
        if flow[i] <= 0:
            return None
        if int(neighbours[i]) not in seen:
            return int(neighbours[i])
    return None


def read_paths(
    store: Store,
    hits: Sequence[Ref],
    traced: Mapping[Ref, Sequence[Link]],
    question: Vectors,
    cosines: Mapping[Ref, Cosines],
) -> tuple[dict[Ref, StoredChunk], dict[Ref, tuple[Step, ...]]]:
    """The hits' chunks, and each one's path with its names and sentences. `cosines` is what is known already.

    On the way a sentence that names both its entity and the next one is shown,
    and where none does, one for each. At the end it is the sentence nearest to
    the question.
    """
    links = [link for path in traced.values() for link in path]
    chunks = list(dict.fromkeys(link.chunk for link in links))
    missing = [ref for ref in chunks if ref not in cosines]
    entities = list(dict.fromkeys(link.entity for link in links))
    found = store.evidence(list(dict.fromkeys([*hits, *chunks])), entities, chunks, missing, question)
    near = {**cosines, **found.cosines}
    places: dict[tuple[Ref, Ref], set[int]] = {}
    for mention in found.mentions:
        places.setdefault((mention.chunk, mention.entity), set()).add(mention.sentence)
    stored, named = found.chunks, found.entities
    return stored, {
        ref: tuple(
            _step(stored[link.chunk], named[link.entity], link.sentence)
            for link in _placed(path, places, near)
            if link.chunk in stored and link.entity in named
        )
        for ref, path in traced.items()
    }


def _placed(
    path: Sequence[Link], places: Mapping[tuple[Ref, Ref], set[int]], cosines: Mapping[Ref, Cosines]
) -> Iterator[Link]:
    """The path with a sentence for each step."""
    for link, following in zip_longest(path, path[1:]):
        near = cosines[link.chunk].sentences if link.chunk in cosines else NO_COSINES
        here = places.get((link.chunk, link.entity), set())
        if following is None:
            # The end may be a chunk of the entity's own page, whose sentences need not name it.
            chosen = link.sentence if link.sentence is not None else _nearest(here, near)
            yield Link(link.entity, link.chunk, chosen)
            continue
        onward = places.get((link.chunk, following.entity), set())
        if link.sentence is not None and (not onward or link.sentence in onward):
            yield link
        elif here & onward:
            yield Link(link.entity, link.chunk, _nearest(here & onward, near))
        else:
            yield Link(link.entity, link.chunk, _nearest(here, near))
            if onward:
                yield Link(following.entity, link.chunk, _nearest(onward, near))


def _nearest(sentences: set[int], cosine: NDArray[np.float32]) -> int:
    """Of these sentences, or of all where there are none, the one nearest to the question."""
    among = sorted(sentences) or list(range(len(cosine)))
    return max(among, key=lambda i: float(cosine[i]) if i < len(cosine) else -1.0, default=0)


def _step(found: StoredChunk, entity: Entity, index: int | None) -> Step:
    sentences = found.chunk.sentences
    start, end = sentences[index] if index is not None and index < len(sentences) else (0, len(found.chunk.text))
    return Step(
        entity.name, entity.id, found.chunk.id, found.source.id, found.source.title, found.chunk.text[start:end]
    )


__all__ = ["Link", "read_paths", "trace"]
