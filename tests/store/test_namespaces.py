"""Namespaces can't see each other: every reading method of the contract is called as B after A has written."""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from build import DIMENSION, FP, make_conversation, make_source
from dump import NO_FILTER, all_chunks, dump, refs

from kgmem import errors
from kgmem.model import Filter
from kgmem.store import open_store
from kgmem.store.contract import Counts, Edges, Evidence, Store

T = datetime(2024, 1, 1, tzinfo=UTC)
WRITES = {"adopt", "put", "delete", "seek_names", "link"}
SEES_NOTHING_OF_DATA = {"ahead", "close", "bookmarks", "follow", "snapshot", "fingerprint", "namespaces", "rarity"}
READS = sorted(
    name
    for name, _ in inspect.getmembers(Store, inspect.isfunction)
    if not name.startswith("_") and name not in WRITES | SEES_NOTHING_OF_DATA
)


def of(namespace):
    return [
        make_source(
            namespace,
            "file:zebra",
            "Zara Zebra met Otto Okapi in Zanzibar. Zara Zebra ran.\n\nOtto Okapi and Zara Zebra slept.",
            "Zara Zebra",
            ["Zara Zebra", "Otto Okapi", "Zanzibar"],
            [("Zara Zebra", "met", ("Otto Okapi",))],
            ["red"],
            {"k": 1},
            T,
        ),
        make_conversation(namespace, "talk", [("Zara Zebra", "Hello Otto Okapi.", T), ("Otto Okapi", "Hello.", T)]),
        make_source(namespace, "long", "x", "The Long Name of Six Whole Words Zebra"),
    ]


def arguments(a: Store):
    """For every reading method, calls that would find something of A's. A method without any fails its test."""
    chunk_refs = [c.ref for c in all_chunks(a)]
    entity_refs = [ref for id, ref in refs(a).items() if id.startswith("e")]
    keys = [e.key for e in a.entities(limit=1000)]
    entity_ids = [e.id for e in a.entities(limit=1000)]
    chunk_ids = [c.chunk.id for c in all_chunks(a)]
    source_ids = [s.id for s in a.sources()]
    heads = ["long name of six whole"]
    vector = np.ones(DIMENSION, np.float32) / DIMENSION**0.5
    filters = [NO_FILTER, Filter(tags=("red",)), Filter(kinds=("document",))]
    return {
        "pending_names": [(10,)],
        "pending_chunks": [(10,)],
        "known": [(keys,)],
        "known_by_head": [(heads,)],
        "vector_search": [(vector, 10, f) for f in filters],
        "term_search": [(["zebra", "zara"], 10, f) for f in filters],
        "time_search": [(T, T + timedelta(days=1), 10, f) for f in filters],
        "allowed": [(chunk_refs, f) for f in filters],
        "find_names": [(keys, f) for f in filters],
        "cosines": [(chunk_refs, vector)],
        "candidates": [(chunk_refs, vector)],
        "chunk_vectors": [(chunk_refs,)],
        "mentions_of": [(entity_refs, 10, f) for f in filters],
        "mentions_in": [(chunk_refs,)],
        "entities_in": [([(ref, 0) for ref in chunk_refs],)],
        "entity_edges": [(entity_refs, 10, f) for f in filters],
        "chunk_edges": [(chunk_refs,)],
        "next_edges": [(chunk_refs,)],
        "entity_info": [(entity_refs,)],
        "chunks": [(chunk_refs,)],
        "entity_names": [(entity_refs,)],
        "named": [(keys, (), f) for f in filters] + [((), heads, f) for f in filters],
        "seed_sentences": [(entity_refs, 10, chunk_refs, vector, f) for f in filters],
        "bridges": [([(ref, 0) for ref in chunk_refs], entity_refs, 10, f) for f in filters],
        "onward": [(entity_refs, 10, [], f) for f in filters] + [([], 10, chunk_refs, f) for f in filters],
        "evidence": [(chunk_refs, entity_refs, chunk_refs, chunk_refs, vector)],
        "source": [(id,) for id in source_ids],
        "sources": [()],
        "hashes": [(source_ids,)],
        "text": [(id,) for id in source_ids],
        "source_chunks": [(id,) for id in source_ids],
        "chunk": [(id,) for id in chunk_ids],
        "neighbours": [(chunk_ids, 5, 5)],
        "entity": [(id,) for id in entity_ids],
        "entities": [(), ("zebra",)],
        "entity_chunks": [(id, 10) for id in entity_ids],
        "entity_neighbours": [(id, 10) for id in entity_ids],
        "facts": [()],
        "fact": [(f.id,) for f in a.facts()],
        "documents": [()],
        "prepared": [()],
        "counts": [()],
    }


