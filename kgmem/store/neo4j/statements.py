"""The Cypher of `cypher/`, one statement a file, and filters put into it."""

from __future__ import annotations

from datetime import UTC
from functools import cache
from math import inf
from typing import Any

from kgmem.ids import to_json
from kgmem.model import Filter
from kgmem.resources import read_cypher, read_schema

_FILTER_HERE = "// + filter"


@cache
def statement(name: str, *, filtered: bool = False) -> str:
    """The statement of `cypher/<name>.cypher`.

    A line `// + filter` in it stands where a filter on chunk `c` may be added; as it
    is, nothing is filtered.
    """
    text = _bare(read_cypher(name))
    if filtered:
        if _FILTER_HERE not in text:
            raise ValueError(f"{name} takes no filter")
        text = text.replace(_FILTER_HERE, f"AND {_bare(read_cypher('filter'))}")
    return text


def schema() -> list[str]:
    """The statements of `schema/neo4j.cypher`."""
    return [part.strip() for part in _bare(read_schema("neo4j.cypher")).split(";") if part.strip()]


def _bare(text: str) -> str:
    """Without the comment lines, but for the place of the filter."""
    lines = (line for line in text.splitlines() if not line.startswith("//") or line.strip() == _FILTER_HERE)
    return "\n".join(lines).strip()


def filter_parameters(where: Filter) -> dict[str, Any]:
    """The parameters of `cypher/filter.cypher`; null where nothing is asked."""
    return {
        "kinds": list(where.kinds) or None,
        "uris": list(where.uris) or None,
        "uri_prefix": where.uri_prefix or None,
        "tags": list(where.tags) or None,
        # Neo4j holds the same moment written in two zones for two.
        "since": where.since and where.since.astimezone(UTC),
        "until": where.until and where.until.astimezone(UTC),
        "facets": [facet(key, value) for key, value in where.metadata.items()] or None,
    }


def facets(metadata: dict[str, Any]) -> list[str]:
    """The plain values of a source's metadata, as filters compare them."""
    return sorted(facet(key, value) for key, value in metadata.items() if isinstance(value, str | int | float | bool))


def facet(key: str, value: str | int | float | bool) -> str:
    """One text for a key and its value: 1 and 1.0 are the same, 1 and true, 1 and "1" are not."""
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = inf if value > 0 else -inf
        value = number if number == value or abs(value) >= 2**63 else value
    return to_json([key, value])
