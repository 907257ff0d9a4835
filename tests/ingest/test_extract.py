import pytest

from kgmem.errors import EncoderError
from kgmem.ingest.analysis import sentence_spans, trimmed_name
from kgmem.ingest.chinese import analyse_chinese, chinese_sentences
from kgmem.ingest.extract import Analyser, is_chinese, load_spacy
from kgmem.model import EntityType


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return Analyser()


def names(analyser: Analyser, text: str) -> dict[str, str]:
    (analysis,) = analyser.analyse([text])
    return {text[n.start : n.end]: n.type for n in analysis.names}


def test_names_have_exact_offsets_and_no_numbers(analyser: Analyser) -> None:
    text = "In 1843 Ada Lovelace, who lived in London, earned 30 pounds from the Royal Society's fund."
    found = names(analyser, text)
    assert found["Ada Lovelace"] == "PERSON"
    assert found["London"] == "PLACE"
    assert not {"1843", "30 pounds"} & found.keys()


def test_sentences_cover_the_text_in_order(analyser: Analyser) -> None:
    text = "# Heading\n\nFirst sentence. Second one!\n\n- an item\n- another item\n"
    (analysis,) = analyser.analyse([text])
    assert [text[a:b] for a, b in analysis.sentences] == [
        "# Heading",
        "First sentence.",
        "Second one!",
        "- an item",
        "- another item",
    ]


def test_languages_may_be_mixed_in_one_call(analyser: Analyser) -> None:
    found = analyser.analyse(["Grace Hopper was born in New York.", "茅以升毕业于唐山工业专门学校。", "", "    "])
    assert len(found) == 4
    assert found[0].facts
    assert found[1].sentences == ((0, 15),)
    assert found[2].sentences == ()


def test_a_chinese_text_gives_names_by_tags_and_patterns() -> None:
    text = "詹天佑出生于广东南海，毕业于耶鲁大学。他读过《红楼梦》，见过约翰·福斯特。"
    analysis = analyse_chinese(text)
    found = {text[n.start : n.end]: n.type for n in analysis.names}
    assert found["红楼梦"] == "WORK"
    assert found["约翰·福斯特"] == "PERSON"
    assert found["耶鲁大学"] == "ORG"
    assert any(f.subject == "詹天佑" for f in analysis.facts)


def test_chinese_sentences_end_at_their_marks() -> None:
    text = "他说：“好！”她走了。真的？\n新的一行"
    assert [text[a:b] for a, b in chinese_sentences(text)] == ["他说：“好！”", "她走了。", "真的？", "新的一行"]


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("北京大学在海淀区", True),
        ("Python 是一种语言", True),
        ("The city of 北京 is old and large", False),
        ("", False),
    ],
)
def test_language_is_told_by_its_letters(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


@pytest.mark.parametrize(
    ("inner", "name"),
    [
        ("the Royal Society's", "Royal Society"),
        ("“Dune”", "Dune"),
        ("C++", "C++"),
        ("Lyon\n\nNext", "Lyon"),
        ("today", None),
        ("…", None),
        ("Mercury (planet)", "Mercury (planet)"),
    ],
)
def test_a_recognised_span_is_trimmed_to_the_name(inner: str, name: str | None) -> None:
    text = f"xx {inner} yy"
    found = trimmed_name(text, 3, 3 + len(inner), "OTHER")
    assert (text[found.start : found.end] if found else None) == name


@pytest.mark.parametrize(
    ("inner", "kind", "name"),
    [
        ("Hey Li Hua", "PERSON", "Li Hua"),
        ("Bye, Caroline", "PERSON", "Caroline"),
        ("Congrats", "PERSON", None),
        ("Woohoo", "ORG", None),
        ("Hello", "WORK", "Hello"),
        ("Hello Kitty", "ORG", "Hello Kitty"),
        ("Heyman", "PERSON", "Heyman"),
        ("HI", "PLACE", "HI"),
    ],
)
def test_greetings_and_interjections_are_no_part_of_a_name(inner: str, kind: EntityType, name: str | None) -> None:
    text = f"xx {inner} yy"
    found = trimmed_name(text, 3, 3 + len(inner), kind)
    assert (text[found.start : found.end] if found else None) == name


def test_a_word_that_merely_begins_a_sentence_is_no_person(analyser: Analyser) -> None:
    assert "Glad" not in names(analyser, "Nice, John! Glad you like it. It's a symbol.")
    assert "Maria" in names(analyser, "Maria found something that helps.")


def test_sentence_spans_are_trimmed() -> None:
    assert sentence_spans(" a b \n\n c ", [(0, 10)]) == [(1, 4), (8, 9)]


def test_a_pipeline_that_is_not_there_is_named() -> None:
    with pytest.raises(EncoderError, match="xx_no_such"):
        load_spacy("xx_no_such")


def test_facts_do_not_run_over_headings_items_and_rows() -> None:
    text = (
        "# Mirela Vantongeren\n\nMirela Vantongeren founded the Brightwell Observatory.\n\n## History\n\n"
        "- The Swedes built a bridge\n- Peter burnt the town\n"
    )
    (analysis,) = Analyser().analyse([text])
    facts = {(fact.subject, fact.predicate): fact.objects for fact in analysis.facts}
    assert facts["Mirela Vantongeren", "founded"] == ("the Brightwell Observatory",)
    assert facts["The Swedes", "built"] == ("a bridge",)
    assert facts["Peter", "burnt"] == ("the town",)
    for fact in analysis.facts:
        for part in (fact.subject, fact.predicate, *fact.objects):
            assert "\n" not in part
            assert any(c.isalnum() for c in part)


def test_words_met_once_are_not_kept_for_good() -> None:
    analyser = Analyser()
    analyser.analyse(["Warm up the models, Ada."])
    strings = analyser._english.vocab.strings
    before = len(strings)
    analyser.analyse([f"Zq{i}xv met Wk{i}jp near Vb{i}ml." for i in range(300)])
    assert len(strings) == before
