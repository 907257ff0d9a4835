"""The graph as search reads it: edges with their weights, own pages, evidence."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from build import embed, make_conversation, make_source
from dump import NO_FILTER, all_chunks, dump

from kgmem.graph import TALK_GAP, edge_weight, next_weight
from kgmem.ingest.link import link_pending
from kgmem.model import Filter
from kgmem.search.words import term_weights
from kgmem.store.contract import ENDING, Store
from kgmem.terms import terms

PAGE = make_source(
    "default",
    "engine",
    "The Engine hums. Ada likes the Engine. Bob too.\n\nNothing is said.\n\nAda, Ada and Ada. Bob.",
    "Engine",
    ["Engine", "Ada", "Bob"],
)
TALK = make_conversation(
    "default",
    "talk",
    [("Ann", "Ada?"), ("Bob", "Ada. Ada!"), ("Ann", "Yes."), ("Bob", "Bye Cid.")],
    names=["Ada", "Cid"],
)


@pytest.fixture
def filled(store: Store) -> Store:
    store.put([PAGE, TALK])
    return store


def handles(store):
    chunks = {(c.source.uri, c.chunk.ordinal): c.ref for c in all_chunks(store)}
    entities = {k.name: k.ref for k in store.find_names(["ada", "bob", "ann", "cid", "engine"], NO_FILTER)}
    return chunks, entities


def triples(edges):
    return list(zip(edges.left.tolist(), edges.right.tolist(), edges.weight.tolist(), strict=True))


def test_edges_carry_the_weight_of_their_mentions(filled: Store):
    chunks, entities = handles(filled)
    expected = {
        (("engine", 0), "Engine"): edge_weight(2, True),
        (("engine", 0), "Ada"): edge_weight(1, False),
        (("engine", 0), "Bob"): edge_weight(1, False),
        (("engine", 1), "Engine"): edge_weight(0, True),
        (("engine", 2), "Engine"): edge_weight(0, True),
        (("engine", 2), "Ada"): edge_weight(3, False),
        (("engine", 2), "Bob"): edge_weight(1, False),
        (("talk", 0), "Ann"): edge_weight(1, False),
        (("talk", 0), "Ada"): edge_weight(1, False),
        (("talk", 1), "Bob"): edge_weight(1, False),
        (("talk", 1), "Ada"): edge_weight(2, False),
        (("talk", 2), "Ann"): edge_weight(1, False),
        (("talk", 3), "Bob"): edge_weight(1, False),
        (("talk", 3), "Cid"): edge_weight(1, False),
    }
    wanted = {(chunks[c], entities[e], w) for (c, e), w in expected.items()}
    assert set(triples(filled.chunk_edges(list(chunks.values())))) == wanted
    back = triples(filled.entity_edges(list(entities.values()), 100, NO_FILTER))
    assert {(b, a, w) for a, b, w in back} == wanted
    assert len(back) == len(wanted)


def test_entity_edges_are_the_heaviest_first_and_bounded(filled: Store):
    _, entities = handles(filled)
    for limit in (0, 1, 2, 100):
        edges = filled.entity_edges([entities["Ada"], entities["Bob"]], limit, NO_FILTER)
        for entity in (entities["Ada"], entities["Bob"]):
            weights = [w for left, _, w in triples(edges) if left == entity]
            assert len(weights) == min(limit, 4)
            assert weights == sorted(weights, reverse=True)
    (heaviest,) = triples(filled.entity_edges([entities["Ada"]], 1, NO_FILTER))
    assert heaviest[2] == edge_weight(3, False)


def test_chunks_are_joined_to_their_neighbours_in_the_source_only(filled: Store):
    chunks, _ = handles(filled)
    turns = [chunks["talk", i] for i in range(4)]
    pieces = [chunks["engine", i] for i in range(3)]
    expected = [(a, b, next_weight(True)) for a, b in pairwise(turns)]
    expected += [(a, b, next_weight(False)) for a, b in pairwise(pieces)]
    assert sorted(triples(filled.next_edges(list(chunks.values())))) == sorted(
        expected + [(b, a, w) for a, b, w in expected]
    )
    assert sorted(triples(filled.next_edges([turns[0]]))) == [expected[0]]
    assert triples(filled.next_edges([pieces[0]])) == [(pieces[0], pieces[1], next_weight(False))]


def test_edges_and_counts_agree_from_both_ends(filled: Store):
    told = [make_source("default", f"s{i}", "Ada saw Zoe. Zoe saw Bob.", names=["Zoe"]) for i in range(5)]
    filled.put(told)
    link_pending(filled)
    chunks = [c.ref for c in all_chunks(filled)]
    edges = triples(filled.chunk_edges(chunks))
    entities = sorted({entity for _, entity, _ in edges})
    back = triples(filled.entity_edges(entities, 1000, NO_FILTER))
    assert sorted((chunk, entity, weight) for entity, chunk, weight in back) == sorted(edges)
    counts = {entity: count for entity, (count, *_) in filled.entity_info(entities).items()}
    assert counts == Counter(entity for _, entity, _ in edges)
    names = {ref: entity.name for ref, entity in filled.entity_names(entities).items()}
    linked = {filled.source_chunks(s.source.id)[0].ref for s in told}
    assert Counter((names[entity], weight) for chunk, entity, weight in edges if chunk in linked) == {
        ("Zoe", edge_weight(2, False)): 5,
        ("Ada", edge_weight(1, False)): 5,
        ("Bob", edge_weight(1, False)): 5,
    }


def test_sums_of_weights_do_not_depend_on_their_order():
    rnd = random.Random(0)
    weights = [edge_weight(mentions, own) for mentions in range(1, 100) for own in (False, True)] * 20
    assert len({sum(rnd.sample(weights, len(weights))) for _ in range(20)}) == 1


def test_own_pages(filled: Store):
    chunks, entities = handles(filled)
    filled.put([make_source("default", "memo", "Engine.", "Engine", kind="memory")])
    chunks, entities = handles(filled)
    info = filled.entity_info(list(entities.values()))
    assert {name: info[ref] for name, ref in entities.items()} == {
        "Engine": (4, True, "engine"),
        "Ada": (4, False, "ada"),
        "Bob": (4, False, "bob"),
        "Ann": (2, False, "ann"),
        "Cid": (1, False, "cid"),
    }
    (engine,) = filled.find_names(["engine"], NO_FILTER)
    assert set(engine.own) == {chunks["engine", i] for i in range(3)} | {chunks["memo", 0]}
    assert engine.own[0] == chunks["engine", 0], "the heaviest first"
    (engine,) = filled.find_names(["engine"], Filter(kinds=("memory",)))
    assert engine.own == (chunks["memo", 0],)
    assert [k.own for k in filled.find_names(["ada"], NO_FILTER)] == [()]


def test_find_names_tells_what_question_analysis_needs(filled: Store):
    found = {k.key: k for k in filled.find_names(["ada", "engine", "nobody", "ada"], NO_FILTER)}
    assert set(found) == {"ada", "engine"}
    ada = filled.entity(found["ada"].id)
    assert (ada.key, ada.name, ada.type, ada.chunk_count) == ("ada", "Ada", "OTHER", found["ada"].chunk_count)
    assert filled.entity_names([found["ada"].ref]) == {found["ada"].ref: ada}


def test_mentions_are_bounded_for_each_entity(filled: Store):
    chunks, entities = handles(filled)
    found = filled.mentions_of([entities["Ada"], entities["Bob"]], 100, NO_FILTER)
    assert {(m.chunk, m.sentence) for m in found if m.entity == entities["Ada"]} == {
        (chunks["engine", 0], 1),
        (chunks["engine", 2], 0),
        (chunks["talk", 0], 0),
        (chunks["talk", 1], 0),
        (chunks["talk", 1], 1),
    }
    assert len(found) == len(set(found))
    for limit in (0, 1, 3):
        some = filled.mentions_of([entities["Ada"], entities["Bob"]], limit, NO_FILTER)
        assert len([m for m in some if m.entity == entities["Ada"]]) == limit
        assert set(some) <= set(found)
    (first,) = filled.mentions_of([entities["Ada"]], 1, NO_FILTER)
    assert first.chunk == chunks["engine", 2], "the chunk that names it most comes first"


def test_mentions_in_chunks_and_sentences(filled: Store):
    chunks, entities = handles(filled)
    inside = filled.mentions_in([chunks["engine", 0], chunks["engine", 1]])
    assert {(m.chunk, m.sentence, m.entity) for m in inside} == {
        (chunks["engine", 0], 0, entities["Engine"]),
        (chunks["engine", 0], 1, entities["Engine"]),
        (chunks["engine", 0], 1, entities["Ada"]),
        (chunks["engine", 0], 2, entities["Bob"]),
    }
    assert len(inside) == 4
    there = filled.entities_in([(chunks["engine", 0], 1), (chunks["engine", 1], 0), (chunks["talk", 0], 9)])
    assert {m.entity for m in there} == {entities["Engine"], entities["Ada"]}
    assert filled.entities_in([]) == filled.mentions_in([]) == []


def test_entity_chunks_and_neighbours(filled: Store):
    _, entities = handles(filled)
    ids = {e.name: e.id for e in filled.entity_names(list(entities.values())).values()}
    found = filled.entity_chunks(ids["Ada"], 10)
    assert [(c.source.uri, c.chunk.ordinal, sentence) for c, sentence in found[:2]] == [
        ("engine", 2, 0),
        ("talk", 1, 0),
    ]
    assert len(found) == 4
    assert len(filled.entity_chunks(ids["Ada"], 2)) == 2
    near = filled.entity_neighbours(ids["Ada"], 10)
    assert sorted((e.name, n) for e, n in near) == [("Ann", 1), ("Bob", 1), ("Engine", 1)]
    assert len(filled.entity_neighbours(ids["Ada"], 1)) == 1
    text = " ".join(["Dan met Eve."] * 7 + ["Dan met Fay."] * 3 + ["Dan, Dan, Eve and Eve."])
    filled.put([make_source("default", "dan", text, names=["Dan", "Eve", "Fay"])])
    (dan,) = filled.entities("dan")
    assert [(e.name, n) for e, n in filled.entity_neighbours(dan.id, 10)] == [("Eve", 8), ("Fay", 3)]


def test_chunks_come_in_the_order_asked_for(filled: Store):
    chunks, _ = handles(filled)
    wanted = [chunks["talk", 2], chunks["engine", 0], chunks["talk", 0]]
    assert [c.ref for c in filled.chunks(wanted)] == wanted
    assert filled.chunks([]) == []
    assert set(filled.cosines(wanted, embed("Ada"))) == set(wanted)


def test_the_chunks_around_a_chunk(filled: Store):
    stored = filled.source_chunks(TALK.source.id)
    ids = [c.chunk.id for c in stored]

    def around(chunk_ids, before, after):
        found = filled.neighbours(chunk_ids, before, after)
        return {chunk_id: [c.chunk.id for c in chunks] for chunk_id, chunks in found.items()}

    assert around([ids[1]], 1, 2) == {ids[1]: [ids[0], ids[2], ids[3]]}
    assert around([ids[3], ids[0], ids[3]], 1, 1) == {ids[0]: [ids[1]], ids[3]: [ids[2]]}
    assert around([ids[0]], 5, 0) == around([ids[1]], 0, 0) == around([], 1, 1) == {}
    page = [c.chunk.id for c in filled.source_chunks(PAGE.source.id)]
    assert around([page[0], ids[0]], 0, 1) == {page[0]: [page[1]], ids[0]: [ids[1]]}
    assert filled.neighbours([ids[1]], 1, 0) == {ids[1]: [stored[0]]}
    assert [c.chunk.ordinal for c in filled.source_chunks(TALK.source.id, after=1, limit=1)] == [2]
    assert filled.chunk(ids[2]) == stored[2]


def test_facts_know_their_entities_and_evidence(store: Store):
    source = make_source(
        "default",
        "s",
        "It rained. Ada met Bob in Paris.",
        "Trip",
        ["Ada", "Bob"],
        [("Ada", "met", ("Bob", "in Paris")), ("nobody", "left", ())],
    )
    store.put([source])
    ids = {e.name: e.id for e in store.entities()}
    met, left = sorted(store.facts(), key=lambda f: f.predicate, reverse=True)
    assert (met.subject_id, met.object_id) == (ids["Ada"], ids["Bob"])
    assert (left.subject_id, left.object_id, left.objects) == (None, None, ())
    assert (met.evidence, met.title, met.source_id, met.chunk_id) == (
        "Ada met Bob in Paris.",
        "Trip",
        source.source.id,
        source.chunks[0].id,
    )
    assert store.fact(met.id) == met
    assert store.facts(entity_id=ids["Bob"]) == [met]
    assert store.facts(entity_id="e" + "0" * 24) == []
    assert store.facts(subject="ADA", predicate="m t", object="paris in") == [met]
    assert store.facts(subject="ada", object="London") == []


def test_no_edges_are_arrays_too(store: Store):
    for edges in (store.chunk_edges([]), store.entity_edges([], 5, NO_FILTER), store.next_edges([])):
        assert isinstance(edges.weight, np.ndarray)
        assert len(edges.left) == len(edges.right) == len(edges.weight) == 0
    assert dump(store)["counts"]["sources"] == 0


def test_candidates_tell_their_words_how_they_end_and_what_follows(filled: Store):
    chunks, _ = handles(filled)
    stored = {c.ref: c.chunk for c in all_chunks(filled)}
    times = {c.ref: c.source.timestamp for c in all_chunks(filled)}
    in_order = ([ref for (uri, _), ref in chunks.items() if uri == source] for source in ("engine", "talk"))
    after = {a: b for row in in_order for a, b in pairwise(row)}
    vector = embed("Ada")
    found = filled.candidates([*chunks.values(), max(chunks.values()) + 1000], vector)
    near_to = filled.cosines(list(chunks.values()), vector)
    assert set(found) == set(chunks.values())
    for ref, candidate in found.items():
        assert candidate.cosines.whole == pytest.approx(near_to[ref].whole)
        assert candidate.cosines.sentences == pytest.approx(near_to[ref].sentences)
        assert candidate.terms == " ".join(terms(f"{stored[ref].context}\n{stored[ref].text}"))
        assert candidate.ending == stored[ref].text[-ENDING:]
        assert candidate.time == (stored[ref].timestamp or times[ref])
        assert candidate.after == after.get(ref)
    assert filled.candidates([], vector) == {}


def test_only_the_end_of_a_long_candidate_is_read(store: Store):
    store.put([make_source("default", "long", "word " * 400 + "end?")])
    (chunk,) = all_chunks(store)
    (candidate,) = store.candidates([chunk.ref], embed("word")).values()
    assert candidate.ending == chunk.chunk.text[-ENDING:]
    assert len(candidate.ending) == ENDING


def test_rarity_is_the_same_on_every_engine(store: Store):
    texts = ["otter river", "river bank", "river moss", "river stone", "heron", "heron stone", "reed", "moss"]
    store.put([make_source("default", f"t{i}", text) for i, text in enumerate(texts)])
    asked = ["otter", "heron"]
    given = dict(store.term_search(asked, 10, NO_FILTER))
    read = store.candidates(list(given), embed("otter"))
    words = [read[ref].terms.split() for ref in given]
    counts = np.array([[w.count(term) for term in asked] for w in words], float)
    weights, _ = term_weights(counts, np.array([len(w) for w in words], float), np.array(list(given.values())))
    expected = [math.log((len(texts) - n + 0.5) / (n + 0.5)) for n in (1, 2)]
    assert store.rarity(weights) == pytest.approx(expected, rel=0.1)
    assert (store.rarity(np.array([0.0, 1e-6])) >= 0).all()


def test_what_is_said_long_after_does_not_follow(store: Store):
    start = datetime(2026, 5, 1, 10, tzinfo=UTC)
    times = [start, start + timedelta(seconds=TALK_GAP), start + timedelta(seconds=2 * TALK_GAP + 1)]
    store.put([make_conversation("default", "talk", [("Ann", f"Turn {i}.", time) for i, time in enumerate(times)])])
    first, second, third = sorted(c.ref for c in all_chunks(store))
    joined = {(first, second, next_weight(True)), (second, first, next_weight(True))}
    assert set(triples(store.next_edges([first, second, third]))) == joined
    _, _, beside = store.onward([], 1, [first, second, third], NO_FILTER)
    assert set(triples(beside)) == joined
