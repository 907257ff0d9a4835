"""What the words of a question say of each candidate, also of those that the full-text arm did not find. Pure.

A full-text arm gives the best chunks by BM25 and nothing of the others, in
which the same words may stand; and it fixes how much rare words count. So the
candidates are scored again, all of them, by their own index terms. What each
term is worth need not be asked for: the arm's own scores tell it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import nnls

from kgmem.model import Floats

SATURATION = 0.6
"""BM25's k1 for candidates: how much a word's second and third time count."""
LENGTH = 0.2
"""BM25's b for candidates: how much a long chunk loses."""
RARITY = 1.5
"""A term counts its inverse document frequency to this power."""
_ARM_SATURATION = 1.2
_ARM_LENGTH = 0.75
"""BM25 as both engines' full-text indexes reckon it."""
_MEAN_LENGTHS = (0.6, 0.8, 1.0, 1.25, 1.6)
"""The mean length over the whole index is one of these times that of the candidates: whichever fits best."""


def word_scores(
    asked: Sequence[Sequence[str]],
    texts: Sequence[str],
    found: Sequence[float | None],
    rarity: Callable[[Floats], Floats] = lambda weights: weights,
) -> Floats:
    """A score (n,) of each of n chunks for the question's words, each given by its terms; 0 where none is in it.

    Of a word's terms the best counts: a compound and its parts are one word
    that was asked for. `texts[i]` are a chunk's index terms parted by spaces, `found[i]` is the
    full-text arm's score of it, None where the arm did not give it, `rarity`
    says how rare a term is by what it is worth there (`Store.rarity`).
    """
    place = {term: i for i, term in enumerate(term for word in asked for term in word)}
    counts = np.zeros((len(texts), len(place)))
    lengths = np.zeros(len(texts))
    for row, text in enumerate(texts):
        words = text.split(" ")
        lengths[row] = len(words)
        for word in words:
            if (column := place.get(word)) is not None:
                counts[row, column] += 1
    given = np.array([score is not None for score in found], bool)
    scores = np.array([score for score in found if score is not None], np.float64)
    if not len(scores) or not len(place):
        return np.zeros(len(texts))
    weights, mean = term_weights(counts[given], lengths[given], scores)
    shares = _saturated(counts, lengths, mean, SATURATION, LENGTH) * rarity(weights) ** RARITY
    best = [shares[:, [place[term] for term in word]].max(axis=1) for word in asked]
    scored: Floats = np.sum(best, axis=0)
    return scored


def term_weights(counts: Floats, lengths: Floats, scores: Floats) -> tuple[Floats, float]:
    """What each term adds to BM25 by being rare, (terms,), and the mean length of chunks, from BM25 scores.

    `counts` is (chunks, terms), `lengths` and `scores` (chunks,). BM25 is
    linear in them, so they are its least-squares solution. A term that none of
    these chunks has gets 0.
    """
    fits = []
    for times in _MEAN_LENGTHS:
        mean = float(lengths.mean()) * times
        weights, residual = nnls(_saturated(counts, lengths, mean, _ARM_SATURATION, _ARM_LENGTH), scores)
        fits.append((float(residual), weights, mean))
    _, weights, mean = min(fits, key=lambda fit: fit[0])
    return weights, mean


def _saturated(counts: Floats, lengths: Floats, mean: float, k1: float, b: float) -> Floats:
    """BM25's share of each term in each chunk, without how rare it is: (chunks, terms)."""
    shares: Floats = counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / mean)[:, None])
    return shares
