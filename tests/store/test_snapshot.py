"""Within a snapshot all reads of a thread see one state, whatever others commit meanwhile."""

from __future__ import annotations

import threading

import pytest
from build import embed, make_source
from dump import NO_FILTER, dump

from kgmem.ingest.link import link_pending
from kgmem.terms import terms


@pytest.fixture(autouse=True)
def _one_state(engine):
    if not engine.one_state:
        pytest.skip("this engine's reads each see what is committed by then")


FIRST = make_source("default", "first", "Ada met Bob.", "Ada", ["Ada", "Bob"], [("Ada", "met", ("Bob",))])
SECOND = make_source("default", "second", "Ada met Cid.", "Cid", ["Ada", "Cid"], [("Ada", "met", ("Cid",))])


def test_another_writers_commit_is_not_seen_until_the_end(engine):
    store, writer = engine.open(), engine.open()
    store.put([FIRST])
    link_pending(store)
    with store.snapshot():
        before = dump(store)
        writer.put([SECOND])
        writer.delete([FIRST.source.id])
        link_pending(writer)
        assert dump(store) == before
        (ada,) = store.find_names(["ada"], NO_FILTER)
        assert store.mentions_of([ada.ref], 10, NO_FILTER)
        assert store.chunks(list(ada.own))[0].source.uri == "first"
        assert len(store.vector_search(embed("Ada"), 10, NO_FILTER)) == 1
        assert store.term_search(terms("Cid"), 10, NO_FILTER) == []
        assert dump(writer) != before
    assert dump(store) == dump(writer)


def test_a_snapshot_inside_a_snapshot_is_the_same_one(engine):
    store, writer = engine.open(), engine.open()
    store.put([FIRST])
    with store.snapshot():
        assert store.counts().sources == 1
        with store.snapshot():
            writer.put([SECOND])
            assert store.counts().sources == 1
        assert store.counts().sources == 1
    assert store.counts().sources == 2


def test_an_error_inside_ends_it(engine):
    store, writer = engine.open(), engine.open()

    def failing():
        with store.snapshot():
            assert store.counts().sources == 0
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    writer.put([FIRST])
    assert store.counts().sources == 1


def test_other_threads_have_their_own(engine):
    store = engine.open()
    store.put([FIRST])
    seen = []
    with store.snapshot():
        assert store.counts().sources == 1
        store.put([SECOND])
        thread = threading.Thread(target=lambda: seen.append(store.counts().sources))
        thread.start()
        thread.join()
        assert store.counts().sources == 1
    assert seen == [2]


def test_a_new_namespace_written_by_another_is_seen_afterwards(engine):
    store, writer = engine.open("new"), engine.open("new")
    with store.snapshot():
        assert store.counts().sources == 0
        writer.put([make_source("new", "s", "Ada.")])
        assert store.counts().sources == 0
    assert store.counts().sources == 1
