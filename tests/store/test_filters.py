"""A filtered search gives as many rows as there are; what a filter compares is exact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from build import embed, make_conversation, make_source, near
from dump import NO_FILTER, all_chunks, refs

from kgmem.model import Filter
from kgmem.names import entity_key
from kgmem.store.contract import Store
from kgmem.terms import terms

QUESTION = embed("zebra")
T = datetime(2024, 1, 10, tzinfo=UTC)
KEYS = ("a.b", "$", "$.a", 'say "hi"', "it's", "a b", "[0]", "ключ", "键", "x\\y", "", "\t", "a/b", "`k`")

# How each kind of filter is written, what matches it and what does not.
CASES = {
    "kinds": (Filter(kinds=("memory",)), {"kind": "memory"}, {"kind": "document"}),
    "several kinds": (Filter(kinds=("memory", "conversation")), {"kind": "memory"}, {}),
    "uri prefix": (Filter(uri_prefix="good/"), {"uri": "good/{}"}, {"uri": "bad/{}"}),
    "uri prefix with wildcards": (Filter(uri_prefix="g%_d*/"), {"uri": "g%_d*/{}"}, {"uri": "good/{}"}),
    "uri prefix, emoji": (Filter(uri_prefix="🙂/"), {"uri": "🙂/{}"}, {"uri": "🙁/{}"}),
    "tag": (Filter(tags=("red",)), {"tags": ["blue", "red"]}, {"tags": ["Red", "reddish", "re"]}),
    "all of several tags": (Filter(tags=("red", "blue")), {"tags": ["blue", "x", "red"]}, {"tags": ["red"]}),
    "odd tag": (Filter(tags=('"],[%',)), {"tags": ['"],[%']}, {"tags": ['"', "[%"]}),
    "text": (Filter(metadata={"k": "1"}), {"metadata": {"k": "1"}}, {"metadata": {"k": 1}}),
    "number": (Filter(metadata={"k": 1}), {"metadata": {"k": 1}}, {"metadata": {"k": "1"}}),
    "number, not true": (Filter(metadata={"k": 1}), {"metadata": {"k": 1}}, {"metadata": {"k": True}}),
    "true, not a number": (Filter(metadata={"k": True}), {"metadata": {"k": True}}, {"metadata": {"k": 1}}),
    "false": (Filter(metadata={"k": False}), {"metadata": {"k": False}}, {"metadata": {"k": 0}}),
    "zero": (Filter(metadata={"k": 0}), {"metadata": {"k": 0}}, {"metadata": {"k": False}}),
    "empty text": (Filter(metadata={"k": ""}), {"metadata": {"k": ""}}, {"metadata": {"k": None}}),
    "fraction": (Filter(metadata={"k": 0.1 + 0.2}), {"metadata": {"k": 0.1 + 0.2}}, {"metadata": {"k": 0.3}}),
    "whole fraction": (Filter(metadata={"k": 2.0}), {"metadata": {"k": 2}}, {"metadata": {"k": 2.5}}),
    "large": (Filter(metadata={"k": 2**62 + 1}), {"metadata": {"k": 2**62 + 1}}, {"metadata": {"k": 2**62}}),
    "text of a list": (Filter(metadata={"k": "[1]"}), {"metadata": {"k": "[1]"}}, {"metadata": {"k": [1]}}),
    "text of an object": (Filter(metadata={"k": '{}'}), {"metadata": {"k": '{}'}}, {"metadata": {"k": {}}}),
    "top level only": (Filter(metadata={"k": 1}), {"metadata": {"k": 1}}, {"metadata": {"n": {"k": 1}}}),
    "several values": (Filter(metadata={"k": 1, "l": "x"}), {"metadata": {"k": 1, "l": "x"}}, {"metadata": {"k": 1}}),
    "since": (Filter(since=T), {"timestamp": T}, {"timestamp": T - timedelta(microseconds=1)}),
    "until": (Filter(until=T), {"timestamp": T - timedelta(microseconds=1)}, {"timestamp": T}),
    "a time, not none": (Filter(since=T), {"timestamp": T}, {}),
    "before 1970": (
        Filter(until=datetime(1900, 1, 1, tzinfo=UTC)),
        {"timestamp": datetime(1815, 12, 10, tzinfo=UTC)},
        {"timestamp": datetime(1969, 12, 31, tzinfo=UTC)},
    ),
    "another zone": (
        Filter(since=datetime(2024, 1, 10, 8, tzinfo=timezone(timedelta(hours=8)))),
        {"timestamp": T},
        {"timestamp": T - timedelta(hours=1)},
    ),
    "everything at once": (
        Filter(("memory",), (), "good/", ("red",), T, T + timedelta(days=1), {"k": 1}),
        {"kind": "memory", "uri": "good/{}", "tags": ["red"], "timestamp": T, "metadata": {"k": 1}},
        {"kind": "memory", "uri": "good/{}", "tags": ["red"], "timestamp": T, "metadata": {"k": 2}},
    ),
} | {
    f"key {key!r}": (Filter(metadata={key: "v"}), {"metadata": {key: "v"}}, {"metadata": {key + "x": "v", "v": key}})
    for key in KEYS
}  # fmt: skip


def written(i, angle, fields):
    """A source that names the zebra; the larger the angle, the further it is from the question, in every way."""
    uri = fields.get("uri", "s{}").format(i)
    text = "Zebra. " + "The zebra ran. " * (1 if angle > 0.5 else 5) + ("Filler words here. " * int(angle * 20))
    rest = {k: v for k, v in fields.items() if k != "uri"}
    return make_source("default", uri, text, "Zebra", ["zebra", "Zebra"], vector=near(QUESTION, angle), **rest)


@pytest.mark.parametrize("case", CASES)
def test_a_filter_still_gives_k_rows(store: Store, case):
    """Five near ones that do not match, ten far ones that do."""
    where, matching, other = CASES[case]
    near_ones = [written(i, 0.01 * i, other) for i in range(5)]
    far_ones = [written(i + 5, 0.6 + 0.01 * i, matching) for i in range(10)]
    store.put(near_ones + far_ones)
    wanted = {c.id for s in far_ones for c in s.chunks}
    ids = {c.ref: c.chunk.id for c in all_chunks(store)}

    def check(found, count=5):
        assert len(found) == len(set(found)) == count
        assert {ids[ref] for ref in found} <= wanted

    nearest = store.vector_search(QUESTION, 5, where)
    check([ref for ref, _ in nearest])
    assert [ids[ref] for ref, _ in nearest] == [s.chunks[0].id for s in far_ones[:5]]
    check([ref for ref, _ in store.vector_search(QUESTION, 100, where)], 10)
    check([ref for ref, _ in store.term_search(terms("zebra"), 5, where)])
    assert {ids[ref] for ref in store.allowed(list(ids), where)} == wanted
    timed = store.time_search(T - timedelta(days=99999), T + timedelta(days=99999), 5, where)
    check(timed, 5 if "timestamp" in matching else 0)
    (zebra,) = store.find_names([entity_key("zebra")], where)
    assert zebra.chunk_count == 15
    check(zebra.own, 10)
    assert len(store.mentions_of([zebra.ref], 5, where)) == 5
    check({m.chunk for m in store.mentions_of([zebra.ref], 1000, where)}, 10)
    check(list(store.entity_edges([zebra.ref], 5, where).right.tolist()))
    check(list(store.entity_edges([zebra.ref], 1000, where).right.tolist()), 10)


def test_uris_name_sources_exactly(store: Store):
    sources = [make_source("default", uri, "zebra") for uri in ("a", "A", "aa", "a ", "%", "b'c")]
    store.put(sources)
    ids = {c.ref: c.source.uri for c in all_chunks(store)}
    for uri in ids.values():
        assert [ids[r] for r, _ in store.vector_search(QUESTION, 9, Filter(uris=(uri,)))] == [uri]
    found = store.term_search(["zebra"], 9, Filter(uris=("a", "%", "missing")))
    assert {ids[r] for r, _ in found} == {"a", "%"}


def test_a_turns_own_time_counts_before_its_conversations(store: Store):
    talk = make_conversation(
        "default", "talk", [("A", "zebra one", T), ("B", "zebra two", T + timedelta(days=1)), ("C", "zebra three")]
    )
    store.put([talk])
    ids = {c.ref: c.chunk.ordinal for c in all_chunks(store)}
    where = Filter(since=T + timedelta(hours=1))
    assert {ids[r] for r, _ in store.term_search(["zebra"], 9, where)} == {1}
    assert [ids[r] for r in store.time_search(T, T + timedelta(days=9), 9, NO_FILTER)] == [0, 1]
    assert [ids[r] for r in store.time_search(T, T + timedelta(days=9), 1, NO_FILTER)] == [0]
    assert [ids[r] for r in store.time_search(T, T + timedelta(days=9), 9, where)] == [1]
    assert [ids[r] for r in store.time_search(T + timedelta(microseconds=1), T + timedelta(days=1), 9, NO_FILTER)] == []


def test_time_search_is_oldest_first(store: Store):
    days = [5, 1, 4, 2, 3]
    store.put([make_source("default", f"s{d}", "zebra", timestamp=T + timedelta(days=d)) for d in days])
    ids = {c.ref: c.source.uri for c in all_chunks(store)}
    assert [ids[r] for r in store.time_search(T, T + timedelta(days=5), 3, NO_FILTER)] == ["s1", "s2", "s3"]


def test_a_filter_that_nothing_matches(store: Store):
    store.put([written(0, 0.1, {})])
    where = Filter(tags=("none",))
    handles = refs(store)
    (zebra,) = store.find_names(["zebra"], where)
    assert zebra.own == ()
    assert store.vector_search(QUESTION, 5, where) == store.term_search(["zebra"], 5, where) == []
    assert store.allowed(list(handles.values()), where) == set()
    assert store.mentions_of([zebra.ref], 5, where) == []
    assert len(store.entity_edges([zebra.ref], 5, where).weight) == 0


def test_texts_of_nothing_take_no_place_among_the_nearest(store: Store):
    store.put([make_source("default", f"blank{i}", "…", vector=QUESTION * 0) for i in range(20)])
    store.put([make_source("default", f"s{i}", "zebra", vector=near(QUESTION, 0.5)) for i in range(5)])
    found = store.vector_search(QUESTION, 5, NO_FILTER)
    assert [round(score, 3) for _, score in found] == [round(0.8776, 3)] * 5
    assert store.vector_search(QUESTION * 0, 5, NO_FILTER) == []
    blank = [c.ref for c in all_chunks(store) if c.chunk.text == "…"]
    cosines = store.cosines(blank, QUESTION)
    assert len(cosines) == 20
    assert all(near.whole == 0 for near in cosines.values())
    assert not any(p.vectors.any() for p in store.prepared() if p.text == "…")


def test_k_of_nought_and_k_beyond_all(store: Store):
    store.put([make_source("default", f"s{i}", "zebra") for i in range(3)])
    assert store.vector_search(QUESTION, 0, NO_FILTER) == store.term_search(["zebra"], 0, NO_FILTER) == []
    assert len(store.vector_search(QUESTION, 100_000, NO_FILTER)) == 3
    assert len(store.term_search(["zebra"], 100_000, NO_FILTER)) == 3
