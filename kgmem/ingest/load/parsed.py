"""What every converter gives back: the text and what the file itself says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Parsed:
    """`title` is "" and `timestamp` None where the file doesn't state them; `pages` as in Document."""

    text: str
    title: str = ""
    timestamp: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
