"""The hybrid prior: vector, full text, best sentence and dates of a candidate made one figure. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgmem.model import Floats

ENCODER_WEIGHT = 0.7
"""What the passage's cosine and its best sentence's weigh each, beside 1 for the words."""
COSINE_SPAN = 0.4
"""Cosines that lie closer together than this are not spread over 0–1."""
WORDS_SPAN = 0.5
"""Nor are scores of words that lie closer together than this part of the best."""
DATE_BONUS = 0.5
RESET_PASSAGES = 30
RESET_POWER = 4
RESET_FLOOR = 0.999
RESET_SUM = 0.3


def min_max(values: Floats, least: float = 0.0) -> Floats:
    """Scaled to 0–1 over the list, or less where it spans less than `least`: small differences stay small.

    All zero where all are equal: an arm that tells nothing adds nothing.
    """
    if not len(values):
        return values
    low = values.min()
    span = max(values.max() - low, least)
    return (values - low) / span if span > 0 else np.zeros_like(values)


def prior(vector: Floats, words: Floats, sentence: Floats, dated: NDArray[np.bool_], *, trust: float = 1.0) -> Floats:
    """The prior of each candidate, 0–1: min-max of its words' score, plus 0.7 of each of the two cosines'.

    `trust` weighs what comes from the encoder, by how much of the question its
    vocabulary knows.
    """
    near = min_max(vector, COSINE_SPAN) + min_max(sentence, COSINE_SPAN)
    worded = min_max(words, WORDS_SPAN * words.max(initial=0.0))
    total = ENCODER_WEIGHT * trust * near + worded + DATE_BONUS * dated
    return min_max(total) if len(total) > 1 else np.ones_like(total)


def passage_reset(priors: Floats) -> Floats:
    """Restart mass of each candidate: the 30 best, (h − 0.999·h₃₀)⁴, scaled to sum 0.3.

    Sharp, so that a clear winner keeps its place whatever the graph says.
    """
    if not len(priors):
        return priors
    place = min(RESET_PASSAGES, len(priors)) - 1
    floor = np.sort(priors)[::-1][place] * RESET_FLOOR
    mass = np.where(priors >= floor, (priors - floor).clip(0), 0.0) ** RESET_POWER
    # Of equals at the floor no more than 30 get any.
    mass[np.argsort(-mass, kind="stable")[RESET_PASSAGES:]] = 0.0
    return RESET_SUM * mass / mass.sum() if mass.sum() else mass


def order(scores: Sequence[float] | Floats) -> NDArray[np.int64]:
    """Indices best first, earlier ones first among equals."""
    return np.argsort(-np.asarray(scores, np.float64), kind="stable")
