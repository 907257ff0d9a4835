"""Numbered handles: the namespace's number in the upper bits makes a namespace a range, and no number comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kgmem.model import EntityType, Ref
from kgmem.store.export import Forms

NAMESPACE_BITS = 40
NOWHERE = (1, 0)
"""A range that holds nothing: the namespace has not been written to yet."""


def namespace_range(number: int) -> tuple[int, int]:
    """First and last handle of the namespace with this number."""
    return number << NAMESPACE_BITS, (number + 1 << NAMESPACE_BITS) - 1


def within(bounds: tuple[int, int], refs: Iterable[Ref]) -> list[int]:
    """Those of `refs` that could be the namespace's: another's are no handles here."""
    low, high = bounds
    return [ref for ref in refs if isinstance(ref, int) and low <= ref <= high]


def called(forms: Forms) -> tuple[str, EntityType, tuple[str, ...]]:
    """Name (the most frequent form), type (the most frequent one) and other forms of an entity.

    `forms` counts (surface, type).
    """
    surfaces: Counter[str] = Counter()
    types: Counter[EntityType] = Counter()
    for (surface, kind), count in forms.items():
        surfaces[surface] += count
        # What only a title names is of no known kind: any recognised kind counts more.
        types[kind] += count * (1 if kind == "OTHER" else 1000)
    ranked: Sequence[str] = sorted(surfaces, key=lambda s: (-surfaces[s], s)) or [""]
    kinds: Sequence[EntityType] = sorted(types, key=lambda t: (-types[t], t))
    return ranked[0], kinds[0] if kinds else "OTHER", tuple(ranked[1:])
