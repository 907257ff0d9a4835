from datetime import UTC, datetime, timedelta

import pytest

from kgmem.search.dates import named_dates


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


def test_relative_dates_need_a_today() -> None:
    today = datetime(2026, 5, 10, 15, tzinfo=UTC)
    assert named_dates("what did she say yesterday?") == []
    assert named_dates("what did she say yesterday?", today) == [day(2026, 5, 9)]
    assert named_dates("上周谁来了", today) == [(datetime(2026, 5, 3, tzinfo=UTC), datetime(2026, 5, 10, tzinfo=UTC))]
