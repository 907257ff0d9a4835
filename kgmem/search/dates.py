"""Dates that a question names, as intervals. Pure: today is an argument."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import regex

Interval = tuple[datetime, datetime]

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else "may" for m in _MONTHS) + r"|sept)\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[0-9]|20)\d\d)"
_PATTERNS = tuple(
    regex.compile(p, regex.IGNORECASE)
    for p in (
        r"\b(?P<year>(?:1[0-9]|20)\d\d)[-/.年](?P<month>[01]?\d)(?:[-/.月](?P<day>[0-3]?\d))?(?:日|\b)",
        r"\b(?P<year>20\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)",
        rf"\b{_DAY}(?: of)? {_MONTH},? {_YEAR}\b",
        rf"\b{_MONTH} {_DAY},? {_YEAR}\b",
        rf"\b{_MONTH},? {_YEAR}\b",
    )
)
_RELATIVE = {
    "yesterday": (-1, 0),
    "today": (0, 1),
    "last week": (-7, 0),
    "this week": (-6, 1),
    "last month": (-31, 0),
    "昨天": (-1, 0),
    "今天": (0, 1),
    "上周": (-7, 0),
    "上个月": (-31, 0),
}


def named_dates(question: str, as_of: datetime | None = None) -> list[Interval]:
    """Days and months that the question names, and "yesterday" or "last week" counted from `as_of` where given."""
    found: list[Interval] = []
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(question):
            if any(match.start() < b and a < match.end() for a, b in taken):
                continue
            taken.append(match.span())
            found += _interval(match)
    if as_of is not None:
        day = as_of.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        lowered = question.casefold()
        found += [
            (day + timedelta(days=a), day + timedelta(days=b)) for word, (a, b) in _RELATIVE.items() if word in lowered
        ]
    return found


def _interval(match: regex.Match[str]) -> Iterator[Interval]:
    parts = match.groupdict()
    month_name = parts["month"].casefold()
    month = (
        int(month_name)
        if month_name.isdigit()
        else next(i for i, m in enumerate(_MONTHS, 1) if month_name.startswith(m[:3]))
    )
    try:
        start = datetime(int(parts["year"]), month, int(parts.get("day") or 1), tzinfo=UTC)
    except ValueError:
        return
    if parts.get("day"):
        yield start, start + timedelta(days=1)
    else:
        yield start, (start.replace(day=28) + timedelta(days=4)).replace(day=1)
