import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgmem.names import (
    Span,
    candidates,
    entity_key,
    extend,
    is_part,
    key_head,
    linkable,
    longest_first,
    parted,
    title_names,
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Ada Lovelace", "ada lovelace"),
        ("  The  Beatles ", "beatles"),
        ("“Ada’s”", "ada"),
        ("James'", "james"),
        ("北京大学", "北京大学"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("Mercury (planet)", "mercury (planet)"),
        ("ﬁnance", "finance"),
        ("…", ""),
    ],
)
def test_key(name: str, key: str) -> None:
    assert entity_key(name) == key


def test_electrons_in_any_case_are_one_and_codes_stay_apart() -> None:
    assert entity_key("Electrons") == entity_key("electrons")
    assert len({entity_key(n) for n in ("C", "C++", "C#", "Tarea 5", "Tarea 6", "jest-native", "react-native")}) == 7


@given(st.text(max_size=80))
def test_a_key_is_its_own_key(name: str) -> None:
    key = entity_key(name)
    assert entity_key(key) in (key, entity_key(entity_key(key)))


def test_title_names() -> None:
    assert title_names("Mercury (planet)") == ["Mercury (planet)", "Mercury"]
    assert title_names("Lyon") == ["Lyon"]
    assert title_names("…") == []


def test_names_that_are_run_together_are_parted() -> None:
    assert parted("AdaLovelace") == "Ada Lovelace"
    assert parted("LiHua") == "Li Hua"
    for name in ("McDonald", "DiCaprio", "iPhone", "MeCP2", "Ada", "ADA", "Ada Lovelace", "GPT4All"):
        assert parted(name) == name


def test_a_name_run_together_could_be_both() -> None:
    assert [s.key for s in candidates("Ask AdaLovelace.") if s.end - s.start == 11] == ["ada lovelace", "adalovelace"]


def test_linkable_leaves_out_stop_words_and_single_letters() -> None:
    assert not any(map(linkable, ("it", "the who", "a", "7", "12", "人")))
    assert all(map(linkable, ("lyon", "1984", "c++", "北京")))


def _keys(text: str, **options: bool) -> set[str]:
    return {s.key for s in candidates(text, **options)}


def test_candidates_need_a_capital_and_stay_within_a_sentence() -> None:
    found = _keys("He studied at the University of Oxford. Then he left.")
    assert {"university of oxford", "oxford"} <= found
    assert not any("oxford. then" in key for key in found)
    assert "studied" not in found
    assert "studied" in _keys("he studied", any_case=True)


def test_candidates_in_chinese_end_at_words() -> None:
    assert "北京大学" in _keys("他在北京大学读书")


def test_long_names_are_found_by_their_head() -> None:
    key = "lord of the rings: the two towers"
    head = key_head(key)
    text = "She read The Lord of the Rings: The Two Towers twice."
    span = next(s for s in candidates(text) if s.head and s.key == head)
    whole = extend(text, span, [key])
    assert whole is not None
    assert text[whole.start : whole.end] == "Lord of the Rings: The Two Towers"
    assert key_head("lyon") is None


def test_longest_name_wins_and_the_leftmost_of_equals() -> None:
    spans = [Span(5, 8, "b"), Span(0, 10, "a"), Span(12, 15, "c"), Span(14, 17, "d")]
    assert [s.key for s in longest_first(spans)] == ["a", "c"]


@given(st.text(max_size=400))
def test_candidates_are_stretches_of_the_text(text: str) -> None:
    for span in candidates(text):
        assert 0 <= span.start < span.end <= len(text)


def test_candidates_grow_with_the_text_and_no_faster() -> None:
    text = "Alpha Beta of Gamma and Delta " * 50
    assert len(list(candidates(text * 4))) < 4.5 * len(list(candidates(text)))
    started = time.perf_counter()
    list(candidates("A" * 200_000))
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Do King Baggot and James L. Robinson agree?", "James L. Robinson"),
        ("He read J. W. N. Sullivan there.", "J. W. N. Sullivan"),
        ("They met in St. Louis in May.", "St. Louis"),
        ("The U.S. Army left.", "U.S. Army"),
        ("Sammy Davis Jr. Museum", "Sammy Davis Jr. Museum"),
    ],
)
def test_a_full_stop_inside_a_name_is_no_end(text: str, name: str) -> None:
    assert entity_key(name) in {span.key for span in candidates(text)}


def test_a_full_stop_after_a_word_is_one() -> None:
    keys = {span.key for span in candidates("Ada met Bob. Cid went to Rome. Dee stayed.")}
    assert not {"bob. cid", "rome. dee"} & keys


@pytest.mark.parametrize(
    ("key", "other", "part"),
    [
        ("tarzan", "tarzan and the lost city", True),
        ("lost city", "tarzan and the lost city", True),
        ("tarzan city", "tarzan and the lost city", False),
        ("tar", "tarzan and the lost city", False),
        ("tarzan", "tarzan", False),
        ("tarzan and the lost city", "tarzan", False),
    ],
)
def test_is_part(key: str, other: str, part: bool) -> None:
    assert is_part(key, other) is part
