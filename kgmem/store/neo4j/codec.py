"""How values are kept as Neo4j's properties: packed vectors, spans, times, forms of names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from kgmem.ids import to_json
from kgmem.model import EntityType
from kgmem.store.export import Forms


def pack_forms(forms: Forms) -> str:
    """JSON list of [surface, type, count]."""
    return to_json([[surface, kind, count] for (surface, kind), count in sorted(forms.items()) if count > 0])


def unpack_forms(packed: str) -> dict[tuple[str, EntityType], int]:
    return {(surface, kind): count for surface, kind, count in json.loads(packed)}


def flat(spans: Iterable[tuple[int, int]]) -> list[int]:
    return [offset for span in spans for offset in span]


def pairs(offsets: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(offsets[::2], offsets[1::2], strict=True))
