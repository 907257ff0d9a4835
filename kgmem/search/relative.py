"""Times that a question names relative to a moment: "yesterday", "two weeks ago", "last Friday", "in May". Pure.

Days begin in the moment's own time zone, weeks on Monday. What lies ahead is
not looked for: "in May" is the last May that has begun, "on Friday" the last
Friday, today included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import regex

Interval = tuple[datetime, datetime]

MONTHS = (
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
MONTH = "(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else "may" for m in MONTHS) + r"|sept)\.?"
DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {word: n for n, word in enumerate(_NUMBERS, 1)} | {"a": 1, "an": 1, "couple": 2, "a couple of": 2}
_HAN_COUNTS = {word: n for n, word in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_COUNT = r"(?P<count>\d{1,3}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_HAN_COUNT = r"(?P<count>\d{1,3}|[一二两三四五六七八九十])"
_WEEKDAY = "(?P<weekday>" + "|".join(_WEEKDAYS) + ")"
_HAN_UNIT = "(?P<unit>天|周|星期|礼拜|月|年)"
_HAN_WEEK = r"(?:个?(?:周|星期|礼拜))"

_Found = Callable[[datetime, dict[str, str]], Interval]


def relative_dates(question: str, moment: datetime) -> Iterator[tuple[tuple[int, int], Interval]]:
    """Each time that the question names counted from `moment`: where it stands, and [begin, end)."""
    for pattern, reckon in _RULES:
        for match in pattern.finditer(question):
            try:
                begin, end = reckon(moment, {k: v for k, v in match.groupdict().items() if v})
            except (ValueError, OverflowError):
                continue
            yield match.span(), (begin, end)


def month_number(name: str) -> int:
    """1 to 12, of a month's name, its beginning, or a number."""
    if name.isdigit():
        return int(name)
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name.casefold()[:3]))


def month_of(start: datetime, months: int = 0) -> Interval:
    """The calendar month that is so many after that of `start`."""
    begin, end = (_month_start(start, n) for n in (months, months + 1))
    return begin, end


def _month_start(day: datetime, months: int) -> datetime:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return _midnight(day).replace(year=year, month=month + 1, day=1)


def _midnight(moment: datetime) -> datetime:
    """When its day began."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(moment: datetime, days: int = 0, length: int = 1) -> Interval:
    """`length` days from the day that is `days` after that of `moment`."""
    begin = _midnight(moment) + timedelta(days=days)
    return begin, begin + timedelta(days=length)


def _period(moment: datetime, unit: str, back: int) -> Interval:
    """The calendar day, week, weekend, month or year that is so many back."""
    if unit == "day":
        return day_of(moment, -back)
    if unit == "week":
        return day_of(moment, -moment.weekday() - 7 * back, 7)
    if unit == "weekend":
        return day_of(moment, 5 - moment.weekday() - 7 * back, 2)
    if unit == "month":
        return month_of(moment, -back)
    begin = _midnight(moment).replace(year=moment.year - back, month=1, day=1)
    return begin, begin.replace(year=begin.year + 1)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS.get(word.casefold()) or _HAN_COUNTS[word]


def _ago(moment: datetime, said: dict[str, str]) -> Interval:
    return _period(moment, _unit(said["unit"]), _count(said["count"]))


def _unit(word: str) -> str:
    return _UNITS.get(word) or word.casefold().rstrip("s")


def _last(moment: datetime, said: dict[str, str]) -> Interval:
    back = 0 if said["which"].casefold() in ("this", "current", "这", "本", "今") else 1
    return _period(moment, _unit(said["unit"]), back + (said["which"] == "前"))


def _past(moment: datetime, said: dict[str, str]) -> Interval:
    """The so many days, weeks, months or years up to now."""
    count = _count(said.get("count", "1"))
    unit = _unit(said["unit"])
    begin = day_of(moment, -count * (7 if unit == "week" else 1))[0]
    if unit in ("month", "year"):
        begin = _month_start(moment, -count * (12 if unit == "year" else 1))
        begin += timedelta(days=min(moment.day, 28) - 1)
    return begin, day_of(moment)[1]


def _weekday(moment: datetime, said: dict[str, str]) -> Interval:
    days = (moment.weekday() - _WEEKDAYS.index(said["weekday"].casefold())) % 7
    return day_of(moment, -(days or 7) if said["which"].casefold() == "last" else -days)


def _han_weekday(moment: datetime, said: dict[str, str]) -> Interval:
    day = "一二三四五六日".index(said["weekday"].replace("天", "日"))
    return day_of(moment, day - moment.weekday() - (7 if said["which"] == "上" else 0))


def _yearless(moment: datetime, said: dict[str, str]) -> Interval:
    """The last such month, or day of it, that has begun."""
    month, day = month_number(said["month"]), int(said.get("day", "1"))
    start = _midnight(moment).replace(day=1, month=month)
    # 29 February is none in most years.
    for year in range(moment.year, moment.year - 9, -1):
        try:
            begin = start.replace(year=year, day=day)
        except ValueError:
            continue
        if begin <= moment:
            return day_of(begin) if "day" in said else month_of(begin)
    raise ValueError(said)


def _rule(pattern: str, reckon: _Found) -> tuple[regex.Pattern[str], _Found]:
    return regex.compile(pattern, regex.IGNORECASE), reckon


_RULES = (
    _rule(r"\bday before yesterday\b|前天", lambda moment, _: day_of(moment, -2)),
    _rule(r"\b(?:yesterday|last night)\b|昨[天日晚]", lambda moment, _: day_of(moment, -1)),
    _rule(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今[天日晚早]", lambda moment, _: day_of(moment)),
    _rule(rf"\b{_COUNT} (?P<unit>days?|weeks?|months?|years?) (?:ago|earlier)\b", _ago),
    _rule(rf"{_HAN_COUNT}个?{_HAN_UNIT}(?:之|以)?前", _ago),
    _rule(rf"\b(?:last|past|previous) {_COUNT} (?P<unit>days|weeks|months|years)\b", _past),
    _rule(r"\b(?:past|over the last) (?P<unit>day|week|month|year)\b", _past),
    _rule(rf"(?:最近|过去){_HAN_COUNT}个?{_HAN_UNIT}", _past),
    _rule(r"\b(?P<which>this|current|last|previous) (?P<unit>week|weekend|month|year)\b", _last),
    _rule(rf"(?P<which>[上这本]){_HAN_WEEK}(?P<weekday>[一二三四五六日天])", _han_weekday),
    _rule(r"(?P<which>[上这本])个?(?P<unit>周|星期|礼拜|月)", _last),
    _rule(r"(?P<which>今)(?P<unit>年)|(?P<which>前)(?P<unit>年)", _last),
    _rule(r"去年", lambda moment, _: _period(moment, "year", 1)),
    _rule(rf"\b(?P<which>last|on|this) {_WEEKDAY}\b", _weekday),
    _rule(rf"\b(?:the )?{DAY}(?: of)? {MONTH}(?!\w)|\b{MONTH} {DAY}\b", _yearless),
    _rule(rf"\b(?:in|last|during|since|of) {MONTH}(?!\w)", _yearless),
    _rule(r"(?<![\d年])(?P<month>1?\d)月(?:(?P<day>[0-3]?\d)[日号]|份?)", _yearless),
)
