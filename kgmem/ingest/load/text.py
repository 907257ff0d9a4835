"""Plain text, source code and Markdown. The text stays as it is, line ends included."""

from __future__ import annotations

import re
import tomllib
from datetime import tzinfo
from typing import Any

from .charset import decode
from .clean import clean_json, clean_text, sensible_title
from .parsed import Parsed
from .times import parse_time

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(.*?)^\1[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT = 65536
_LONGEST_LINE = 1000
"""Characters of a line that can be a heading or a front-matter key; the patterns take quadratic time."""
_PAIR = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")
_DATES = ("date", "published", "created", "timestamp")


def read_text(data: bytes, *, declared: str | None = None) -> Parsed:
    text, encoding = decode(data, declared=declared)
    return Parsed(text, metadata={} if encoding == "utf-8" else {"charset": encoding})


def read_markdown(data: bytes, *, declared: str | None = None, default_zone: tzinfo | None = None) -> Parsed:
    """The Markdown without its front matter, which becomes title, time, tags and metadata."""
    text, encoding = decode(data, declared=declared)
    front: dict[str, Any] = {}
    match = _FRONT.match(text[:_LONGEST_FRONT])
    if match:
        parsed = _toml(match.group(2)) if match.group(1) == "+++" else _yaml(match.group(2))
        if parsed is not None:
            front, text = parsed, text[match.end():]
    lowered = {key.lower(): key for key in front}
    title = sensible_title(str(front.pop(lowered["title"]))) if "title" in lowered else ""
    tags = _as_list(front.pop(lowered["tags"])) if "tags" in lowered else []
    timestamp = next((moment for name in _DATES if name in lowered
                      and (moment := parse_time(front[lowered[name]], default_zone))), None)
    if encoding != "utf-8":
        front["charset"] = encoding
    return Parsed(text, title=title or _first_heading(text), timestamp=timestamp, tags=tuple(tags),
                  metadata=clean_json(front))


def _first_heading(text: str) -> str:
    fence = ""
    previous = ""
    for line in text[:_LONGEST_FRONT].splitlines():
        line = line[:_LONGEST_LINE]
        mark = _FENCE.match(line)
        if mark:
            if not fence:
                fence = mark.group(1)
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence:
            if heading := _HEADING.fullmatch(line):
                return sensible_title(heading.group(1))
            if previous.strip() and _UNDERLINE.fullmatch(line):
                return sensible_title(previous)
        previous = "" if mark or fence else line
    return ""


def _toml(source: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(source.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _yaml(source: str) -> dict[str, Any] | None:
    """The part of YAML that front matter is made of: `key: value`, `[a, b]` and `- item` lists.

    Deeper structures are left out. None if it isn't that, and the rules are thematic breaks.
    """
    found: dict[str, Any] = {}
    key = ""
    for line in source.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        pair = _PAIR.fullmatch(line) if not line[0].isspace() and len(line) < _LONGEST_LINE else None
        if pair:
            key = pair.group(1)
            found[key] = _value((pair.group(2) or "").strip())
        elif key and stripped.startswith("- "):
            if found[key] == "":
                found[key] = []
            if isinstance(found[key], list):
                found[key].append(_scalar(stripped[2:]))
        elif not line[0].isspace():
            return None
        elif isinstance(found.get(key), str) and ":" not in stripped:
            # A value that is folded over several lines.
            found[key] = f"{found[key].strip('|>').strip()} {stripped}".strip()
    return found or None


def _value(source: str) -> str | list[str]:
    if source.startswith("[") and source.endswith("]"):
        return [item for part in source[1:-1].split(",") if (item := _scalar(part))]
    return _scalar(source)


def _scalar(source: str) -> str:
    value = source.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.split(" #", 1)[0].rstrip()


def _as_list(value: Any) -> list[str]:
    items = value if isinstance(value, list) else str(value).split(",")
    return [tag for item in items if (tag := clean_text(str(item)).strip())]
