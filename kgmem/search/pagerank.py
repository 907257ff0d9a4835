"""Personalised PageRank over a local subgraph. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kgmem.model import Floats, Ref
from kgmem.store.contract import Edges

STEPS = 12
RESTART = 0.3


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Chunks first, then entities. `weights` is (nodes, nodes), from the column's node to the row's.

    `degree` is what a node's mass is divided by: of a chunk the total weight of all its edges, of an entity that
    of its edges within the subgraph.
    """

    chunks: Sequence[Ref]
    entities: Sequence[Ref]
    weights: csr_matrix
    degree: Floats


def subgraph(chunks: Sequence[Ref], entities: Sequence[Ref], naming: Edges, following: Edges) -> Subgraph:
    """Assemble a subgraph of these nodes from edges chunk–entity and chunk–chunk; edges that leave it are left out.

    `naming` gives all edges of these chunks, each once, `following` each edge between two chunks of a source
    from both sides, with what the left one hands to the right.
    """
    from_chunk = [places(chunks, edges.left) for edges in (naming, following)]
    named = _within(from_chunk[0], places(entities, naming.right), naming.weight, len(chunks))
    followed = _within(from_chunk[1], places(chunks, following.right), following.weight, 0)
    rows = np.concatenate([named[0], named[1], followed[1]])
    columns = np.concatenate([named[1], named[0], followed[0]])
    values = np.concatenate([named[2], named[2], followed[2]])
    size = len(chunks) + len(entities)
    of_chunks = sum(
        np.bincount(at + 1, edges.weight, len(chunks) + 1)[1:]
        for at, edges in zip(from_chunk, (naming, following), strict=True)
    )
    # Where there are no edges at all, bincount gives integers.
    degree = np.concatenate([of_chunks, np.bincount(rows, values, size)[len(chunks) :]], dtype=np.float64)
    return Subgraph(chunks, entities, csr_matrix((values, (rows, columns)), shape=(size, size)), degree)


def _within(
    left: NDArray[np.int64], right: NDArray[np.int64], weight: Floats, shift: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """The edges whose ends both have a place; the places on the right begin at `shift`."""
    inside = (left >= 0) & (right >= 0)
    return left[inside], right[inside] + shift, weight[inside]


def places(refs: Sequence[Ref], wanted: NDArray[Any]) -> NDArray[np.int64]:
    """The index in `refs` of each of `wanted`, -1 where it is not among them."""
    if not len(refs) or not len(wanted):
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(refs)
    known = np.asarray(refs)[order]
    at = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    found: NDArray[np.int64] = np.where(known[at] == wanted, order[at], -1)
    return found


def personalised_pagerank(graph: Subgraph, reset: Floats) -> Floats:
    """The mass at each node after STEPS steps with restart RESTART.

    What a chunk would hand to entities outside the subgraph is lost; what an
    entity has goes to its chunks inside.
    """
    inverse = np.divide(1.0, graph.degree, out=np.zeros_like(graph.degree), where=graph.degree > 0)
    x = reset.copy()
    for _ in range(STEPS):
        x = RESTART * reset + (1 - RESTART) * (graph.weights @ (x * inverse))
    return x
