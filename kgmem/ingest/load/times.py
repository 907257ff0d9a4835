"""Reading the dates that files state. Gives aware datetimes in UTC, or None for what isn't a date."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

_PARTIAL = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_PDF = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")
_MILLISECONDS_FROM = 1e11
"""Epoch numbers above this are milliseconds: as seconds they would lie after the year 5138."""


def parse_time(value: object, default_zone: tzinfo | None = None) -> datetime | None:
    """ISO 8601 (whole or as year, year-month, date), epoch seconds or milliseconds, date or datetime.

    A time without a zone is in `default_zone`, or in UTC where none is given.
    """
    try:
        if isinstance(value, str):
            value = _from_text(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) > _MILLISECONDS_FROM else value
            value = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        return to_utc(value, default_zone) if isinstance(value, datetime) else None
    except (ValueError, OverflowError, OSError):
        return None


def parse_pdf_time(value: str, default_zone: tzinfo | None = None) -> datetime | None:
    """`D:YYYYMMDDHHmmSS+HH'mm'` (ISO 32000-1, 7.9.4); everything after the year may be missing."""
    match = _PDF.match(value)
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
    utc, sign, zone_hours, zone_minutes = match.groups()[6:]
    zone: tzinfo | None = UTC if utc else None
    try:
        if sign:
            offset = timedelta(hours=int(zone_hours), minutes=int(zone_minutes or 0))
            zone = timezone(-offset if sign == "-" else offset)
        assert year is not None
        return to_utc(datetime(year, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone),
                      default_zone)
    except (ValueError, OverflowError):
        return None


def to_utc(moment: datetime, default_zone: tzinfo | None = None) -> datetime:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=default_zone or UTC)
    return moment.astimezone(UTC)


def _from_text(text: str) -> datetime | None:
    partial = _PARTIAL.fullmatch(text)
    if partial:
        year, month, day = partial.groups()
        return datetime(int(year), int(month or 1), int(day or 1))
    return datetime.fromisoformat(text)
