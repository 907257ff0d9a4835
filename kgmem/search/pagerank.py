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
    """Assemble a subgraph of these nodes from edges chunk–entity and chunk–chunk; edges that leave it are left out."""
    chunk_at = {ref: i for i, ref in enumerate(chunks)}
    entity_at = {ref: i + len(chunks) for i, ref in enumerate(entities)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    _collect(naming, chunk_at, entity_at, rows, columns, values)
    _collect(following, chunk_at, chunk_at, rows, columns, values)
    size = len(chunks) + len(entities)
    half = csr_matrix((values, (rows, columns)), shape=(size, size), dtype=np.float64)
    # The edge between two turns is given from both sides.
    named = half[: len(chunks)].tocoo()
    crossing = named.col >= len(chunks)
    mirrored = csr_matrix((named.data[crossing], (named.col[crossing], named.row[crossing])), shape=(size, size))
    return Subgraph(chunks, entities, (half + mirrored).tocsr(), degree)


def _collect(
    edges: Edges,
    left: Mapping[Ref, int],
    right: Mapping[Ref, int],
    rows: list[int],
    columns: list[int],
    values: list[float],
) -> None:
    for a, b, weight in zip(edges.left, edges.right, edges.weight, strict=True):
        i, j = left.get(a), right.get(b)
        if i is not None and j is not None:
            rows.append(i)
            columns.append(j)
            values.append(weight)


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
