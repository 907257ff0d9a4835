"""Many writers and readers at once, in processes and in threads: nothing lost, nothing doubled, no error."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
from build import embed, make_source
from dump import NO_FILTER, dump
from workers import (
    PEOPLE,
    WRITERS,
    check_committed,
    check_one_state,
    context,
    finish,
    open_at_once,
    read_until,
    start,
    version,
    write_overlapping,
    write_until,
)

from kgmem import errors
from kgmem.ingest.link import link_pending


def test_eight_processes_over_overlapping_entities(engine, another):
    sources = 40
    engine.open()
    finish(start(WRITERS, write_overlapping, engine.url, sources))
    store = engine.open()
    assert store.counts().pending == 0
    alone = another.open()
    alone.put([version(i, 1) for i in range(sources)])
    link_pending(alone)
    together, apart = dump(store), dump(alone)
    assert together["counts"] == apart["counts"]
    assert together == apart


@pytest.mark.parametrize("attempt", range(4))
def test_a_new_store_opened_by_eight_processes_at_once(engine, attempt):
    barrier = context().Barrier(WRITERS)
    finish(start(WRITERS, open_at_once, engine.url, barrier))
    stores = [engine.open(f"n{i}") for i in range(3)]
    assert [s.counts().sources for s in stores] == [3, 3, 2]
    assert stores[0].namespaces() == ["n0", "n1", "n2"]


def test_two_writers_and_four_readers(engine):
    engine.open()
    stop, written, read = context().Event(), context().Value("i", 0), context().Value("i", 0)
    processes = start(2, write_until, engine.url, stop, written) + start(4, read_until, engine.url, stop, read)
    begun = monotonic()
    processes[0].join(5)
    assert monotonic() - begun > 4.5, "a writer ended early"
    stop.set()
    finish(processes)
    assert written.value >= 6
    assert read.value >= 12
    check_one_state(engine.open())


def test_threads_share_one_store(engine, another):
    store = engine.open()
    with ThreadPoolExecutor(12) as pool:
        writing = [pool.submit(store.put, [version(i, n)]) for n in (0, 1) for i in range(24)]
        reading = [pool.submit(check_one_state if engine.one_state else check_committed, store) for _ in range(24)]
        linking = [pool.submit(link_pending, store) for _ in range(4)]
        for job in writing + reading + linking:
            job.result()
    # Two versions of one source may have been written in either order.
    store.put([version(i, 1) for i in range(24)])
    link_pending(store)
    alone = another.open()
    alone.put([version(i, 1) for i in range(24)])
    link_pending(alone)
    assert dump(store) == dump(alone)


def test_every_entity_of_many_threads_is_there_once(engine):
    store = engine.open()

    def put(number):
        store.put([make_source("default", f"t{number}", " ".join(f"{p}." for p in PEOPLE), names=PEOPLE)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(8)))
    entities = store.entities("smith", limit=1000)
    assert len(entities) == 200
    assert {e.chunk_count for e in entities} == {8}


def test_a_store_closed_while_threads_read_says_so(engine):
    store = engine.open()
    store.put([version(i, 0) for i in range(12)])
    started = threading.Barrier(5)
    problems = []

    def read():
        started.wait()
        try:
            while True:
                store.vector_search(embed("Person001"), 5, NO_FILTER)
                store.facts()
                store.counts()
                check_one_state(store)
        except errors.StoreError as error:
            if "closed" not in str(error):
                problems.append(error)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    for _ in range(20):
        store.counts()
    store.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert problems == []
    with pytest.raises(errors.StoreError, match="closed"):
        store.counts()
    with pytest.raises(errors.StoreError, match="closed"):
        store.put([version(0, 1)])
    store.close()
    assert engine.open().counts().sources == 12


def test_closing_waits_for_a_write(engine):
    store = engine.open()
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(store.put, [version(i, 0) for i in range(30)])
        while not job.running() and not job.done():
            pass
        store.close()
        outcome = job.exception()
    assert outcome is None or isinstance(outcome, errors.StoreError)
    assert engine.open().counts().sources in (0, 30)
