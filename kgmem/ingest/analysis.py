"""What an analysis of a text holds, and the care of spans that English and Chinese share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex

from kgmem.ingest.facts import RawFact
from kgmem.model import EntityType

BREAK = regex.compile(r"\n[ \t]*(?=\n|[#>|*•-]|\d+[.)]\s)")
"""The end of a line behind which no sentence goes on: a blank line, a heading, a list item or a table row is next."""
_EDGES = " \t\r\n\"'“”‘’`.,;:!?()[]{}<>*_-–—"
_LEADING = regex.compile(r"(?:the|a|an)\s+", regex.IGNORECASE)
_INTERJECTION = regex.compile(
    r"(?:aw+|bye|congrats|congratulations|dear|good ?bye|hello|hey|hi|hiya|nah|nope|okay|ok|oops|sorry|thanks|thank you"
    r"|whoa|wo+ ?hoo+|wow|yay|yea|yeah|yep|yes|yup)(?:[\s,!.…]+|$)",
    regex.IGNORECASE,
)
_MAX_NAME = 120


@dataclass(frozen=True, slots=True)
class Name:
    """A recognised name: `text[start:end]`."""

    start: int
    end: int
    type: EntityType


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found in one text. Spans count in it; sentences are in order and do not overlap."""

    sentences: tuple[tuple[int, int], ...]
    names: tuple[Name, ...]
    facts: tuple[RawFact, ...]


def sentence_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parser's sentences, cut where a blank line, a heading, a list item or a table row begins; edges trimmed."""
    cut: list[tuple[int, int]] = []
    for start, end in spans:
        for match in BREAK.finditer(text, start, end):
            _add_span(text, start, match.start(), cut)
            start = match.end()
        _add_span(text, start, end, cut)
    return _without_bare_marks(text, cut)


def _without_bare_marks(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A span without a letter or digit, such as a heading's `#`, belongs to the one after it on its line, or before."""
    kept: list[tuple[int, int]] = []
    waiting: int | None = None
    for start, end in spans:
        if not any(c.isalnum() for c in text[start:end]):
            waiting = start if waiting is None else waiting
            continue
        if waiting is not None and "\n" not in text[waiting:start]:
            start = waiting
        kept.append((start, end))
        waiting = None
    return kept


def _add_span(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    inner = text[start:end]
    left = start + len(inner) - len(inner.lstrip())
    right = start + len(inner.rstrip())
    if right > left:
        spans.append((left, right))


def trimmed_name(text: str, start: int, end: int, kind: EntityType) -> Name | None:
    """The recogniser's span without article, quotes, possessive or a second line; None if nothing is left to name.

    A person's name is also without a greeting before it, and an interjection is a name only as a work's title.
    """
    inner = text[start:end]
    newline = inner.strip("\n").find("\n")
    if newline >= 0:
        inner = inner[: newline + len(inner) - len(inner.lstrip("\n"))]
    start += len(inner) - len(inner.lstrip(_EDGES))
    inner = inner.strip(_EDGES)
    if article := _LEADING.match(inner):
        start += article.end()
        inner = inner[article.end() :]
    while called := _INTERJECTION.match(inner):
        named = inner[called.end() :]
        if kind == "WORK" or (named and not (kind == "PERSON" and named[0].isupper())) or inner.isupper():
            break
        start += called.end()
        inner = named
    for ending in ("'s", "’s"):
        inner = inner.removesuffix(ending)
    inner = inner.rstrip(_EDGES)
    # C++ and C# keep their signs, a bracketed part its bracket.
    end = start + len(inner)
    if "(" in inner and text[end : end + 1] == ")":
        end += 1
    if not 1 <= len(inner) <= _MAX_NAME or not any(c.isupper() or c.isdigit() or c > "\u2e80" for c in inner):
        return None
    return Name(start, end, kind) if any(c.isalpha() for c in inner) else None
