"""Search: the arms, the graph, one ranking, and why each hit is there. The same over every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, get_args

import numpy as np

from kgmem import errors
from kgmem.ingest.encode import Encoder
from kgmem.model import Arm, ArmScore, Explanation, Filter, Floats, Hit, Ref, Vectors
from kgmem.search import explain
from kgmem.search.aliases import alias_terms
from kgmem.search.analyse import Question, analyse, find_seeds
from kgmem.search.dates import within
from kgmem.search.diversify import diversified
from kgmem.search.expand import Activation, activate, local_subgraph
from kgmem.search.neighbours import with_neighbours
from kgmem.search.options import NO_OPTIONS, SearchOptions
from kgmem.search.pagerank import personalised_pagerank
from kgmem.search.prior import order, passage_reset, prior
from kgmem.search.rerank import Reranker, judged, no_reranker, reranked
from kgmem.search.words import word_scores
from kgmem.store.contract import NO_EDGES, Candidate, Edges, KnownName, Store

Mode = Literal["hybrid", "vector", "fulltext", "graph"]
MODES: tuple[Mode, ...] = get_args(Mode)
CANDIDATES = 60
DATED = 50
CORE = 100
PRIOR_WEIGHT = 0.001
MAX_HITS = 200
NO_FILTER = Filter()

_Arm = Future[list[tuple[Ref, float]]]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The candidate chunks and what the arms say of each; `priors` is parallel to `refs`."""

    refs: Sequence[Ref]
    priors: Floats
    reset: Floats
    vector: Mapping[Ref, tuple[int, float]]
    fulltext: Mapping[Ref, tuple[int, float]]
    read: Mapping[Ref, Candidate]


@dataclass(frozen=True, slots=True)
class _Entered:
    """Where the graph is entered, and the chunks that this leads to."""

    activation: Activation = field(default_factory=Activation)
    strongest: Edges = NO_EDGES


@dataclass(frozen=True, slots=True)
class _Ranked:
    refs: list[Ref]
    scores: list[float]
    graph_rank: Mapping[Ref, tuple[int, float]] = field(default_factory=dict)
    walk: explain.Walk | None = None


def search(
    store: Store,
    encoder: Encoder,
    question: str,
    *,
    mode: Mode = "hybrid",
    k: int = 10,
    where: Filter = NO_FILTER,
    as_of: datetime | None = None,
    vector: Vectors | None = None,
    options: SearchOptions = NO_OPTIONS,
    reranker: Reranker | None = None,
) -> list[Hit]:
    """The `k` chunks that answer best, best first, each explained.

    `vector` is the question's, where it is at hand already; `reranker` is what
    `options.rerank` needs. Raises `QueryError`, or `UsageError` without one.
    """
    if mode not in MODES:
        raise errors.QueryError(f"mode {mode!r} is not known; use one of {', '.join(MODES)}.")
    if not 1 <= k <= MAX_HITS:
        raise errors.QueryError(f"k is {k}; ask for 1 to {MAX_HITS} hits.")
    if options.rerank and reranker is None:
        raise no_reranker()
    with store.snapshot():
        asked = analyse(question, as_of)
        vector = encoder.encode_query(asked.text) if vector is None else vector
        count = max(CANDIDATES, k)
        near = store.ahead(store.vector_search, vector, count, where)
        # Only for their aliases are the seeds needed before words are searched for.
        seeds = find_seeds(store, asked.text, where) if options.aliases else None
        if seeds is not None:
            more = alias_terms(store, asked.terms, seeds)
            asked = replace(asked, words=(*asked.words, *((term,) for term in more)))
        arms = near, store.ahead(store.term_search, asked.terms, count, where)
        # Where the arms are searched beside this, it costs nothing.
        entered = _enter(store, asked, vector, where, seeds) if mode in ("hybrid", "graph") else _Entered()
        found = _candidates(store, asked, vector, where, encoder.known_share(asked.text), arms)
        ranked = _rank(store, entered, found, mode, where)
        scores = judged(store, reranker, asked.text, ranked.refs) if options.rerank and reranker else {}
        chosen = diversified(store, reranked(ranked.refs, scores), k, options.diversity)[:k]
        return with_neighbours(store, _hits(store, found, ranked, chosen, scores, vector), options.neighbours)


def _enter(
    store: Store, asked: Question, vector: Vectors, where: Filter, seeds: Sequence[KnownName] | None
) -> _Entered:
    seeds = find_seeds(store, asked.text, where) if seeds is None else seeds
    return _Entered(*activate(store, seeds, vector, where))


