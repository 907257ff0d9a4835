"""Files that stand at the project's top level and travel inside the wheel: `schema/` and `cypher/`."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def read_schema(name: str) -> str:
    """The text of a file of `schema/`."""
    return _folder("schema").joinpath(name).read_text(encoding="utf-8")


def read_cypher(name: str) -> str:
    """The text of `cypher/<name>.cypher`."""
    return _folder("cypher").joinpath(f"{name}.cypher").read_text(encoding="utf-8")


def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
