"""What other processes do in the store's tests. Started by `processes`, so that importing is paid for once."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np
from build import FP, embed, make_conversation, make_source
from dump import NO_FILTER, all_chunks

from kgmem.ingest.link import link_pending
from kgmem.store import open_store
from kgmem.terms import terms

WRITERS = 8
PEOPLE = [f"Person{i:03} Smith" for i in range(200)]


def context() -> ForkServerContext:
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(
        ["kgmem.ingest.link", "kgmem.store.sqlite.engine", "kgmem.store.neo4j.engine", "apsw", "sqlite_vec"]
    )
    return made


def start(count: int, target: Callable[..., None], *args: Any) -> list[BaseProcess]:
    """`target(number, *args)` in as many processes."""
    made = [context().Process(target=target, args=(i, *args), daemon=True) for i in range(count)]
    for process in made:
        process.start()
    return made


def finish(processes: list[BaseProcess], timeout: float = 120) -> None:
    for process in processes:
        process.join(timeout)
    assert [p.exitcode for p in processes] == [0] * len(processes)


@lru_cache(maxsize=1000)
def version(i: int, n: int) -> Any:
    """Source `i` in its version `n`: several of the same people in each."""
    rnd = random.Random(i * 1000 + n)
    if i % 6 == 5:
        return make_conversation(
            "default", f"s{i}", [(rnd.choice(PEOPLE), f"I saw {rnd.choice(PEOPLE)}.") for _ in range(4)], names=PEOPLE
        )
    told = rnd.sample(PEOPLE, 12)
    text = "\n\n".join(f"{a} met {b}. {b} left {a} {n}." for a, b in pairwise(told))
    # Some are spelled but not recognised: linking finds them.
    return make_source(
        "default", f"s{i}", text, rnd.choice(["", *PEOPLE]), told[::2], [(told[0], "met", (told[1],))], [f"v{n}"]
    )


def write_overlapping(number: int, url: str, sources: int) -> None:
    """Writes a share of the sources that overlaps with the next process's, some of them in an older version first."""
    store = open_store(url, "default", FP)
    mine = [i for i in range(sources) if number in (i % WRITERS, (i + 1) % WRITERS)]
    random.Random(number).shuffle(mine)
    for i in mine:
        if number == i % WRITERS:
            store.put([version(i, 0)])
        store.put([version(i, 1)])
        if i % 3 == 0:
            link_pending(store)
    link_pending(store)
    store.close()


def write_until(number: int, url: str, stop: Any, done: Any) -> None:
    """Puts, replaces and deletes its own sources until told to stop."""
    store = open_store(url, "default", FP)
    n = 0
    while not stop.is_set() or n < 3:
        for i in range(number * 10, number * 10 + 10):
            store.put([version(i, n)])
        link_pending(store)
        store.delete([version(number * 10 + n % 10, 0).source.id])
        n += 1
    with done.get_lock():
        done.value += n
    store.close()


def read_until(number: int, url: str, stop: Any, done: Any) -> None:
    """Reads in every way until told to stop; what it sees must fit together, where the engine has one state to show."""
    store = open_store(url, "default", FP)
    check = check_one_state if url.startswith("sqlite:") else check_committed
    n = 0
    while not stop.is_set() or n < 3:
        check(store)
        n += 1
    with done.get_lock():
        done.value += n
    store.close()


def check_one_state(store: Any) -> None:
    with store.snapshot():
        chunks = list(all_chunks(store))
        counts = store.counts()
        assert len(chunks) == counts.chunks
        refs = [c.ref for c in chunks]
        near = store.cosines(refs, embed("Person001 Smith met"))
        assert set(near) == set(refs)
        assert all(len(near[c.ref].sentences) == len(c.chunk.sentences) for c in chunks)
        edges = store.chunk_edges(refs)
        entities = sorted(set(edges.right.tolist()))
        assert len(store.entity_names(entities)) == len(entities)
        back = store.entity_edges(entities, 1_000_000, NO_FILTER)
        assert triples(edges.left, edges.right, edges.weight) == triples(back.right, back.left, back.weight)
        named = Counter(edges.right.tolist())
        assert {entity: count for entity, (count, *_) in store.entity_info(entities).items()} == named
        beside = store.next_edges(refs)
        assert set(beside.left.tolist()) <= set(refs)
        assert triples(beside.left, beside.right, beside.weight) == triples(beside.right, beside.left, beside.weight)
        assert len(store.facts(limit=10_000)) == counts.facts
        nearest = store.vector_search(embed("Person001 Smith met"), 10, NO_FILTER)
        worded = store.term_search(terms("person smith met"), 10, NO_FILTER)
        found = [ref for ref, _ in [*nearest, *worded]]
        assert set(found) <= set(refs)
        assert len(store.chunks(found)) == len(found)
        assert all(np.isfinite(score) for _, score in nearest)


def triples(*arrays: Any) -> list[tuple[Any, ...]]:
    return sorted(zip(*(array.tolist() for array in arrays), strict=True))


def check_committed(store: Any) -> None:
    """For an engine whose reads each see what is committed by then: what has gone meanwhile is left out, no more."""
    chunks = list(all_chunks(store))
    refs = [c.ref for c in chunks]
    near = store.cosines(refs, embed("Person001 Smith met"))
    assert set(near) <= set(refs)
    assert all(len(near[c.ref].sentences) == len(c.chunk.sentences) for c in chunks if c.ref in near)
    edges = store.chunk_edges(refs)
    assert set(edges.left.tolist()) <= set(refs)
    entities = sorted(set(edges.right.tolist()))
    assert set(store.entity_names(entities)) <= set(entities)
    assert (edges.weight > 0).all()
    back = store.entity_edges(entities, 1_000_000, NO_FILTER)
    assert set(back.left.tolist()) <= set(entities)
    assert (back.weight > 0).all()
    info = store.entity_info(entities)
    assert set(info) <= set(entities)
    assert all(count >= 0 for count, *_ in info.values())
    assert all(store.source(fact.source_id) is None or fact.evidence for fact in store.facts(limit=10_000))
    nearest = store.vector_search(embed("Person001 Smith met"), 10, NO_FILTER)
    worded = store.term_search(terms("person smith met"), 10, NO_FILTER)
    assert all(np.isfinite(score) for _, score in [*nearest, *worded])


def open_at_once(number: int, url: str, barrier: Any) -> None:
    barrier.wait(60)
    store = open_store(url, f"n{number % 3}", FP)
    store.put([make_source(f"n{number % 3}", f"s{number}", f"{PEOPLE[number]} was first.", names=[PEOPLE[number]])])
    store.close()


def write_for_ever(number: int, url: str, seed: int, ready: Any) -> None:
    """Puts, deletes and links at random until it is killed."""
    rnd = random.Random(seed)
    store = open_store(url, "default", FP)
    ready.set()
    while True:
        i = rnd.randrange(30)
        what = rnd.random()
        if what < 0.6:
            store.put([version(i, rnd.randrange(4)), version(rnd.randrange(30), rnd.randrange(4))])
        elif what < 0.8:
            store.delete([version(j, 0).source.id for j in rnd.sample(range(30), 3)])
        else:
            link_pending(store)
