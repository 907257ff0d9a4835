"""What only Neo4j's searching can get wrong: its query syntax, its plans, and its approximate index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from build import DIMENSION, make_source
from conftest import Neo4jEngine
from dump import NO_FILTER, all_chunks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_namespaces import READS, arguments, of

from kgmem.ingest.link import link_pending
from kgmem.model import Filter
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.neo4j.lucene import MAX_TERMS, any_term, quoted
from kgmem.store.neo4j.statements import filter_parameters, statement

T = datetime(2024, 1, 1, tzinfo=UTC)
HOSTILE = [
    '"',
    "(",
    "C++",
    "AND",
    "OR NOT",
    "foo:bar",
    "~",
    "a/b",
    "\\",
    '\\"',
    "*",
    "",
    " ",
    "?",
    "[a TO b]",
    "{a}",
    "!x",
    "a^9",
    '" OR namespace:"x',
    "+partition:n1",
    "&&",
    "||",
    "\t\n",
    "\0",
    "x" * 10_000,
    "word " * 2_000,
]
SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "NodeIndexScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedRelationshipIndexScan",
    "UndirectedRelationshipIndexScan",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
}
PAGES = {"source_ids", "entity_refs_from", "fact_ids", "next_document"}
HEAVIEST = {"entity_edges", "entity_mentions", "entity_chunks", "find_names"}
NEAREST = {"nearest_chunks", "nearest_chunks_of_kinds", "nearest_chunks_between", "nearest_chunks_let_through"}


@pytest.fixture
def engine(request, tmp_path):
    made = Neo4jEngine(tmp_path, request)
    yield made
    made.close()


@pytest.mark.parametrize("term", HOSTILE)
def test_a_term_is_a_string_whatever_is_in_it(term):
    """Unquoted again it is the term, and no quote ends it before."""
    inside = quoted(term)[1:-1]
    taken, escaped = "", False
    for character in inside:
        assert escaped or character != '"'
        if escaped or character != "\\":
            taken += character
        escaped = character == "\\" and not escaped
    assert not escaped
    assert taken == term


def test_a_query_names_the_namespace_and_each_term_once():
    assert any_term(5, ["a", "b", "a"]) == ['+partition:"n5"^0 +(terms:"a" terms:"b")']
    assert any_term(5, ["", " ", "\0"]) == any_term(5, []) == []
    many = any_term(5, [f"t{i}" for i in range(2 * MAX_TERMS + 1)])
    assert [query.count("terms:") for query in many] == [MAX_TERMS, MAX_TERMS, 1]
    assert all(query.startswith('+partition:"n5"^0 +(') for query in many)


@pytest.mark.parametrize("term", HOSTILE)
def test_a_hostile_term_finds_nothing_and_nothing_of_others(engine, term):
    store, other = engine.open(), engine.open("other")
    store.put([make_source("default", "s", "zebra okapi")])
    other.put([make_source("other", "s", "zebra okapi")])
    mine = {c.ref for c in all_chunks(store)}
    for where in (NO_FILTER, Filter(kinds=("document",))):
        assert store.term_search([term], 5, where) == []
        assert {ref for ref, _ in store.term_search([term, "zebra"], 5, where)} == mine


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=5))
def test_any_terms_are_a_query(store, words):
    assert store.term_search(words, 5, NO_FILTER) == []


def test_a_long_questions_scores_add_up(store):
    store.put(
        [
            make_source("default", "both", "zebra okapi"),
            make_source("default", "one", "zebra llama"),
            make_source("default", "none", "llama llama"),
        ]
    )
    uris = {c.ref: c.source.uri for c in all_chunks(store)}
    filler = [f"word{i}" for i in range(MAX_TERMS)]
    short = store.term_search(["zebra", "okapi"], 5, NO_FILTER)
    long = store.term_search(["zebra", *filler, "okapi"], 5, NO_FILTER)
    assert [uris[ref] for ref, _ in long] == ["both", "one"]
    assert [ref for ref, _ in long] == [ref for ref, _ in short]
    assert [score for _, score in long] == pytest.approx([score for _, score in short])
    assert [uris[ref] for ref, _ in store.term_search(["okapi", *filler, "zebra"], 1, NO_FILTER)] == ["both"]


def operators(plan):
    yield plan["operatorType"].partition("@")[0], plan["args"].get("Details", "")
    for child in plan.get("children", ()):
        yield from operators(child)


class Asked:
    """The statements that a store reads by, with the operators of their plans."""

    def __init__(self, engine, store, monkeypatch):
        self._engine = engine
        self.statements: dict[tuple[str, bool], dict] = {}
        read = store.db.read

        def noted(name, where=NO_FILTER, **values):
            self.statements.setdefault((name, bool(where)), filter_parameters(where) | values)
            return read(name, where, **values)

        monkeypatch.setattr(store.db, "read", noted)

    def plans(self):
        with self._engine.driver.session() as session:
            for (name, filtered), values in self.statements.items():
                text = statement(name, filtered=filtered)
                yield name, list(operators(session.run("EXPLAIN " + text, values).consume().plan))


@pytest.fixture
def asked(engine, store, monkeypatch) -> Asked:
    store.put(of("default"))
    link_pending(store)
    calls = arguments(store)
    noting = Asked(engine, store, monkeypatch)
    for method in READS:
        for args in calls[method]:
            result = getattr(store, method)(*args)
            if method in ("documents", "prepared"):
                list(result)
    vector = np.ones(DIMENSION, np.float32)
    for where in (Filter(since=T), Filter(uris=("a",)), Filter(uri_prefix="a")):
        store.vector_search(vector, 5, where)
    return noting


def test_every_reading_goes_through_an_index(asked):
    names = set()
    for name, plan in asked.plans():
        names.add(name)
        assert not {operator for operator, _ in plan} & SCANS, (name, plan)
    assert names >= PAGES | HEAVIEST | NEAREST | {"chunk_edges", "nearest_chunks_exactly", "nearest_chunks_of_sources"}


def test_pages_come_in_the_order_of_the_index(asked):
    for name, plan in asked.plans():
        if name in PAGES:
            assert not any("Sort" in operator or "Top" in operator for operator, _ in plan), (name, plan)


def test_an_entitys_heaviest_chunks_come_in_the_order_of_the_index(asked):
    for name, plan in asked.plans():
        if name in HEAVIEST:
            seek = [details for operator, details in plan if operator == "DirectedRelationshipIndexSeek"]
            assert len(seek) == 1, (name, plan)
            assert "NAMES(entity, rank, chunk)" in seek[0]
            assert not any("Sort" in operator or "Top" in operator for operator, _ in plan), (name, plan)


def test_edges_are_read_from_the_index_alone(asked):
    (plan,) = [plan for name, plan in asked.plans() if name == "chunk_edges"]
    ((_, details),) = [step for step in plan if step[0] == "DirectedRelationshipIndexSeek"]
    assert all(f"cache[r.{name}]" in details for name in ("entity", "weight"))


def test_the_vector_index_is_used(asked):
    for name, plan in asked.plans():
        if name in NEAREST:
            assert any(operator == "NodeVectorIndexSearch" for operator, _ in plan), (name, plan)


COUNT = 3000
EVERY = 4
FILTERS = {
    "none": (NO_FILTER, lambda i: True),
    "kind": (Filter(kinds=("memory",)), lambda i: i % 2 == 0),
    "time": (Filter(since=T, until=T + timedelta(days=COUNT // 2)), lambda i: i < COUNT // 2),
    "kind and time": (
        Filter(kinds=("memory",), until=T + timedelta(days=COUNT // 2)),
        lambda i: i % 2 == 0 and i < COUNT // 2,
    ),
    "uri prefix": (Filter(uri_prefix="1"), lambda i: str(i).startswith("1")),
    "frequent tag": (Filter(tags=("often",)), lambda i: i % EVERY != 0),
    "rare tag": (Filter(tags=("rare",)), lambda i: i % 100 == 7),
    "metadata": (Filter(metadata={"third": 1}), lambda i: i % 3 == 1),
    "some uris": (Filter(uris=tuple(map(str, range(0, COUNT, 7)))), lambda i: i % 7 == 0),
    "tag and kind": (Filter(kinds=("memory",), tags=("often",)), lambda i: i % 2 == 0 and i % EVERY != 0),
}


def clustered(count: int, dimension: int, seed: int) -> np.ndarray:
    """Unit vectors around 60 centres, the same ones for each seed."""
    centres = np.random.default_rng(0).normal(size=(60, dimension))
    random = np.random.default_rng(seed)
    vectors = centres[random.integers(0, len(centres), count)] + 0.6 * random.normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.slow
def test_what_the_index_gives_is_nearly_exact(engine):
    """Recall at 10 and at 60 of an exact search over some thousands of vectors, with each kind of filter."""
    dimension = 64
    store = engine.open(fingerprint=EncoderFingerprint("clustered", "0", dimension))
    vectors = clustered(COUNT, dimension, 1)
    for start in range(0, COUNT, 500):
        store.put([written(i, vectors[i]) for i in range(start, start + 500)])
    refs = {int(c.source.uri): c.ref for c in all_chunks(store)}
    questions = clustered(40, dimension, 2)
    for name, (where, matches) in FILTERS.items():
        those = np.array([i for i in range(COUNT) if matches(i)])
        for k in (10, 60):
            recall = []
            for question in questions:
                cosines = vectors[those] @ question
                best = np.argsort(-cosines)[:k]
                found = store.vector_search(question, k, where)
                assert len(found) == min(k, len(those)), name
                assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
                assert found[0][1] == pytest.approx(float(cosines[best[0]]), abs=1e-5)
                wanted = {refs[int(i)] for i in those[best]}
                recall.append(len(wanted & {ref for ref, _ in found}) / len(wanted))
            assert np.mean(recall) >= 0.99, (name, k)


def written(i: int, vector: np.ndarray):
    source = make_source(
        "default",
        str(i),
        ".",
        kind="memory" if i % 2 == 0 else "document",
        tags=(["often"] if i % EVERY else []) + (["rare"] if i % 100 == 7 else []),
        metadata={"third": i % 3},
        timestamp=T + timedelta(days=i),
        vector=vector,
    )
    return replace(source, sentence_vectors=[vector[None]])


def test_a_small_namespace_among_many_others_chunks_is_found_whole(engine):
    """The index's graph leads through all of them."""
    crowd, few = engine.open("crowd"), engine.open("few")
    vectors = clustered(1500, DIMENSION, 3)
    crowd.put([make_source("crowd", str(i), ".", vector=vectors[i]) for i in range(1500)])
    few.put([make_source("few", str(i), ".", vector=-vectors[0]) for i in range(30)])
    assert len(few.vector_search(vectors[0], 60, NO_FILTER)) == 30
    assert len(few.vector_search(vectors[0], 20, NO_FILTER)) == 20
    assert len(few.vector_search(vectors[0], 60, Filter(kinds=("document",)))) == 30
    assert few.vector_search(vectors[0], 60, Filter(since=T)) == []


def test_equally_near_chunks_come_in_the_order_they_were_written(store):
    vector = clustered(1, DIMENSION, 4)[0]
    store.put([make_source("default", str(i), ".", vector=vector) for i in range(20)])
    found = [ref for ref, _ in store.vector_search(vector, 10, NO_FILTER)]
    assert found == sorted(c.ref for c in all_chunks(store))[:10]


def test_reading_what_is_being_deleted_is_no_error(engine):
    """Neo4j reads what is committed at each moment: a row found in an index may have no values a moment later."""
    store, writer = engine.open(), engine.open()
    store.put(of("default"))
    calls = arguments(store)

    def write():
        for _ in range(12):
            writer.delete([s.source.id for s in of("default")])
            writer.put(of("default"))

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            for method in READS:
                for args in calls[method]:
                    result = getattr(store, method)(*args)
                    if method == "documents":
                        list(result)
        writing.result()
