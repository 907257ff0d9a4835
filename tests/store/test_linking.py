"""Linking names known from elsewhere: the graph does not depend on the order in which sources came."""

from __future__ import annotations

import re
from itertools import permutations

import pytest
from build import make_conversation, make_source
from dump import all_chunks, dump
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgmem import names
from kgmem.ingest.link import find_links, link_pending
from kgmem.store.contract import Store
from kgmem.terms import spelled, terms


def src(uri, text, named=(), title="", **more):
    return make_source("default", uri, text, title, named, **more)


CORPUS = [
    src("ada", "Ada Lovelace knew the Analytical Engine.\n\nShe met Babbage and Mary Somerville.", ["Ada Lovelace"]),
    src("babbage", "Charles Babbage designed the Analytical Engine with Ada Lovelace.", ["Charles Babbage"], "Babbage"),
    src("engine", "It was never finished.", (), "Analytical Engine"),
    src("short", "The Engine of Mary Somerville, the Analytical one.", ["Engine", "Mary Somerville"]),
    make_conversation("default", "talk", [("Ann", "Who was Ada Lovelace?"), ("Bob", "She knew Babbage.")]),
]


def named_in(store: Store) -> dict[str, set[str]]:
    """The names of the entities that each source's chunks have edges to."""
    chunks = {c.ref: c.source.uri for c in all_chunks(store)}
    edges = store.chunk_edges(list(chunks))
    entities = store.entity_names(sorted(set(edges.right.tolist())))
    found: dict[str, set[str]] = {uri: set() for uri in chunks.values()}
    for chunk, entity in zip(edges.left.tolist(), edges.right.tolist(), strict=True):
        found[chunks[chunk]].add(entities[entity].name)
    return found


@pytest.mark.parametrize("order", list(permutations(range(len(CORPUS))))[::9])
def test_any_order_of_ingest_gives_the_same_graph(store: Store, another, order):
    together = another.open()
    together.put(CORPUS)
    link_pending(together)
    for i in order:
        store.put([CORPUS[i]])
        link_pending(store)
    assert store.counts().pending == 0
    assert dump(store) == dump(together)


@pytest.mark.parametrize("gone", range(len(CORPUS)))
def test_a_deleted_source_might_as_well_never_have_been_there(store: Store, another, gone):
    store.put(CORPUS)
    link_pending(store)
    store.delete([CORPUS[gone].source.id])
    link_pending(store)
    alone = another.open()
    alone.put(CORPUS[:gone] + CORPUS[gone + 1 :])
    link_pending(alone)
    assert dump(store) == dump(alone)


def test_a_name_met_today_is_linked_in_yesterdays_chunks(store: Store):
    store.put([src("old", "They saw Grace Hopper at work.\n\nNothing here.")])
    assert link_pending(store) == 2
    store.put([src("new", "Grace Hopper wrote a compiler.", ["Grace Hopper"])])
    assert link_pending(store) == 2, "only the chunk that may spell the name is searched again"
    assert named_in(store) == {"old": {"Grace Hopper"}, "new": {"Grace Hopper"}}
    (entity,) = store.entities()
    assert entity.chunk_count == 2
    assert link_pending(store) == 0


SPELLINGS = [
    ("Navier-Stokes Equations", "The Navier–Stokes equations are hard."),
    ("Navier–Stokes Equations", "The Navier-Stokes Equations are hard."),
    ("DeepFakes", "Some DEEPFAKES are good."),
    ("deepfakes", "Some DeepFakes are good."),
    ("iphone4s", "An iPhone4S lay there."),
    ("IPHONE4S", "An iPhone4S lay there."),
    ("iPhone4S", "An IPHONE4S lay there."),
    ("McDonalds", "At MCDONALDS it rained."),
    ("AT&T", "He left AT&T early."),
    ("C++", "It is written in C++ by hand."),
    ("Ada Lovelace", "Ada Lovelace's notes."),
    ("Ada Lovelace", "AdaLovelace came."),
    ("Li Hua", "LiHua came."),
    ("miRNAs", "Some MiRNAs are short."),
    ("birth-weight Study", "A Birth-Weight Study."),
    ("The Beatles", "We saw The Beatles."),
    ("Beatles", "We saw the Beatles."),
    ("Élise Öberg", "ÉLISE ÖBERG came."),
    ("Straße des Friedens", "Die STRASSE DES FRIEDENS ist lang."),
    ("ＫＧＭＥＭ", "With KGMEM it works."),
    ("São Tomé", "In SÃO TOMÉ it rains."),
    ("Bank of England", "The Bank  of\tEngland stands."),
    ("Москва", "Вот МОСКВА."),
    ("北京大学", "我在北京大学读书。"),
    ("Foo_Bar Baz", "See FOO_BAR Baz."),
    ("1,000 Islands", "The 1,000 Islands lie there."),
    ("X-ray Lab", "An X-Ray Lab."),
    ("Very Long Name of Six-Word Length", "A Very Long Name of Six Word Length stands."),
    ("Istanbul", "İstanbul, ISTANBUL."),
]


