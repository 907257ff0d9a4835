from hypothesis import given
from hypothesis import strategies as st

from kgmem.terms import fold, script_counts, terms


def test_words_are_stemmed_and_stop_words_left_out() -> None:
    assert terms("The founders were running bridges") == ["founder", "run", "bridg"]
    assert terms("universities") == terms("university")


def test_identifiers_give_their_parts_and_the_whole() -> None:
    assert terms("parser_state") == ["parser_state", "parser", "state"]
    assert terms("getHTTPResponse") == ["gethttpresponse", "get", "http", "respons"]
    assert terms("POL-358") == ["pol-358", "pol358", "pol", "358"]
    assert set(terms("2026-01-05")) >= {"2026-01-05", "2026", "01", "05"}


def test_plurals_of_capitals_are_found_by_the_singular() -> None:
    assert terms("miRNAs") == ["mirnas", "mirna", "rna"]
    assert set(terms("miRNA")) <= set(terms("miRNAs"))
    assert set(terms("CD")) <= set(terms("CDs"))
    assert terms("As") == terms("as") == []


def test_one_or_two_letters_within_a_word_are_no_term() -> None:
    assert terms("MeCP2") == ["mecp2", "2"]
    assert terms("LiHua") == ["lihua", "li", "hua"]
    assert terms("userId") == ["userid", "user", "id"]


def test_a_hyphenated_word_is_found_joined_and_in_two() -> None:
    assert terms("birth-weight") == ["birth-weight", "birthweight", "birth", "weight"]
    assert set(terms("birthweight")) <= set(terms("birth-weight"))
    assert terms("IL6") == ["il6"]
    assert "il6" in terms("IL-6")
    assert terms("state-of-the-art") == ["state-of-the-art", "state", "art"]
    assert terms("X-X") == ["x-x", "xx", "x", "x"]


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
