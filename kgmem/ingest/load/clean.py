"""Repairing text that can't be stored as it is. Never changes a text's length, so offsets hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_VISIBLE = re.compile("[^\\s\x00\u200b\u2060\ufeff\ufffd]")


def clean_text(text: str) -> str:
    """`text` with every NUL and lone surrogate replaced by U+FFFD; the length in characters is kept.

    Neither can be written to a database or encoded as UTF-8.
    """
    return _UNSTORABLE.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    """Whether nothing in `text` can be read: white space, zero-width and replacement characters only."""
    return _VISIBLE.search(text) is None


def clean_json(value: Any) -> Any:
    """`value` as JSON can hold it: strings repaired, NaN and infinities None, anything else as its string.

    Nested deeper than 32 levels it is cut off, so that no reader of the metadata runs out of stack.
    """
    return _clean_json(value, 32)


def _clean_json(value: Any, levels: int) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if levels == 0:
        return None
    if isinstance(value, Mapping):
        return {clean_text(str(key)): _clean_json(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json(item, levels - 1) for item in value]
    return clean_text(str(value))


_NO_TITLE = re.compile(
    r"untitled.*|.*\.(docx?|pptx?|xlsx?|indd|qxd|dvi|tex|pages)|microsoft (word|powerpoint|excel)\b.*"
    r"|powerpoint presentation|word document|document\d*|presentation\d*|book\d*|slide ?\d+|title|\W*",
    re.IGNORECASE | re.DOTALL,
)


def sensible_title(title: object) -> str:
    """`title` on one line, or "" where it is what a program puts in unasked ("untitled", "Microsoft Word - x.doc")."""
    if not isinstance(title, str):
        return ""
    line = " ".join(clean_text(title).split())[:500]
    return "" if _NO_TITLE.fullmatch(line) else line
