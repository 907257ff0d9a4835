"""A `Filter` as a SQL condition over chunk `c` and source `s`. All values are bound."""

from __future__ import annotations

from kgmem.model import Filter
from kgmem.store.sqlite.codec import to_json, to_micros


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
        # A path would have to be quoted; comparing keys as values does not. JSON keeps true apart from 1.
        wanted_type = "type IN ('true', 'false')" if isinstance(value, bool) else "type NOT IN ('true', 'false')"
        parts.append(f"EXISTS (SELECT 1 FROM json_each(s.metadata) WHERE key = ? AND value = ? AND {wanted_type})")
        values += [key, value]
    return " AND ".join(parts) or "1", values
