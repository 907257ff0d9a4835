"""Each stage of a search gives what its single readings give together, in one go or not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from build import embed
from dump import NO_FILTER, all_chunks, refs
from test_copy import some
from test_namespaces import T

from kgmem.ingest.link import link_pending
from kgmem.model import Filter
from kgmem.store.stages import Stages

FILTERS = [
    NO_FILTER,
    Filter(kinds=("document",)),
    Filter(tags=("red",)),
    Filter(since=T, until=T + timedelta(days=1)),
    Filter(uris=("nowhere",)),
]


@pytest.fixture
def filled(engine):
    store = engine.open("a")
    store.put(some("a"))
    link_pending(store)
    other = engine.open("b")
    other.put(some("b"))
    return store, other


def handles(store):
    chunks = [c.ref for c in all_chunks(store)]
    return chunks, [ref for id, ref in refs(store).items() if id.startswith("e")]


def triples(edges):
    return sorted(zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True))


def near(cosines):
    return {ref: (round(c.whole, 5), [round(s, 5) for s in c.sentences.tolist()]) for ref, c in cosines.items()}


@pytest.mark.parametrize("where", FILTERS)
def test_named(filled, where):
    store, _ = filled
    keys = [e.key for e in store.entities(limit=1000)]
    heads = ["long name of six whole", "nobody"]
    for wanted in ((keys, ()), (keys[:3], heads), ((), heads), ((), ())):
        assert sorted(store.named(*wanted, where), key=lambda n: n.key) == sorted(
            Stages.named(store, *wanted, where), key=lambda n: n.key
        )
    assert [n.name for n in store.named((), heads, NO_FILTER)] == ["The Long Name of Six Whole Words Zebra"]


@pytest.mark.parametrize("where", FILTERS)
def test_seed_sentences(filled, where):
    store, other = filled
    chunks, entities = handles(store)
    theirs, their_entities = handles(other)
    vector = embed("Zara Zebra met Otto")
    for own in ([], chunks[:2], theirs):
        mentions, cosines = store.seed_sentences([*entities, *their_entities], 2, own, vector, where)
        wanted, near_to = Stages.seed_sentences(store, entities, 2, [c for c in own if c in chunks], vector, where)
        assert sorted(mentions, key=str) == sorted(wanted, key=str)
        assert near(cosines) == near(near_to)
    assert store.seed_sentences([], 2, [], vector, where) == ([], {})


@pytest.mark.parametrize("where", FILTERS)
def test_bridges(filled, where):
    store, other = filled
    chunks, entities = handles(store)
    theirs, their_entities = handles(other)
    sentences = [(chunk, i) for chunk in chunks for i in (0, 1, 7)]
    for asked, more in ((sentences, entities[:2]), (sentences, []), ([], entities), ([], [])):
        bridges, edges = store.bridges([*asked, *((ref, 0) for ref in theirs)], [*more, *their_entities], 2, where)
        wanted, strongest = Stages.bridges(store, asked, more, 2, where)
        assert sorted(bridges, key=str) == sorted(wanted, key=str)
        assert triples(edges) == triples(strongest)


@pytest.mark.parametrize("where", FILTERS)
def test_onward(filled, where):
    store, other = filled
    chunks, entities = handles(store)
    theirs, their_entities = handles(other)
    for known in ([], chunks[:2], chunks):
        new, naming, following = store.onward([*entities, *their_entities], 2, [*known, *theirs], where)
        wanted, edges, turns = Stages.onward(store, entities, 2, known, where)
        assert sorted(new) == sorted(wanted)
        assert triples(naming) == triples(edges)
        assert triples(following) == triples(turns)
    assert [len(part.left) if hasattr(part, "left") else part for part in store.onward([], 2, [], where)] == [[], 0, 0]


def test_evidence(filled):
    store, other = filled
    chunks, entities = handles(store)
    theirs, their_entities = handles(other)
    vector = embed("Zara Zebra")
    for asked in ((chunks, entities, chunks, chunks), (chunks[:1], [], chunks[1:], []), ([], [], [], [])):
        found = store.evidence(
            *(list(a) + b for a, b in zip(asked, (theirs, their_entities, theirs, theirs), strict=True)), vector
        )
        wanted = Stages.evidence(store, *asked, vector)
        assert found.chunks == wanted.chunks
        assert found.entities == wanted.entities
        assert sorted(found.mentions, key=str) == sorted(wanted.mentions, key=str)
        assert near(found.cosines) == near(wanted.cosines)
