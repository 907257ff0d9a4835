"""Dates that a question names, as intervals. Pure: what moment it is asked from is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import regex

from kgmem.search.relative import DAY, MONTH, Interval, month_number, month_of, relative_dates

_YEAR = r"(?P<year>(?:1[0-9]|20)\d\d)"
_PATTERNS = tuple(
    regex.compile(p, regex.IGNORECASE)
    for p in (
        r"\b(?P<year>(?:1[0-9]|20)\d\d)[-/.年](?P<month>[01]?\d)(?:[-/.月](?P<day>[0-3]?\d))?(?:日|\b)",
        r"\b(?P<year>20\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)",
        rf"\b{DAY}(?: of)? {MONTH},? {_YEAR}\b",
        rf"\b{MONTH} {DAY},? {_YEAR}\b",
        rf"\b{MONTH},? {_YEAR}\b",
    )
)


def named_dates(question: str, as_of: datetime | None = None) -> list[Interval]:
    """Days and months that the question names as [begin, end), and what it counts from `as_of` where that is given.

    Days are those of the time zone of `as_of`, or of UTC.
    """
    zone = as_of.tzinfo if as_of is not None else UTC
    found: list[Interval] = []
    taken: list[tuple[int, int]] = []

    def free(span: tuple[int, int]) -> bool:
        return not any(span[0] < end and start < span[1] for start, end in taken)

    for pattern in _PATTERNS:
        for match in pattern.finditer(question):
            if free(match.span()):
                taken.append(match.span())
                if interval := _interval(match, zone):
                    found.append(interval)
    for span, interval in relative_dates(question, as_of) if as_of is not None else ():
        if free(span):
            taken.append(span)
            found.append(interval)
    return found


def within(intervals: Sequence[Interval], time: datetime | None) -> bool:
    """Whether that time lies in one of the intervals."""
    return time is not None and any(begin <= time < end for begin, end in intervals)


def _interval(match: regex.Match[str], zone: tzinfo | None) -> Interval | None:
    said = match.groupdict()
    day = said.get("day")
    try:
        start = datetime(int(said["year"]), month_number(said["month"]), int(day or 1), tzinfo=zone)
    except ValueError:
        return None
    return (start, start + timedelta(days=1)) if day else month_of(start)