def _candidates(
    store: Store, asked: Question, vector: Vectors, where: Filter, trust: float, arms: tuple[_Arm, _Arm]
) -> _Candidates:
    dated: dict[Ref, None] = {}
    for since, until in asked.dates:
        dated.update(dict.fromkeys(store.time_search(since, until, DATED, where)))
    near, worded = (arm.result() for arm in arms)
    refs = list(dict.fromkeys([r for r, _ in near] + [r for r, _ in worded] + list(dated)[:DATED]))
    read = store.candidates(refs, vector)
    refs = [r for r in refs if r in read]
    cosine = np.array([read[r].cosines.whole for r in refs])
    sentence = np.array([read[r].cosines.best for r in refs])
    given = dict(worded)
    words = word_scores(asked.words, [read[r].terms for r in refs], [given.get(r) for r in refs], store.rarity)
    on_date = np.array([within(asked.dates, read[r].time) for r in refs], bool)
    priors = prior(cosine, words, sentence, on_date, trust=trust)
    return _Candidates(refs, priors, passage_reset(priors), _places(near), _places(worded), read)


def _places(ranked: Sequence[tuple[Ref, float]]) -> dict[Ref, tuple[int, float]]:
    return {ref: (place, score) for place, (ref, score) in enumerate(ranked, 1)}


def _rank(store: Store, entered: _Entered, found: _Candidates, mode: Mode, where: Filter) -> _Ranked:
    if mode in ("vector", "fulltext"):
        arm = found.vector if mode == "vector" else found.fulltext
        return _Ranked(list(arm), [score for _, score in arm.values()])
    activation = entered.activation
    hybrid = mode == "hybrid"
    best = order(found.priors)
    core = [found.refs[i] for i in best[:CORE]] if hybrid else []
    reset = {found.refs[i]: float(found.reset[i]) for i in best if found.reset[i] > 0} if hybrid else {}
    if not core and not activation.reset:
        return _Ranked([], [])
    graph = local_subgraph(store, core, reset, found.read, activation, entered.strongest, where)
    restart = np.array(
        [reset.get(r, 0.0) for r in graph.chunks] + [activation.reset.get(e, 0.0) for e in graph.entities]
    )
    mass = personalised_pagerank(graph, restart)
    on_chunks = mass[: len(graph.chunks)]
    priors = dict(zip(found.refs, found.priors, strict=True))
    scores = on_chunks + (PRIOR_WEIGHT * np.array([priors.get(r, 0.0) for r in graph.chunks]) if hybrid else 0.0)
    placed = [i for i in order(scores) if scores[i] > 0 or (hybrid and graph.chunks[i] in priors)]
    return _Ranked(
        [graph.chunks[i] for i in placed],
        [float(scores[i]) for i in placed],
        _places([(graph.chunks[i], float(on_chunks[i])) for i in order(on_chunks) if on_chunks[i] > 0]),
        # PageRank is linear, so this is the part that the question's entities brought.
        explain.Walk(
            graph,
            activation,
            mass,
            personalised_pagerank(graph, np.where(np.arange(len(restart)) < len(graph.chunks), 0.0, restart)),
        ),
    )


def _hits(
    store: Store,
    found: _Candidates,
    ranked: _Ranked,
    refs: Sequence[Ref],
    scores: Mapping[Ref, float],
    vector: Vectors,
) -> list[Hit]:
    traced: dict[Ref, list[explain.Link]] = {}
    if ranked.walk is not None:
        at = {ref: i for i, ref in enumerate(ranked.walk.graph.chunks)}
        traced = {ref: explain.trace(ranked.walk, at, ref) for ref in refs}
    stored, paths = explain.read_paths(
        store, refs, traced, vector, {ref: candidate.cosines for ref, candidate in found.read.items()}
    )
    priors = dict(zip(found.refs, found.priors, strict=True))
    resets = dict(zip(found.refs, found.reset, strict=True))
    score_of = dict(zip(ranked.refs, ranked.scores, strict=True))
    arms: dict[Arm, Mapping[Ref, tuple[int, float]]] = {
        "vector": found.vector,
        "fulltext": found.fulltext,
        "graph": ranked.graph_rank,
    }
    return [
        Hit(
            stored[ref].chunk,
            stored[ref].source,
            score_of[ref],
            Explanation(
                tuple(ArmScore(name, *places[ref]) for name, places in arms.items() if ref in places),
                float(priors.get(ref, 0.0)),
                float(resets.get(ref, 0.0)),
                paths.get(ref, ()),
                scores.get(ref),
            ),
        )
        for ref in refs
        if ref in stored
    ]
