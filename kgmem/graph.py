"""Weights of the graph's edges, the same on every engine. Pure functions."""

from __future__ import annotations

from math import log

OWN_PAGE_MENTIONS = 2
OWN_PAGE_FACTOR = 3.0
TURN_WEIGHT = 2.0
"""Of the edge between two turns that follow each other."""
TALK_GAP = 6 * 3600
"""Seconds: what is said later than that after a turn does not follow it."""
PIECE_WEIGHT = 5.0
"""Of the edge between two neighbouring chunks of one text."""
_GRAIN = 1 << 20


def next_weight(conversation: bool) -> float:
    """Weight of the edge between two neighbouring chunks of a source."""
    return TURN_WEIGHT if conversation else PIECE_WEIGHT


def edge_weight(mentions: int, own: bool) -> float:
    """Weight of the edge between a chunk and an entity that it names `mentions` times.

    A chunk of the entity's own page (the source is titled by it) counts two
    mentions more and then three times. Rounded to 2**-20: whatever machine wrote
    it, the same mentions have the same weight, though logarithms may differ in
    the last bit, and sums don't depend on the order in which an engine gives
    the edges.
    """
    weight = OWN_PAGE_FACTOR * (1.0 + log(mentions + OWN_PAGE_MENTIONS)) if own else 1.0 + log(mentions)
    return round(weight * _GRAIN) / _GRAIN
