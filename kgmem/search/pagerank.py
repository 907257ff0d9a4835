"""Personalised PageRank over a local subgraph. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kgmem.model import Ref
from kgmem.store.contract import Edges

STEPS = 12
RESTART = 0.3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Chunks first, then entities. `weights` is symmetric, (nodes, nodes); `degree` counts in the whole graph."""

    chunks: Sequence[Ref]
    entities: Sequence[Ref]
    weights: csr_matrix
    degree: Floats


def subgraph(
    chunks: Sequence[Ref], entities: Sequence[Ref], naming: Edges, following: Edges, degree: Floats
) -> Subgraph:
    """Assemble a subgraph of these nodes from edges chunk–entity and chunk–chunk; edges that leave it are left out.

    `following` gives each edge between two turns from both sides, `naming` each of its edges once.
    """
    chunk_at = {ref: i for i, ref in enumerate(chunks)}
    entity_at = {ref: i + len(chunks) for i, ref in enumerate(entities)}
    named = _within(naming, chunk_at, entity_at)
    followed = _within(following, chunk_at, chunk_at)
    rows = np.concatenate([named[0], named[1], followed[0]])
    columns = np.concatenate([named[1], named[0], followed[1]])
    values = np.concatenate([named[2], named[2], followed[2]])
    size = len(chunks) + len(entities)
    return Subgraph(chunks, entities, csr_matrix((values, (rows, columns)), shape=(size, size)), degree)


def _within(
    edges: Edges, left: Mapping[Ref, int], right: Mapping[Ref, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """The edges whose ends both have a place, as places."""
    a = np.array([left.get(ref, -1) for ref in edges.left.tolist()], np.int64)
    b = np.array([right.get(ref, -1) for ref in edges.right.tolist()], np.int64)
    inside = (a >= 0) & (b >= 0)
    return a[inside], b[inside], edges.weight[inside]


def personalised_pagerank(graph: Subgraph, reset: Floats) -> Floats:
    """The mass at each node after STEPS steps with restart RESTART.

    Transitions are divided by the node's degree in the WHOLE graph, so mass
    that would leave the subgraph is lost and a hub spreads as thinly as it
    would there.
    """
    inverse = np.divide(1.0, graph.degree, out=np.zeros_like(graph.degree), where=graph.degree > 0)
    x = reset.copy()
    for _ in range(STEPS):
        x = RESTART * reset + (1 - RESTART) * (graph.weights @ (x * inverse))
    return x
