"""Cosines of packed vectors: a chunk's own and those of its sentences lie one after the other, in every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgmem.model import Ref, Vectors
from kgmem.store.codec import unit_cosines, unpack_unit
from kgmem.store.contract import Cosines


def cosines_of(packed: Mapping[Ref, bytes], vector: Vectors) -> dict[Ref, Cosines]:
    """How near to `vector` (dim,) the packed vectors of each chunk are."""
    if not packed:
        return {}
    every = unit_cosines(packed.values(), vector)
    return {ref: Cosines(float(every[i]), every[i + 1 : end]) for ref, i, end in _places(packed, len(vector))}


def _places(packed: Mapping[Ref, bytes], dimension: int) -> Iterable[tuple[Ref, int, int]]:
    """Where the vectors of each chunk begin and end when all are put one after the other."""
    end = 0
    for ref, codes in packed.items():
        first, end = end, end + len(codes) // dimension
        yield ref, first, end


def own_vectors(packed: Mapping[Ref, bytes], dimension: int) -> dict[Ref, Vectors]:
    """The first vector (dimension,) of each packed value: a chunk's own stands before its sentences'."""
    first = unpack_unit([codes[:dimension] for codes in packed.values()], dimension)
    return dict(zip(packed, first, strict=True))
