from datetime import UTC, datetime, timedelta, timezone

import pytest

from kgmem.search.dates import named_dates, within


def day(year: int, month: int, number: int) -> tuple[datetime, datetime]:
    start = datetime(year, month, number, tzinfo=UTC)
    return start, start + timedelta(days=1)


@pytest.mark.parametrize(
    "question",
    [
        "What happened on 7 May 2023?",
        "on May 7th, 2023",
        "on the 7th of May 2023",
        "2023-05-07",
        "20230507_10:00",
        "2023年5月7日发生了什么",
        "on 7 may, 2023",
    ],
)
def test_a_day(question: str) -> None:
    assert named_dates(question) == [day(2023, 5, 7)]


def test_a_month() -> None:
    assert named_dates("in December 2023") == [(datetime(2023, 12, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC))]
    assert named_dates("in Feb. 2024") == [(datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC))]


@pytest.mark.parametrize("question", ["who may come", "in 1999", "31 February 2023", "version 2023.5", "", "May I?"])
def test_what_is_no_day_or_month(question: str) -> None:
    assert [d for d in named_dates(question) if d[1] - d[0] < timedelta(days=2)] == []


TODAY = datetime(2026, 5, 13, 15, tzinfo=UTC)  # a Wednesday


def span(start: tuple[int, int, int], end: tuple[int, int, int]) -> tuple[datetime, datetime]:
    return datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did she say yesterday?", day(2026, 5, 12)),
        ("what happened the day before yesterday", day(2026, 5, 11)),
        ("who called last night?", day(2026, 5, 12)),
        ("who came this morning", day(2026, 5, 13)),
        ("last week", span((2026, 5, 4), (2026, 5, 11))),
        ("this week", span((2026, 5, 11), (2026, 5, 18))),
        ("last weekend", span((2026, 5, 9), (2026, 5, 11))),
        ("last month", span((2026, 4, 1), (2026, 5, 1))),
        ("last year", span((2025, 1, 1), (2026, 1, 1))),
        ("three days ago", day(2026, 5, 10)),
        ("2 weeks ago", span((2026, 4, 27), (2026, 5, 4))),
        ("a month ago", span((2026, 4, 1), (2026, 5, 1))),
        ("in the last 3 days", span((2026, 5, 10), (2026, 5, 14))),
        ("in the past week", span((2026, 5, 6), (2026, 5, 14))),
        ("last Friday", day(2026, 5, 8)),
        ("on Wednesday", day(2026, 5, 13)),
        ("last Wednesday", day(2026, 5, 6)),
        ("in May", span((2026, 5, 1), (2026, 6, 1))),
        ("in June", span((2025, 6, 1), (2025, 7, 1))),
        ("on May 7th", day(2026, 5, 7)),
        ("on the 20th of May", day(2025, 5, 20)),
        ("on 29 February", day(2024, 2, 29)),
        ("上周谁来了", span((2026, 5, 4), (2026, 5, 11))),
        ("上周三谁来了", day(2026, 5, 6)),
        ("昨天说了什么", day(2026, 5, 12)),
        ("上个月", span((2026, 4, 1), (2026, 5, 1))),
        ("去年", span((2025, 1, 1), (2026, 1, 1))),
        ("前年", span((2024, 1, 1), (2025, 1, 1))),
        ("三天前", day(2026, 5, 10)),
        ("两个月前", span((2026, 3, 1), (2026, 4, 1))),
        ("最近两周", span((2026, 4, 29), (2026, 5, 14))),
        ("5月7日", day(2026, 5, 7)),
        ("五月", None),
        ("May I come?", None),
        ("who may come", None),
        ("a second ago", None),
        ("31 February", None),
        ("99999 years ago", None),
    ],
)
def test_relative_dates_count_from_the_moment_given(question: str, expected: tuple[datetime, datetime] | None) -> None:
    assert named_dates(question, TODAY) == ([expected] if expected else [])
    assert named_dates(question) == []


def test_days_are_those_of_the_moments_own_zone() -> None:
    east = timezone(timedelta(hours=8))
    (found,) = named_dates("yesterday", datetime(2026, 5, 13, 1, tzinfo=east))
    assert found == (datetime(2026, 5, 12, tzinfo=east), datetime(2026, 5, 13, tzinfo=east))
    (named,) = named_dates("on 7 May 2023", datetime(2026, 5, 13, 1, tzinfo=east))
    assert named[0] == datetime(2023, 5, 7, tzinfo=east)


def test_a_date_with_its_year_is_not_counted_twice() -> None:
    assert named_dates("on 7 May 2023", TODAY) == [day(2023, 5, 7)]
    assert named_dates("2023年5月7日", TODAY) == [day(2023, 5, 7)]


def test_within() -> None:
    assert within([day(2026, 5, 12)], datetime(2026, 5, 12, 23, 59, tzinfo=UTC))
    assert not within([day(2026, 5, 12)], datetime(2026, 5, 13, tzinfo=UTC))
    assert not within([day(2026, 5, 12)], None)
    assert not within([], TODAY)
