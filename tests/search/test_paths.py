"""Shortest paths: over any graph, and over a store's sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgmem import errors
from kgmem.model import Entity
from kgmem.names import entity_key
from kgmem.search.paths import evidence_paths, shortest_paths
from kgmem.service import Kgmem

Graph = Mapping[int, set[int]]


def undirected(edges: Sequence[tuple[int, int]]) -> Graph:
    graph: dict[int, set[int]] = {}
    for a, b in edges:
        graph.setdefault(a, set()).add(b)
        graph.setdefault(b, set()).add(a)
    return graph


def found(graph: Graph, start: int, goal: int, hops: int, limit: int = 10) -> list[tuple[int, ...]]:
    return shortest_paths(start, goal, lambda level: {n: sorted(graph.get(n, ())) for n in level}, hops, limit)


def plainly(graph: Graph, start: int, goal: int, hops: int) -> set[tuple[int, ...]]:
    """All shortest paths, by trying every walk."""
    paths: list[tuple[int, ...]] = [(start,)]
    for _ in range(hops):
        paths = [(*path, n) for path in paths for n in graph.get(path[-1], ()) if n not in path]
        if ends := {path for path in paths if path[-1] == goal}:
            return ends
    return set()


NODES = st.integers(0, 8)


@given(st.lists(st.tuples(NODES, NODES).filter(lambda e: e[0] != e[1]), max_size=14), st.integers(1, 4))
def test_shortest_paths_are_those_of_a_plain_search(edges: list[tuple[int, int]], hops: int) -> None:
    graph = undirected(edges)
    expected = plainly(graph, 0, 1, hops)
    got = found(graph, 0, 1, hops, 10_000)
    assert len(got) == len(set(got))
    assert set(got) <= expected
    assert bool(got) == bool(expected)
    if len(expected) <= 10:
        assert set(got) == expected


def test_a_hub_asks_for_each_node_once() -> None:
    graph = undirected([(0, n) for n in range(2, 1000)] + [(n, 1) for n in range(2, 1000)])
    asked: list[int] = []

    def around(level: Sequence[int]) -> dict[int, list[int]]:
        asked.extend(level)
        return {n: sorted(graph[n]) for n in level}

    paths = shortest_paths(0, 1, around, 4, 3)
    assert [len(path) for path in paths] == [3, 3, 3]
    assert asked == [0, 1]


@pytest.fixture
def filled(kg: Kgmem) -> Kgmem:
    for number, text in enumerate(
        (
            "Ada Lovelace met Charles Babbage in London.",
            "Charles Babbage was a professor at the University of Cambridge.",
            "Isaac Newton taught at the University of Cambridge.",
            "Grace Hopper worked with Howard Aiken.",
        )
    ):
        kg.ingest_text(text, uri=str(number))
    return kg


def named(kg: Kgmem, name: str) -> Entity:
    return next(entity for entity in kg.store.entities(entity_key(name)) if entity.key == entity_key(name))


def test_each_step_has_a_sentence_that_names_both(filled: Kgmem) -> None:
    ends = named(filled, "Ada Lovelace"), named(filled, "Isaac Newton")
    path = evidence_paths(filled.store, *ends)[0]
    assert [step.start.name for step in path] == ["Ada Lovelace", "Charles Babbage", "University of Cambridge"]
    assert path[-1].end.name == "Isaac Newton"
    assert all(step.start.name in step.sentence and step.end.name in step.sentence for step in path)
    assert all(before.end == after.start for before, after in pairwise(path))
    back = evidence_paths(filled.store, *reversed(ends))[0]
    assert [step.sentence for step in reversed(back)] == [step.sentence for step in path]


def test_no_path_is_no_error(filled: Kgmem) -> None:
    ends = named(filled, "Ada Lovelace"), named(filled, "Grace Hopper")
    assert evidence_paths(filled.store, *ends) == []
    assert evidence_paths(filled.store, named(filled, "Ada Lovelace"), named(filled, "Isaac Newton"), max_hops=2) == []


@pytest.mark.parametrize("wrong", [{"max_hops": 0}, {"max_hops": 5}, {"limit": 0}, {"limit": 11}])
def test_bounds_are_told(filled: Kgmem, wrong: dict[str, int]) -> None:
    ends = named(filled, "Ada Lovelace"), named(filled, "Isaac Newton")
    with pytest.raises(errors.QueryError):
        evidence_paths(filled.store, *ends, **wrong)
    with pytest.raises(errors.QueryError, match="same entity"):
        evidence_paths(filled.store, ends[0], ends[0])
