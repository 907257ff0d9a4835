"""From what an engine keeps of a source back to what it was given. Pure functions, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from kgmem.model import EntityType, Mention, Origin, Title

Forms = Mapping[tuple[str, EntityType], int]
_ORIGINS: dict[str, Origin] = {origin: origin for origin in get_args(Origin)}


@dataclass(frozen=True, slots=True)
class Spot:
    """A mention as engines keep it: where it is, of which entity, and how it came about."""

    ordinal: int
    sentence: int
    start: int
    end: int
    surface: str
    key: str
    origin: str


def titles_and_mentions(
    spots: Sequence[Spot], forms: Mapping[str, Forms], own: Sequence[str]
) -> tuple[list[Title], list[Mention]]:
    """The titles and mentions that give these spots, forms of each key, and own pages.

    Engines count the forms of a name in a source and forget which mention had
    which; any assignment that leaves the same counts is as good.
    """
    left = {key: dict(counts) for key, counts in forms.items()}
    chosen: dict[int, tuple[str, EntityType]] = {}
    # An acronym counts as it is spelled, and a title gives no kind, so these choose first.
    for i, spot in enumerate(spots):
        if spot.origin == "acronym":
            chosen[i] = _taken(left.get(spot.key, {}), spot.surface)
    titles = [Title(key, *_taken(left.get(key, {}), key, untyped=True)) for key in own]
    for i, spot in enumerate(spots):
        if i not in chosen:
            chosen[i] = _taken(left.get(spot.key, {}), spot.surface or spot.key)
    return titles, [
        Mention(s.ordinal, s.sentence, s.start, s.end, s.surface, s.key, *chosen[i], _ORIGINS[s.origin])
        for i, s in enumerate(spots)
    ]


def _taken(counts: dict[tuple[str, EntityType], int], surface: str, *, untyped: bool = False) -> tuple[str, EntityType]:
    """Take one of the forms that are left: spelled like `surface` if there is one, of a kind if there is one."""
    ranked = sorted(
        ((name != surface) if not untyped else False, kind == "OTHER", name, kind)
        for (name, kind), count in counts.items()
        if count > 0 and (kind == "OTHER" or not untyped)
    )
    if not ranked:
        return surface, "OTHER"
    _, _, name, kind = ranked[0]
    counts[name, kind] -= 1
    return name, kind
