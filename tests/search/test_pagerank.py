import numpy as np
import pytest

from kgmem.search.pagerank import RESTART, STEPS, personalised_pagerank, subgraph
from kgmem.store.contract import NO_EDGES, Edges


def edges(*rows: tuple[object, object, float]) -> Edges:
    left, right, weight = zip(*rows, strict=True)
    return Edges(np.array(left), np.array(right), np.array(weight, float))


def test_mass_goes_over_shared_entities_and_fades() -> None:
    naming = edges((1, 10, 1.0), (2, 10, 1.0), (2, 11, 1.0), (3, 11, 1.0))
    graph = subgraph([1, 2, 3], [10, 11], naming, NO_EDGES)
    mass = personalised_pagerank(graph, np.array([0.0, 0.0, 0.0, 1.0, 0.0]))
    assert mass[1] > mass[2] > 0
    assert mass[0] > mass[2]


def test_it_is_the_power_iteration_written_out() -> None:
    weights = np.array([[0, 0, 2.0, 1.0], [0, 0, 0, 3.0], [2.0, 0, 0, 0], [1.0, 3.0, 0, 0]])
    degree = np.array([5.0, 3.0, 2.0, 4.0])
    naming = edges((1, 8, 2.0), (1, 9, 1.0), (2, 9, 3.0), (1, 7, 2.0))
    graph = subgraph([1, 2], [8, 9], naming, NO_EDGES)
    reset = np.array([0.1, 0.2, 0.3, 0.0])
    x = reset
    for _ in range(STEPS):
        x = RESTART * reset + (1 - RESTART) * weights.T @ (x / degree)
    np.testing.assert_allclose(personalised_pagerank(graph, reset), x)


def test_a_chunk_loses_what_would_leave_and_an_entity_keeps_it() -> None:
    rows = (1, 10, 1.0), (2, 10, 1.0)
    inside = subgraph([1, 2], [10], edges(*rows), NO_EDGES)
    left_by_chunk = subgraph([1, 2], [10], edges(*rows, (1, 11, 8.0)), NO_EDGES)
    left_by_entity = subgraph([1, 2], [10], edges(*rows, (3, 10, 8.0)), NO_EDGES)
    left_by_turn = subgraph([1, 2], [10], edges(*rows), edges((1, 3, 8.0)))
    for node in range(3):
        reset = np.eye(3)[node]
        mass = personalised_pagerank(inside, reset)
        assert mass.sum() == pytest.approx(1)
        np.testing.assert_allclose(personalised_pagerank(left_by_entity, reset), mass)
        assert personalised_pagerank(left_by_chunk, reset).sum() < 0.9
        np.testing.assert_allclose(
            personalised_pagerank(left_by_turn, reset), personalised_pagerank(left_by_chunk, reset)
        )


def test_edges_that_leave_the_subgraph_are_left_out() -> None:
    graph = subgraph(["a"], ["x"], edges(("a", "x", 1.0), ("a", "y", 1.0), ("b", "x", 1.0)), NO_EDGES)
    assert graph.weights.nnz == 2


def test_turns_follow_each_other_both_ways() -> None:
    graph = subgraph([1, 2], [], NO_EDGES, edges((1, 2, 2.0), (2, 1, 2.0)))
    mass = personalised_pagerank(graph, np.array([1.0, 0.0]))
    assert mass.sum() == pytest.approx(1)
    assert mass[0] > mass[1] > 0


def test_a_node_without_edges_keeps_its_own() -> None:
    graph = subgraph([1], [], NO_EDGES, NO_EDGES)
    assert personalised_pagerank(graph, np.ones(1))[0] == pytest.approx(RESTART)


def test_neighbours_hand_on_what_their_own_edge_says() -> None:
    following = edges((1, 2, 6.0), (2, 1, 2.0))
    graph = subgraph([1, 2], [10], edges((1, 10, 2.0), (2, 10, 2.0)), following)
    assert graph.degree[:2].tolist() == [8.0, 4.0]
    # Column to row: what 1 hands to 2, and 2 to 1.
    assert (graph.weights[1, 0], graph.weights[0, 1]) == (6.0, 2.0)
