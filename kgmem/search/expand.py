"""From seeds to restart mass, and the local subgraph around it. Reads the store, ranks nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np
from numpy.typing import NDArray

from kgmem.model import Filter, Ref, Vectors
from kgmem.search.pagerank import Subgraph, subgraph
from kgmem.store.contract import Edges, KnownName, MentionAt, Store

SENTENCES_A_SEED = 64
NEAREST = 2
MIN_COSINE = 0.4
OWN_PAGE_FACTOR = 3.0
GATE_SPREAD = 5.0
CHUNKS_AN_ENTITY = 50
ENTITY_CHUNKS = 1_000
PUSH_CHUNKS = 200
PUSH_ENTITIES = 50
PUSH_EACH = 3
PUSHED = 700
MAX_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Activated:
    """An entity with restart mass. `via` is the sentence (chunk, index) that led to it from `seed`; None for a seed."""

    entity: Ref
    weight: float
    seed: Ref
    via: tuple[Ref, int] | None


@dataclass(frozen=True, slots=True)
class Activation:
    """Where the graph is entered: each entity's weight, and the share `gate` of mass that seeds this rare may have."""

    entities: Mapping[Ref, Activated] = field(default_factory=dict)
    reset: Mapping[Ref, float] = field(default_factory=dict)
    gate: float = 0.0


def gate(seeds: Sequence[KnownName]) -> float:
    """How far seeds are trusted, 0–1: 1 for a name that one chunk holds, less for hubs, 0 without any."""
    return max((1.0 / (1.0 + (seed.chunk_count - 1) / GATE_SPREAD) for seed in seeds), default=0.0)


def activate(store: Store, seeds: Sequence[KnownName], question: Vectors, where: Filter) -> Activation:
    """One round: of each seed's sentences the two nearest to the question hand its weight on to what they name."""
    if not seeds:
        return Activation()
    found = {seed.ref: Activated(seed.ref, 1.0, seed.ref, None) for seed in seeds}
    places = store.mentions_of([seed.ref for seed in seeds], SENTENCES_A_SEED, where)
    by_seed: dict[Ref, list[MentionAt]] = defaultdict(list)
    for place in places:
        by_seed[place.entity].append(place)
    own = {ref for seed in seeds for ref in seed.own}
    data = store.chunk_data(list(own | {place.chunk for place in places}))
    nearest: dict[tuple[Ref, int], list[tuple[Ref, float]]] = defaultdict(list)
    for seed in seeds:
        sentences = {(place.chunk, place.sentence) for place in by_seed[seed.ref]}
        sentences |= {(ref, i) for ref in seed.own if ref in data for i in range(len(data[ref].sentence_vectors))}
        scored = sorted(
            (
                (float(data[ref].sentence_vectors[i] @ question), ref, i)
                for ref, i in sentences
                if ref in data and i < len(data[ref].sentence_vectors)
            ),
            key=lambda t: (-t[0], str(t[1]), t[2]),
        )
        for cosine, ref, i in scored[:NEAREST]:
            if cosine >= MIN_COSINE:
                nearest[ref, i].append((seed.ref, cosine))
    bridges = [m for m in store.entities_in(list(nearest)) if m.entity not in found] if nearest else []
    info = store.entity_info(list({m.entity for m in bridges} | found.keys()))
    weights: dict[Ref, float] = defaultdict(float)
    best: dict[Ref, tuple[float, Ref, tuple[Ref, int]]] = {}
    for bridge in bridges:
        sentence = bridge.chunk, bridge.sentence
        for seed_ref, cosine in nearest[sentence]:
            weights[bridge.entity] += cosine * (OWN_PAGE_FACTOR if info[bridge.entity][1] else 1.0)
            if bridge.entity not in best or cosine > best[bridge.entity][0]:
                best[bridge.entity] = cosine, seed_ref, sentence
    for entity, weight in weights.items():
        _, seed_ref, sentence = best[entity]
        found[entity] = Activated(entity, weight, seed_ref, sentence)
    share = gate(seeds)
    mass = {ref: a.weight / log(2 + info[ref][0]) for ref, a in found.items()}
    total = sum(mass.values())
    return Activation(found, {ref: share * m / total for ref, m in mass.items()}, share)


def local_subgraph(
    store: Store, core: Sequence[Ref], reset: Mapping[Ref, float], activation: Activation, where: Filter
) -> Subgraph:
    """The part of the graph that a search ranks: `core` chunks, what activated entities lead to, one push outward.

    `core` is best first; `reset` is the chunks' restart mass. Its size has a
    bound, so that the cost of a search does not grow with the store.
    """
    chunks: dict[Ref, None] = dict.fromkeys(core)
    strongest = store.entity_edges(list(activation.reset), CHUNKS_AN_ENTITY, where)
    heat: dict[Ref, float] = defaultdict(float, reset)
    for entity, chunk, weight in _by_weight(strongest):
        heat[chunk] += activation.reset[entity] * weight
        if chunk not in chunks and len(chunks) < len(core) + ENTITY_CHUNKS:
            chunks[chunk] = None
    naming = store.chunk_edges(list(chunks))
    pushed = _push(store, chunks, heat, naming, activation, where)
    if pushed:
        more = store.chunk_edges(pushed)
        naming = Edges(
            [*naming.left, *more.left], [*naming.right, *more.right], np.concatenate([naming.weight, more.weight])
        )
        chunks.update(dict.fromkeys(pushed))
    following = store.next_edges(list(chunks))
    chunk_list = list(chunks)[:MAX_NODES]
    entities = _kept_entities(naming, activation, MAX_NODES - len(chunk_list))
    degree = np.concatenate(store.degrees(chunk_list, entities))
    return subgraph(chunk_list, entities, naming, following, degree)


def _push(
    store: Store,
    chunks: Mapping[Ref, None],
    heat: Mapping[Ref, float],
    naming: Edges,
    activation: Activation,
    where: Filter,
) -> list[Ref]:
    """The strongest chunks of the entities that the warmest chunks name most."""
    warm = set(sorted(chunks, key=lambda ref: -heat.get(ref, 0.0))[:PUSH_CHUNKS])
    share: dict[Ref, float] = defaultdict(float)
    total: dict[Ref, float] = defaultdict(float)
    for chunk, weight in zip(naming.left, naming.weight, strict=True):
        total[chunk] += weight
    for chunk, entity, weight in zip(naming.left, naming.right, naming.weight, strict=True):
        if chunk in warm and entity not in activation.reset:
            share[entity] += heat.get(chunk, 0.0) * weight / total[chunk]
    heaviest = sorted((e for e in share if share[e] > 0), key=lambda e: (-share[e], str(e)))[:PUSH_ENTITIES]
    edges = store.entity_edges(heaviest, PUSH_EACH, where) if heaviest else Edges((), (), np.zeros(0))
    return list(dict.fromkeys(ref for ref in edges.right if ref not in chunks))[:PUSHED]


def _by_weight(edges: Edges) -> list[tuple[Ref, Ref, float]]:
    order: NDArray[np.int64] = np.argsort(-edges.weight, kind="stable")
    return [(edges.left[i], edges.right[i], float(edges.weight[i])) for i in order]


def _kept_entities(naming: Edges, activation: Activation, room: int) -> list[Ref]:
    """Activated entities and those that most of the chunks share; one that a single chunk names carries nothing on."""
    count: dict[Ref, int] = defaultdict(int)
    for entity in naming.right:
        count[entity] += 1
    kept = list(activation.reset)
    kept += sorted((e for e in count if e not in activation.reset and count[e] > 1), key=lambda e: -count[e])
    return kept[: max(room, 0)]