@pytest.mark.parametrize(("name", "text"), SPELLINGS)
def test_backwards_finds_what_forwards_finds(store: Store, another, name, text):
    text = src("text", text)
    definition = src("definition", f"{name} is known.", [name])
    forwards = another.open()
    forwards.put([definition])
    link_pending(forwards)
    forwards.put([text])
    link_pending(forwards)
    store.put([text, *(src(f"other{i}", "Nothing to see.") for i in range(9))])
    link_pending(store)
    store.put([definition])
    link_pending(store)
    store.delete([src(f"other{i}", "").source.id for i in range(9)])
    assert dump(store) == dump(forwards)
    assert named_in(store)["text"]


WORDS = st.text(st.sampled_from("aAeEsSbßÉéöİıСс北京大学1 4'’-–.&/_,!\n()"), max_size=40)


@settings(max_examples=200, deadline=None)
@given(WORDS)
@example("GPT4All")
@example("Visual-C++ and C#")
@example("_iPhone4S_")
@example("Google+Facebook")
@example("DeepFakes-based OpenAI")
@example("O'Reilly’s “Café–Bar”")
@example("A–İ")
def test_every_name_a_text_spells_is_sought_by_terms_that_it_has(text):
    there = set(terms(text))
    for span in names.candidates(text):
        # Nothing but stop words, joined: only the very same joining is found again.
        if names.linkable(re.sub("[-_./&]", " ", span.key)):
            for forms in spelled(span.key):
                assert there & set(forms), (span.key, forms)


def test_the_longest_name_wins(store: Store):
    store.put(
        [
            src("names", "York. New York. New York City. City.", ["York", "New York", "New York City"]),
            src("text", "Here New York City lies, there New York lies, elsewhere York lies."),
            src("only", "In New York City."),
        ]
    )
    link_pending(store)
    assert named_in(store)["text"] == {"York", "New York", "New York City"}
    assert named_in(store)["only"] == {"New York City"}


@pytest.mark.parametrize(
    ("text", "recognised", "known", "linked"),
    [
        ("It left the State of Mississippi.", "State of Mississippi", "Mississippi", True),
        ("It left north-west Iowa.", "north-west Iowa", "Iowa", True),
        ("It left Greater New York.", "Greater New York", "New York", True),
        ("The New York Times wrote.", "New York Times", "New York", False),  # nothing but what a name ends with
        ("Here John Smith wrote.", "John Smith", "Smith", False),  # nor a single word of a name in capitals
        ("Here Sanal Kumar Sasidharan wrote.", "Kumar Sasidharan", "Sanal Kumar Sasidharan", True),
        ("Here Adelaide of Austria wrote.", "Adelaide of", "Adelaide of Austria", True),
        ("Here AdaLovelace wrote.", "AdaLovelace", "Ada Lovelace", True),
        ("Here Adelaide of Austria wrote.", "Austria wrote", "Adelaide of Austria", False),  # neither in the other
    ],
)
def test_known_names_around_and_within_a_recognised_one(store: Store, another, text, recognised, known, linked):
    sources = [src("text", text, [recognised]), src("name", f"{known} came.", [known])]
    names_there = {recognised, known} if linked else {recognised}
    backwards = another.open()
    for source in sources:
        store.put([source])
        link_pending(store)
    for source in reversed(sources):
        backwards.put([source])
        link_pending(backwards)
    assert dump(store) == dump(backwards)
    assert named_in(store)["text"] == names_there
    store.delete([sources[1].source.id])
    link_pending(store)
    assert named_in(store)["text"] == {recognised}


def test_a_name_that_covers_two_recognised_ones_is_linked_once(store: Store):
    names_of = ["Adelaide of", "Rosenberg", "Adelaide of Rosenberg"]
    store.put(
        [src("text", "Adelaide of Rosenberg reigned.", names_of[:2]), src("page", "She reigned.", (), names_of[2])]
    )
    link_pending(store)
    assert named_in(store)["text"] == set(names_of)


def test_the_longer_name_takes_over_from_the_shorter_and_gives_back(store: Store):
    york, new_york = src("york", "York stands.", ["York"]), src("new", "New York stands.", ["New York"])
    store.put([src("text", "They left New York in May."), york])
    link_pending(store)
    assert named_in(store)["text"] == {"York"}
    store.put([new_york])
    link_pending(store)
    assert named_in(store)["text"] == {"New York"}
    store.delete([new_york.source.id])
    assert store.counts().pending == 1
    link_pending(store)
    assert named_in(store)["text"] == {"York"}
    store.delete([york.source.id])
    link_pending(store)
    assert named_in(store)["text"] == set()
    assert store.entities() == []


