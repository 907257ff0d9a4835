"""The SDL that is checked in is the schema's."""

from __future__ import annotations

from graphql import build_schema

from kgmem.api.schema import SDL, sdl


def test_sdl_is_up_to_date() -> None:
    assert SDL.read_text(encoding="utf-8") == sdl(), "run `python -m kgmem.api.schema`"
    build_schema(sdl())
