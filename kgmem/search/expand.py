"""From seeds to restart mass, and the local subgraph around it. Reads the store, ranks nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from kgmem import names
from kgmem.model import Filter, Ref, Vectors
from kgmem.search.nearby import answers, led
from kgmem.search.pagerank import Subgraph, subgraph
from kgmem.store.contract import NO_EDGES, Bridge, Candidate, Cosines, Edges, KnownName, MentionAt, Store

SENTENCES_A_SEED = 64
NEAREST = 6
NEARNESS_POWER = 6
"""How much less a sentence hands on that is less near than the seed's nearest: the ratio of cosines to this power."""
MIN_COSINE = 0.4
LEAST_COSINE = 0.05
"""What a sentence of the own page that is less near than this hands on by."""
OWN_PAGE_FACTOR = 5.0
GATE_SPREAD = 5.0
OWNLESS_TRUST = 0.6
LEAST_SHARE = 0.25
"""A seed's share of the mass goes by its gate, but is no less than this part of the best seed's."""
CHUNKS_AN_ENTITY = 25
ENTITY_CHUNKS = 200
PUSH_CHUNKS = 100
PUSH_ENTITIES = 25
PUSH_EACH = 3
MAX_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Activated:
    """An entity with restart mass. `via` is the sentence (chunk, index) that led to it from `seed`; None for a seed.

    Where several did, it is the one that handed most on.
    """

    entity: Ref
    seed: Ref
    via: tuple[Ref, int] | None


@dataclass(frozen=True, slots=True)
class _Gain:
    """What an entity gained from a seed's sentences, and the one of them that handed on `best`."""

    weight: float
    best: float
    via: tuple[Ref, int]


@dataclass(frozen=True, slots=True)
class Activation:
    """Where the graph is entered: each entity's weight, and the share `gate` of mass that seeds this rare may have."""

    entities: Mapping[Ref, Activated] = field(default_factory=dict)
    reset: Mapping[Ref, float] = field(default_factory=dict)
    gate: float = 0.0


def gate(seed: KnownName) -> float:
    """How far a seed is trusted, 0–1: 1 for a name with a page of its own that no other chunk holds, less for hubs.

    Without a page a name may be any rare words.
    """
    trust = 1.0 if seed.own else OWNLESS_TRUST
    return trust / (1.0 + (seed.chunk_count - 1) / GATE_SPREAD)


def activate(store: Store, seeds: Sequence[KnownName], question: Vectors, where: Filter) -> tuple[Activation, Edges]:
    """One round: of each seed's sentences those nearest to the question hand its weight on to what they name.

    Gives each activated entity (left) with the heaviest of its chunks (right) besides.
    """
    if not seeds:
        return Activation(), NO_EDGES
    refs = [seed.ref for seed in seeds]
    own = list(dict.fromkeys(ref for seed in seeds for ref in seed.own))
    mentions, near_to = store.seed_sentences(refs, SENTENCES_A_SEED, own, question, where)
    nearest = _nearest_sentences(seeds, mentions, near_to)
    bridges, strongest = store.bridges(list(nearest), refs, CHUNKS_AN_ENTITY, where)
    counts = {seed.ref: seed.chunk_count for seed in seeds} | {b.entity: b.info.chunk_count for b in bridges}
    gained = _gained(seeds, bridges, nearest)
    gates = {seed.ref: gate(seed) for seed in seeds}
    share = max(gates.values())
    # A rare name leads further than a hub, but of two that are compared none may drown the other.
    shares = {seed: max(own_gate, LEAST_SHARE * share) for seed, own_gate in gates.items()}
    found = {ref: Activated(ref, ref, None) for ref in refs}
    mass: dict[Ref, float] = defaultdict(float)
    most: dict[Ref, float] = {}
    for seed, part in shares.items():
        rare = {seed: 1.0 / log(2 + counts[seed])}
        rare |= {entity: gain.weight / log(2 + counts[entity]) for entity, gain in gained[seed].items()}
        total = sum(rare.values()) * sum(shares.values())
        for entity, weight in rare.items():
            given = share * part * weight / total
            mass[entity] += given
            if entity not in shares and given > most.get(entity, 0.0):
                most[entity] = given
                found[entity] = Activated(entity, seed, gained[seed][entity].via)
    return Activation(found, dict(mass), share), strongest


def _gained(
    seeds: Sequence[KnownName],
    bridges: Sequence[Bridge],
    nearest: Mapping[tuple[Ref, int], Sequence[tuple[Ref, float]]],
) -> dict[Ref, dict[Ref, _Gain]]:
    """What each seed's sentences hand on to each entity that they name."""
    best_of = _best_cosines(nearest)
    known = {seed.ref for seed in seeds}
    gained: dict[Ref, dict[Ref, _Gain]] = {ref: {} for ref in known}
    for bridge in bridges:
        # "Tarzan" out of "Tarzan and the Lost City" would only lead to others of that name.
        if bridge.entity in known or any(names.is_part(bridge.info.key, seed.key) for seed in seeds):
            continue
        sentence = bridge.chunk, bridge.sentence
        for seed, cosine in nearest[sentence]:
            gain = best_of[seed] * (cosine / best_of[seed]) ** NEARNESS_POWER
            gain *= OWN_PAGE_FACTOR if bridge.info.own else 1.0
            before = gained[seed].get(bridge.entity, _Gain(0.0, 0.0, sentence))
            best, via = max((before.best, before.via), (gain, sentence), key=lambda handed: handed[0])
            gained[seed][bridge.entity] = _Gain(before.weight + gain, best, via)
    return gained