def test_names_of_more_than_five_words(store: Store):
    long = "Royal Society for the Prevention of Cruelty to Animals"
    longer = "Royal Society for the Prevention of Cruelty to Children and Animals"
    store.put([src("text", f"The {long} met. The {longer} met. The Royal Society for the Prevention of Crime met.")])
    link_pending(store)
    store.put([src("names", f"{long}. {longer}.", [long, longer])])
    link_pending(store)
    assert named_in(store)["text"] == {long, longer}
    head = names.key_head(names.entity_key(long))
    assert sorted(store.known_by_head([head])[head]) == sorted(map(names.entity_key, (long, longer)))
    assert store.known([names.entity_key(long), "royal society"]) == {names.entity_key(long)}


def test_words_that_are_no_names_are_not_linked(store: Store):
    store.put(
        [src("odd", "It. The. A. 7. Who.", ["It", "The", "A", "7", "Who"]), src("text", "It was the 7 of A Who.")]
    )
    link_pending(store)
    assert named_in(store)["text"] == set()


def test_an_interrupted_run_is_taken_up(engine, another):
    whole = another.open()
    whole.put(CORPUS)
    link_pending(whole)
    store = engine.open()
    store.put(CORPUS)
    store.seek_names(store.pending_names(2))
    chunks = store.pending_chunks(1)
    store.link(list(zip(chunks, find_links(store, chunks), strict=True)))
    assert store.counts().pending > 0
    store.close()
    later = engine.open()
    assert link_pending(later) > 0
    assert dump(later) == dump(whole)


def test_a_name_that_becomes_known_during_a_search_is_not_lost(engine):
    one, two = engine.open(), engine.open()
    one.put([src("text", "They saw Grace Hopper.")])
    chunks = one.pending_chunks(10)
    links = find_links(one, chunks)
    two.put([src("new", "Grace Hopper wrote.", ["Grace Hopper"])])
    while keys := two.pending_names(10):
        two.seek_names(keys)
    one.link(list(zip(chunks, links, strict=True)))
    link_pending(one)
    assert named_in(one)["text"] == {"Grace Hopper"}


def test_nor_when_another_process_has_searched_the_chunk_meanwhile(engine):
    one, two = engine.open(), engine.open()
    one.put([src("text", "They saw Grace Hopper.")])
    chunks = one.pending_chunks(10)
    links = find_links(one, chunks)
    link_pending(two)
    two.put([src("new", "Grace Hopper wrote.", ["Grace Hopper"])])
    two.seek_names(two.pending_names(10))
    one.link(list(zip(chunks, links, strict=True)))
    link_pending(one)
    assert named_in(one)["text"] == {"Grace Hopper"}


def test_a_search_that_took_longer_does_not_undo_a_newer_one(engine):
    one, two = engine.open(), engine.open()
    one.put([src("text", "They saw Grace Hopper.")])
    chunks = one.pending_chunks(10)
    links = find_links(one, chunks)
    two.put([src("new", "Grace Hopper wrote.", ["Grace Hopper"])])
    link_pending(two)
    one.link(list(zip(chunks, links, strict=True)))
    assert link_pending(one) == 0
    assert named_in(one)["text"] == {"Grace Hopper"}


def test_a_name_that_goes_during_a_search_makes_way_for_a_shorter_one(engine):
    one, two = engine.open(), engine.open()
    new_york = src("new", "New York stands.", ["New York"])
    one.put([src("york", "York stands.", ["York"]), new_york, src("text", "They left New York.")])
    while keys := one.pending_names(10):
        one.seek_names(keys)
    chunks = one.pending_chunks(10)
    links = find_links(one, chunks)
    two.delete([new_york.source.id])
    one.link(list(zip(chunks, links, strict=True)))
    assert link_pending(one) > 0
    assert named_in(one)["text"] == {"York"}


def test_what_was_found_in_an_old_text_is_not_linked_in_the_new_one(engine):
    one, two = engine.open(), engine.open()
    one.put([src("york", "York stands.", ["York"])])
    link_pending(one)
    one.put([src("text", "They left York.")])
    chunks = one.pending_chunks(10)
    links = find_links(one, chunks)
    assert links == [links[0]]
    assert links[0]
    two.put([src("text", "They stayed at home.")])
    one.link(list(zip(chunks, links, strict=True)))
    link_pending(one)
    assert named_in(one)["text"] == set()
    two.delete([src("text", "").source.id])
    two.put([src("next", "Nothing here.")])
    one.link(list(zip(chunks, links, strict=True)))
    assert named_in(one) == {"york": {"York"}, "next": set()}


def test_pending_work_is_given_in_bounded_pieces(store: Store):
    store.put([src(f"s{i}", f"Person{i} Smith.", [f"Person{i} Smith"]) for i in range(20)])
    assert len(store.pending_names(7)) == 7
    assert len(store.pending_chunks(7)) == 7
    first = store.pending_chunks(1)[0]
    assert (first.text[slice(*first.taken[0])], first.sentences) == (first.text[:-1], ((0, len(first.text)),))
    assert store.seek_names([]) == 0
    store.link([])
    assert link_pending(store) == 20
    assert store.pending_names(7) == store.pending_chunks(7) == []