def gives_nothing(result) -> bool:
    if isinstance(result, Counts):
        return result == Counts(0, 0, 0, 0, 0, 0, 0)
    if isinstance(result, Edges):
        return len(result.left) == len(result.right) == len(result.weight) == 0
    if isinstance(result, Evidence):
        return not (result.chunks or result.entities or result.mentions or result.cosines)
    if isinstance(result, tuple):
        return all(map(gives_nothing, result))
    if inspect.isgenerator(result):
        return list(result) == []
    return not result


def test_every_reading_method_has_calls(store: Store):
    store.put(of("default"))
    assert sorted(arguments(store)) == READS


@pytest.mark.parametrize("method", READS)
def test_a_namespace_reads_nothing_of_another(engine, method):
    a, b, c = engine.open("a"), engine.open("b"), engine.open("c")
    a.put(of("a"))
    b.put([])
    calls = arguments(a)[method]
    assert calls
    assert any(not gives_nothing(getattr(a, method)(*args)) for args in calls), "the call finds nothing even as A"
    for args in calls:
        assert gives_nothing(getattr(b, method)(*args))
        assert gives_nothing(getattr(c, method)(*args)), "nor does a namespace that nobody has written to"


def test_writing_in_one_leaves_the_other_as_it_is(engine):
    a, b = engine.open("a"), engine.open("b")
    a.put(of("a"))
    before = dump(a)
    b.put(of("b"))
    assert dump(a) == before
    chunks = a.pending_chunks(100)
    b.link([(chunk, []) for chunk in chunks])
    b.seek_names(a.pending_names(100))
    assert b.delete([s.source.id for s in of("a")]) == 0
    assert dump(a) == before
    with pytest.raises(errors.StoreError):
        b.put(of("a"))
    assert dump(a) == before
    assert b.delete([s.source.id for s in of("b")]) == 3
    assert dump(a) == before


def weights_by_node(edges):
    """The weights of each node's edges, without its id, which another namespace's node has not."""
    found = defaultdict(list)
    for left, _, weight in edges:
        found[left].append(weight)
    return sorted(map(sorted, found.values()))


def test_the_same_sources_have_the_same_graph_in_each(engine):
    a, b = engine.open("a"), engine.open("b")
    a.put(of("a"))
    b.put(of("b"))
    one, two = dump(a), dump(b)
    assert one["counts"] == two["counts"]
    for edges in ("edges", "edges of entities", "next"):
        assert weights_by_node(one[edges]) == weights_by_node(two[edges])
    assert not {e.id for e in one["entities"]} & {e.id for e in two["entities"]}


def test_a_namespace_whose_first_write_failed_is_no_other_one(engine):
    """The failed namespace must not go on with what it took for its own before the write was undone."""
    failed = engine.open("failed")
    (good, *_) = of("failed")
    with pytest.raises(ValueError, match="shorter"):
        failed.put([replace(good, vectors=good.vectors[:0])])
    other = engine.open("other")
    other.put(of("other"))
    assert failed.counts().sources == 0
    assert failed.entities() == []
    assert failed.put([good]) == ["added"]
    assert other.counts().sources == 3


@pytest.mark.parametrize(
    "name", ["a", "A", "user:42", "team/alpha", "a@b.example", "0", "héllo wörld", "北京", "дом", "x" * 100, "a-b_c.d"]
)
def test_odd_names_are_namespaces(engine, name):
    store = engine.open(name)
    store.put([make_source(name, "s", "Zara Zebra.", names=["Zara Zebra"])])
    assert name in store.namespaces()
    assert engine.open(name).counts().sources == 1
    assert engine.open("default").counts().sources == 0


@pytest.mark.parametrize("name", ["", " ", "a\n", "-a", "a'b", 'a"', "a;b", "x" * 101, "a\0", "{a}", "🙂", "a*"])
def test_other_names_are_refused(engine, name):
    with pytest.raises(errors.UsageError, match="namespace"):
        open_store(engine.url, name, FP)


def test_names_that_look_alike_are_different(engine):
    for name in ("a", "A", "a ", "а"):
        engine.open(name).put([make_source(name, name, "text")])
    assert [s.uri for s in engine.open("a").sources()] == ["a"]
    assert engine.open().namespaces() == sorted(("a", "A", "a ", "а"))


def test_neighbours_are_counted_right_in_the_hundredth_namespace(engine):
    for i in range(99):
        engine.open(f"n{i}").put([])
    store = engine.open("last")
    text = "\n\n".join(["Ann met Bob. Ann left Bob. Cid met Ann. Ann Bob Cid."] * 3)
    store.put([make_source("last", "s", text, names=["Ann", "Bob", "Cid"])])
    (ann,) = store.entities("ann")
    assert [(e.name, n) for e, n in store.entity_neighbours(ann.id, 10)] == [("Bob", 9), ("Cid", 6)]
