"""The path that led to a hit: entities and the sentences that name them, from the question on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from kgmem.model import Chunk, Entity, Floats, Ref, Step, Vectors
from kgmem.names import entity_key
from kgmem.search.expand import Activation
from kgmem.search.pagerank import RESTART, Subgraph
from kgmem.store.contract import Cosines, Store, StoredChunk
from kgmem.terms import terms

MAX_STEPS = 4
LED_SHARE = 0.25
"""Of a hit's mass, what the question's entities must have brought for a path of several steps to be the reason."""
TELLING_TERMS = 3
"""A sentence with fewer index terms ("Hey, Ana!") is shown only where there is no other."""
NO_COSINES = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Link:
    """One step before names and texts are looked up: `entity` is named by sentence `sentence` of `chunk`."""

    entity: Ref
    chunk: Ref
    sentence: int | None


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk over the subgraph found: each node's mass, and what of it the question's entities `led` there."""

    graph: Subgraph
    activation: Activation
    mass: Floats
    led: Floats


def trace(walk: Walk, at: Mapping[Ref, int], chunk: Ref) -> list[Link]:
    """How the question's entities led to `chunk`, the first of them first. Empty where none did.

    `at` is each chunk's place in the graph. A chunk that got most of its mass
    otherwise was found by its words, or stands beside one that was: then only
    an entity of the question that it names itself is shown.
    """
    links = _inflow(walk, at, chunk)
    if len(links) > 1 and walk.led[at[chunk]] >= LED_SHARE * walk.mass[at[chunk]]:
        return links
    if len(links) == 1 and links[0].sentence is not None:
        return links
    return _names_itself(walk, at, chunk)


def _names_itself(walk: Walk, at: Mapping[Ref, int], chunk: Ref) -> list[Link]:
    """The entity of the question that the chunk names most, the one whose own page it is above all, if any."""
    graph, count = walk.graph, len(walk.graph.chunks)
    row = graph.weights[at[chunk]]
    for i in np.argsort(-row.data, kind="stable").tolist():
        node = int(row.indices[i])
        found = walk.activation.entities.get(graph.entities[node - count]) if node >= count else None
        if found is not None and found.via is None:
            return [Link(found.entity, chunk, None)]
    return []


def _inflow(walk: Walk, at: Mapping[Ref, int], chunk: Ref) -> list[Link]:
    """The greatest inflow of mass followed back from `chunk` to an entity where the graph was entered."""
    graph, mass, count = walk.graph, walk.mass, len(walk.graph.chunks)
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
        activated = walk.activation.entities.get(ref)
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
    for link in links:
        # Who speaks stands in no sentence of the turn, so each may show what was said.
        if link.chunk in stored and link.entity in named and _speaks(stored[link.chunk], named[link.entity]):
            places[link.chunk, link.entity] = set(range(len(stored[link.chunk].chunk.sentences)))

    def telling(ref: Ref, sentence: int) -> bool:
        return ref in stored and _tells(stored[ref].chunk, sentence)

    return stored, {
        ref: tuple(
            _step(stored[link.chunk], named[link.entity], link.sentence)
            for link in _placed(path, places, near, telling)
            if link.chunk in stored and link.entity in named
        )
        for ref, path in traced.items()
    }


def _placed(
    path: Sequence[Link],
    places: Mapping[tuple[Ref, Ref], set[int]],
    cosines: Mapping[Ref, Cosines],
    telling: Callable[[Ref, int], bool],
) -> Iterator[Link]:
    """The path with a sentence for each step."""
    for link, following in zip_longest(path, path[1:]):
        tells = partial(telling, link.chunk)
        near = cosines[link.chunk].sentences if link.chunk in cosines else NO_COSINES
        here = places.get((link.chunk, link.entity), set())
        if following is None:
            # The end may be a chunk of the entity's own page, whose sentences need not name it.
            chosen = link.sentence if link.sentence is not None else _nearest(here, near, tells)
            yield Link(link.entity, link.chunk, chosen)
            continue
        onward = places.get((link.chunk, following.entity), set())
        if link.sentence is not None and (not onward or link.sentence in onward):
            yield link
        elif here & onward:
            yield Link(link.entity, link.chunk, _nearest(here & onward, near, tells))
        else:
            yield Link(link.entity, link.chunk, _nearest(here, near, tells))
            if onward:
                yield Link(following.entity, link.chunk, _nearest(onward, near, tells))


def _speaks(turn: StoredChunk, entity: Entity) -> bool:
    return bool(turn.chunk.speaker) and entity_key(turn.chunk.speaker) == entity.key


def _tells(chunk: Chunk, sentence: int) -> bool:
    """Whether the sentence says something: not "Hey, Ana!", nor a label."""
    if sentence >= len(chunk.sentences):
        return False
    start, end = chunk.sentences[sentence]
    return len(terms(chunk.text[start:end])) >= TELLING_TERMS


def _nearest(sentences: set[int], cosine: NDArray[np.float32], tells: Callable[[int], bool]) -> int:
    """Of these sentences, or of all where there are none, the nearest to the question; one that tells if any does."""
    among = sorted(sentences) or list(range(len(cosine)))
    nearest = sorted(among, key=lambda i: float(cosine[i]) if i < len(cosine) else -1.0, reverse=True)
    return next((i for i in nearest if tells(i)), nearest[0] if nearest else 0)


def _step(found: StoredChunk, entity: Entity, index: int | None) -> Step:
    sentences = found.chunk.sentences
    start, end = sentences[index] if index is not None and index < len(sentences) else (0, len(found.chunk.text))
    return Step(
        entity.name, entity.id, found.chunk.id, found.source.id, found.source.title, found.chunk.text[start:end]
    )


__all__ = ["Link", "Walk", "read_paths", "trace"]
