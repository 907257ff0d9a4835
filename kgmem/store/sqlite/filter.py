"""A `Filter` as a SQL condition over chunk `c` and source `s`. All values are bound."""

from __future__ import annotations

from math import inf

from kgmem.ids import to_json
from kgmem.model import Filter
from kgmem.store.codec import to_micros


def condition(where: Filter) -> tuple[str, list[object]]:
    """(SQL, values); the SQL is `1` for an empty filter."""
    parts: list[str] = []
    values: list[object] = []
    for column, wanted in (("s.kind", where.kinds), ("s.uri", where.uris)):
        if wanted:
            parts.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(to_json(list(wanted)))
    if where.uri_prefix:
        parts.append("substr(s.uri, 1, ?) = ?")
        values += [len(where.uri_prefix), where.uri_prefix]
    for tag in where.tags:
        parts.append("EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = ?)")
        values.append(tag)
    if where.since:
        parts.append("c.time >= ?")
        values.append(to_micros(where.since))
    if where.until:
        parts.append("c.time < ?")
        values.append(to_micros(where.until))
    for key, value in where.metadata.items():
        # A path would have to be quoted; comparing keys as values does not.
        types, compared = _json_value(value)
        parts.append(f"EXISTS (SELECT 1 FROM json_each(s.metadata) WHERE key = ? AND value = ? AND type IN ({types}))")
        values += [key, compared]
    return " AND ".join(parts) or "1", values


def _json_value(value: str | int | float | bool) -> tuple[str, object]:
    """(JSON types, value as json_each gives it): keeps true apart from 1, and a list from the text that spells it."""
    if isinstance(value, bool):
        return "'true', 'false'", value
    if isinstance(value, str):
        return "'text'", value
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        value = float(value) if abs(value) < 10**308 else inf * (1 if value > 0 else -1)
    return "'integer', 'real'", value
