"""Maximal marginal relevance (Carbonell and Goldstein 1998): hits that resemble better ones are put back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgmem.model import Ref, Vectors
from kgmem.store.contract import Store

DIVERSIFIED = 50


def diversified(store: Store, refs: Sequence[Ref], k: int, diversity: float) -> list[Ref]:
    """The `k` of the first DIVERSIFIED chunks (the first `k`, if that is more) that answer well and differ.

    `refs` is best first; with a `diversity` of 0 it stays as it is.
    """
    if not diversity:
        return list(refs)
    vectors = store.chunk_vectors(refs[: max(DIVERSIFIED, k)])
    # What has gone since it was ranked takes no place.
    pool = [ref for ref in refs[: max(DIVERSIFIED, k)] if ref in vectors]
    return [pool[i] for i in marginal_relevance([vectors[ref] for ref in pool], diversity, k)]


def marginal_relevance(vectors: Sequence[Vectors], diversity: float, count: int) -> list[int]:
    """Indices of up to `count` of these unit vectors (dim,), which are best first, in the order of their choice.

    Each next one has the greatest (1 - diversity) · relevance - diversity · cosine to the nearest one chosen, that
    being 0 at least. Relevance falls with the logarithm of the place, from 1 for the first to 0 for the fiftieth, as
    PageRank's masses roughly do: those themselves differ by powers of ten, and have no scale in common with a
    reranker's scores.
    """
    if not vectors:
        return []
    stacked = np.stack(vectors)
    relevance = 1 - np.log(np.arange(1, len(stacked) + 1)) / np.log(DIVERSIFIED)
    nearest = np.zeros(len(stacked))
    chosen: list[int] = []
    while len(chosen) < min(count, len(stacked)):
        gain = (1 - diversity) * relevance - diversity * nearest
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        nearest = np.maximum(nearest, stacked @ stacked[chosen[-1]])
    return chosen
