from hypothesis import given
from hypothesis import strategies as st

from kgmem.terms import fold, script_counts, terms


def test_words_are_stemmed_and_stop_words_left_out() -> None:
    assert terms("The founders were running bridges") == ["founder", "run", "bridg"]
    assert terms("universities") == terms("university")


def test_identifiers_give_their_parts_and_the_whole() -> None:
    assert terms("parser_state") == ["parser_state", "parser", "state"]
    assert terms("getHTTPResponse") == ["gethttpresponse", "get", "http", "respons"]
    assert terms("POL-358") == ["pol-358", "pol", "358"]
    assert set(terms("2026-01-05")) >= {"2026-01-05", "2026", "01", "05"}


def test_signs_that_make_a_name_are_kept() -> None:
    assert terms("C++ and C# and C") == ["c++", "c#", "c"]


def test_chinese_gives_character_pairs() -> None:
    assert terms("订单审批流程") == ["订单", "单审", "审批", "批流", "流程"]
    assert terms("北") == ["北"]


def test_accents_and_width_are_folded() -> None:
    assert terms("Beyoncé") == terms("beyonce") == terms("ＢＥＹＯＮＣＥ")
    assert fold("ガ") == "ガ"


def test_thousands_are_one_number() -> None:
    assert terms("1,250,000 people") == ["1250000", "peopl"]


@given(st.text(max_size=300))
def test_a_term_holds_no_white_space_and_is_never_empty(text: str) -> None:
    for term in terms(text):
        assert term
        assert len(term.split()) == 1


def test_scripts_are_counted() -> None:
    assert script_counts("ab 北京 1") == (3, 2)
