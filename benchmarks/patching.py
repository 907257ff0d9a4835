"""Putting other constants and functions into modules for a while."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Patch:
    """`target.name` is `value` for a while."""

    target: Any
    name: str
    value: Any


@contextmanager
def patched(patches: Sequence[Patch]) -> Iterator[None]:
    """Raises `AttributeError` for what isn't there: a part that was renamed would else be left on unseen."""
    with ExitStack() as undo:
        for patch in patches:
            undo.callback(setattr, patch.target, patch.name, getattr(patch.target, patch.name))
            setattr(patch.target, patch.name, patch.value)
        yield
