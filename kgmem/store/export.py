"""From what an engine keeps of a source back to what it was given. Pure functions, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from kgmem.model import EntityType, Mention, Origin, Title

Forms = Mapping[tuple[str, EntityType], int]


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
    titles = []
    for key in own:
        counts = left.get(key, {})
        # A title gives the name no kind.
        untyped = sorted(((-n, surface) for (surface, kind), n in counts.items() if kind == "OTHER" and n))
        surface = untyped[0][1] if untyped else key
        titles.append(Title(key, _take(counts, surface, "OTHER")))
    # An acronym counts as it is spelled, so those choose first.
    placed = sorted(range(len(spots)), key=lambda i: (spots[i].origin != "acronym", i))
    mentions: dict[int, Mention] = {}
    for i in placed:
        spot = spots[i]
        counts = left.get(spot.key, {})
        name, kind = _chosen(counts, spot)
        _take(counts, name, kind)
        origin: Origin = next(o for o in get_args(Origin) if o == spot.origin)
        mentions[i] = Mention(
            spot.ordinal, spot.sentence, spot.start, spot.end, spot.surface, spot.key, name, kind, origin
        )
    return titles, [mentions[i] for i in range(len(spots))]


def _chosen(counts: Mapping[tuple[str, EntityType], int], spot: Spot) -> tuple[str, EntityType]:
    left = sorted(((name != spot.surface, -n, name, kind) for (name, kind), n in counts.items() if n > 0))
    return (left[0][2], left[0][3]) if left else (spot.surface or spot.key, "OTHER")


def _take(counts: dict[tuple[str, EntityType], int], name: str, kind: EntityType) -> str:
    if counts.get((name, kind), 0) > 0:
        counts[name, kind] -= 1
    return name