def _best_cosines(nearest: Mapping[tuple[Ref, int], Sequence[tuple[Ref, float]]]) -> dict[Ref, float]:
    """The cosine of each seed's nearest sentence."""
    best: dict[Ref, float] = defaultdict(float)
    for chosen in nearest.values():
        for seed, cosine in chosen:
            best[seed] = max(best[seed], cosine)
    return best


def _nearest_sentences(
    seeds: Sequence[KnownName], mentions: Sequence[MentionAt], near_to: Mapping[Ref, Cosines]
) -> dict[tuple[Ref, int], list[tuple[Ref, float]]]:
    """Sentences (chunk, index) near to the question, each with the seeds that chose it and its cosine."""
    by_seed: dict[Ref, list[MentionAt]] = defaultdict(list)
    for place in mentions:
        by_seed[place.entity].append(place)
    nearest: dict[tuple[Ref, int], list[tuple[Ref, float]]] = defaultdict(list)
    for seed in seeds:
        sentences = {(place.chunk, place.sentence) for place in by_seed[seed.ref]}
        sentences |= {(ref, i) for ref in seed.own if ref in near_to for i in range(len(near_to[ref].sentences))}
        scored = sorted(
            (
                (float(near_to[ref].sentences[i]), ref, i)
                for ref, i in sentences
                if ref in near_to and i < len(near_to[ref].sentences)
            ),
            key=lambda t: (-t[0], str(t[1]), t[2]),
        )
        for cosine, ref, i in scored[:NEAREST]:
            # What a page says of its own subject counts however it is worded.
            if cosine >= MIN_COSINE or ref in seed.own:
                nearest[ref, i].append((seed.ref, max(cosine, LEAST_COSINE)))
    return nearest


def local_subgraph(
    store: Store,
    core: Sequence[Ref],
    reset: Mapping[Ref, float],
    read: Mapping[Ref, Candidate],
    activation: Activation,
    strongest: Edges,
    where: Filter,
) -> Subgraph:
    """The part of the graph that a search ranks: `core` chunks, what activated entities lead to, one push outward.

    `core` is best first; `reset` is the chunks' restart mass, `strongest` what
    `activate` gave. Its size has a bound, so that the cost of a search
    does not grow with the store.
    """
    heat: dict[Ref, float] = defaultdict(float, reset)
    chunks: dict[Ref, None] = dict.fromkeys(core)
    by_weight = np.argsort(-strongest.weight, kind="stable")
    for entity, chunk, weight in zip(
        strongest.left[by_weight].tolist(),
        strongest.right[by_weight].tolist(),
        strongest.weight[by_weight].tolist(),
        strict=True,
    ):
        heat[chunk] += activation.reset.get(entity, 0.0) * weight
        if len(chunks) < len(core) + ENTITY_CHUNKS:
            chunks[chunk] = None
    near = list(answers(reset, read).values())
    if near and (where.since or where.until):
        allowed = store.allowed(near, where)
        near = [ref for ref in near if ref in allowed]
    chunks.update(dict.fromkeys(near))
    naming = store.chunk_edges(list(chunks))
    pushed, naming_pushed, following = store.onward(
        _warmest_entities(heat, naming, activation), PUSH_EACH, list(chunks), where
    )
    chunk_list = [*chunks, *pushed][:MAX_NODES]
    naming = _joined(naming, naming_pushed)
    entities = _kept_entities(naming, activation, MAX_NODES - len(chunk_list))
    return subgraph(chunk_list, entities, naming, led(following, read))


def _warmest_entities(heat: Mapping[Ref, float], naming: Edges, activation: Activation) -> list[Ref]:
    """The entities that the warmest chunks name most, beside the activated ones."""
    if not len(naming.left):
        return []
    chunks, chunk_of = np.unique(naming.left, return_inverse=True)
    entities, entity_of = np.unique(naming.right, return_inverse=True)
    warmth = np.array([heat.get(ref, 0.0) for ref in chunks.tolist()])
    if len(warmth) > PUSH_CHUNKS:
        warmth[np.argsort(-warmth, kind="stable")[PUSH_CHUNKS:]] = 0.0
    spread = warmth / np.bincount(chunk_of, naming.weight)
    share = np.bincount(entity_of, spread[chunk_of] * naming.weight)
    known = [i for i, ref in enumerate(entities.tolist()) if ref in activation.reset]
    share[known] = 0.0
    heaviest = [i for i in np.argsort(-share, kind="stable")[:PUSH_ENTITIES].tolist() if share[i] > 0]
    warmest: list[Ref] = entities[heaviest].tolist()
    return warmest


def _joined(a: Edges, b: Edges) -> Edges:
    if not len(a.left) or not len(b.left):
        return b if not len(a.left) else a
    return Edges(
        np.concatenate([a.left, b.left]), np.concatenate([a.right, b.right]), np.concatenate([a.weight, b.weight])
    )


def _kept_entities(naming: Edges, activation: Activation, room: int) -> list[Ref]:
    """Activated entities and those that most of the chunks share; one that a single chunk names carries nothing on."""
    entities, count = np.unique(naming.right, return_counts=True)
    shared = [i for i in np.argsort(-count, kind="stable").tolist() if count[i] > 1]
    kept = dict.fromkeys(activation.reset) | dict.fromkeys(entities[shared].tolist())
    return list(kept)[: max(room, 0)]
