"""A changed source takes the place of its own old content, and of nothing else."""

from __future__ import annotations

from build import embed, make_source
from dump import NO_FILTER, all_chunks, dump, refs

from kgmem.store.contract import Store
from kgmem.terms import terms

OLD = make_source(
    "default",
    "file:ada.txt",
    "Ada Lovelace met Charles Babbage in London.\n\nThe zeppelin flew.",
    names=["Ada Lovelace", "Charles Babbage", "London"],
    facts=[("Ada Lovelace", "met", ("Charles Babbage",))],
)
NEW = make_source(
    "default",
    "file:ada.txt",
    "Ada Lovelace corresponded with Michael Faraday.",
    names=["Ada Lovelace", "Michael Faraday"],
    facts=[("Ada Lovelace", "corresponded with", ("Michael Faraday",))],
)
OTHER = make_source("default", "file:city.txt", "London lies on the Thames.", names=["London", "Thames"])


def test_only_the_new_version_is_left(store: Store, another):
    assert store.put([OLD]) == ["added"]
    assert store.put([NEW]) == ["replaced"]
    alone = another.open()
    alone.put([NEW])
    assert dump(store) == dump(alone)


def test_other_sources_stay_as_they_are(store: Store, another):
    store.put([OLD, OTHER])
    store.put([NEW])
    alone = another.open()
    alone.put([OTHER, NEW])
    assert dump(store) == dump(alone)


def test_old_words_and_vectors_are_found_no_more(store: Store):
    store.put([OLD, OTHER])
    store.put([NEW])
    assert store.term_search(terms("zeppelin"), 10, NO_FILTER) == []
    texts = {c.ref: c.chunk.text for c in all_chunks(store)}
    found = store.vector_search(embed("zeppelin flew"), 10, NO_FILTER)
    assert sorted(texts[ref] for ref, _ in found) == sorted([NEW.text, OTHER.text])


def test_going_back_and_forth_leaves_no_trace(store: Store, another):
    store.put([OTHER, OLD])
    for _ in range(25):
        store.put([NEW])
        store.put([OLD])
    alone = another.open()
    alone.put([OTHER, OLD])
    assert dump(store) == dump(alone)


def test_a_handle_never_comes_to_mean_another_chunk(store: Store):
    store.put([OTHER, OLD])
    old = refs(store)
    gone = [old[c.id] for c in OLD.chunks]
    store.put([NEW])
    assert store.chunks(gone) == []
    assert store.cosines(gone, OLD.vectors[0]) == {}
    assert store.mentions_in(gone) == []
    store.delete([NEW.source.id, OTHER.source.id])
    store.put([make_source("default", "next", "Something else by Ann Other.", names=["Ann Other"])])
    assert store.chunks(list(old.values())) == []
    assert store.entity_names(list(old.values())) == {}
