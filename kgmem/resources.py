"""Files that stand at the project's top level and travel inside the wheel: `schema/`."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def read_schema(name: str) -> str:
    """The text of a file of `schema/`."""
    inside = _PACKAGE / "schema" / name
    return (inside if inside.exists() else _PACKAGE.parent / "schema" / name).read_text(encoding="utf-8")
