"""Chunks that stand next to a candidate: who asks is answered in the next turn. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import regex

from kgmem.model import Ref
from kgmem.store.contract import Candidate, Edges

ANSWER_FACTOR = 5.0
"""How much more a chunk that ends in a question hands to the next one."""
_NOTE = regex.compile(r"\s*\[[^\[\]]*\]$")


def asks(ending: str) -> bool:
    """Whether a text that ends so ends in a question, whatever note in square brackets follows.

    >>> asks("What did you paint? [image: a sunset]")
    True
    """
    return _NOTE.sub("", ending.rstrip()).endswith(("?", "？"))


def answers(refs: Iterable[Ref], read: Mapping[Ref, Candidate]) -> dict[Ref, Ref]:
    """For each of `refs` that asks, the chunk after it."""
    following = ((ref, read[ref].after) for ref in refs if ref in read and asks(read[ref].ending))
    return {ref: after for ref, after in following if after is not None}


def led(following: Edges, read: Mapping[Ref, Candidate]) -> Edges:
    """The edges between neighbours, heavier from a candidate that asks to what comes after it."""
    answered = answers(read, read)
    pairs = zip(following.left.tolist(), following.right.tolist(), strict=True)
    factor = [ANSWER_FACTOR if answered.get(left, -1) == right else 1.0 for left, right in pairs]
    return replace(following, weight=following.weight * np.array(factor)) if factor else following
