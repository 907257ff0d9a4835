import re

from kgmem.ingest.analysis import Analysis, Name
from kgmem.ingest.facts import RawFact
from kgmem.ingest.resolve import resolve_facts, resolve_mentions, sentence_at, title_entities
from kgmem.model import Chunk, EntityType


def chunk(text: str, ordinal: int = 0, speaker: str = "") -> Chunk:
    return Chunk(f"c{ordinal}", ordinal, 0, len(text), text, sentences=((0, len(text)),), speaker=speaker)


def named(text: str, *names: tuple[str, EntityType]) -> Analysis:
    return Analysis(((0, len(text)),), tuple(Name(text.index(n), text.index(n) + len(n), t) for n, t in names), ())


def keys(chunks: list[Chunk], analyses: list[Analysis], title: str = "") -> list[tuple[str, str, str]]:
    return [(m.surface, m.key, m.origin) for m in resolve_mentions(chunks, analyses, title_entities(title))]


def test_a_last_name_is_the_full_name_it_fits() -> None:
    a, b = "Sherlock Holmes came in.", "Holmes sat down."
    found = keys([chunk(a), chunk(b, 1)], [named(a, ("Sherlock Holmes", "PERSON")), named(b, ("Holmes", "PERSON"))])
    assert found[1] == ("Holmes", "sherlock holmes", "alias")


def test_a_last_name_that_fits_two_stays_itself() -> None:
    a, b = "Sherlock Holmes and Mycroft Holmes", "Holmes sat down."
    first = named(a, ("Sherlock Holmes", "PERSON"), ("Mycroft Holmes", "PERSON"))
    found = keys([chunk(a), chunk(b, 1)], [first, named(b, ("Holmes", "PERSON"))])
    assert found[2] == ("Holmes", "holmes", "recognised")


def test_an_acronym_in_brackets_stands_for_the_name_before_it() -> None:
    text = "The World Health Organization (WHO) met. WHO decided; NATO did not."
    found = keys([chunk(text)], [named(text, ("World Health Organization", "ORG"), ("NATO", "ORG"))])
    assert [f for f in found if f[0] == "WHO"] == [("WHO", "world health organization", "acronym")] * 2
    assert ("NATO", "nato", "recognised") in found


def test_brackets_whose_letters_do_not_fit_are_no_acronym() -> None:
    text = "Grace Hopper (NYC) spoke."
    assert all(f[2] != "acronym" for f in keys([chunk(text)], [named(text, ("Grace Hopper", "PERSON"))]))


def test_a_speaker_is_mentioned_by_the_turn() -> None:
    found = resolve_mentions([chunk("Hello!", speaker="Anna")], [Analysis(((0, 6),), (), ())])
    assert [(m.key, m.surface, m.origin) for m in found] == [("anna", "", "speaker")]


def test_a_speaker_run_together_is_the_same_as_the_name_with_spaces() -> None:
    text = "AdaLovelace, said Ada Lovelace, is me."
    (turn,) = [chunk(text, speaker="AdaLovelace")]
    found = keys([turn], [named(text, ("AdaLovelace", "ORG"), ("Ada Lovelace", "PERSON"))])
    assert {key for _, key, _ in found} == {"ada lovelace"}


def test_so_is_the_label_of_a_transcripts_lines() -> None:
    text = "AdaLovelace: Good morning.\nBob: Hello.\nAdaLovelace: Bye.\nGitHub: see there."
    found = keys([chunk(text)], [named(text, ("AdaLovelace", "ORG"), ("GitHub", "ORG"))])
    assert {key for _, key, _ in found} == {"ada lovelace", "github"}


def test_who_speaks_under_one_name_is_nobody_with_more() -> None:
    a, b = "Lady Caroline came.", "Caroline left."
    chunks = [chunk(a, speaker="Caroline"), chunk(b, 1, speaker="Mel")]
    found = keys(chunks, [named(a, ("Lady Caroline", "PERSON")), named(b, ("Caroline", "PERSON"))])
    assert ("Caroline", "caroline", "recognised") in found


def test_a_word_with_a_capital_only_where_sentences_begin_is_no_name() -> None:
    texts = (
        "Glad you came. Hope came too.",
        "I was glad, and you were glad. Grace was there.",
        "By the grace of Will, Grace will, and she will with grace. Rome is far, but I hope.",
    )
    names: list[tuple[str, EntityType]] = [(n, "PERSON") for n in ("Glad", "Hope", "Grace", "Will", "Rome")]
    chunks = [
        Chunk(f"c{i}", i, 0, len(t), t, sentences=tuple(m.span() for m in re.finditer(r"[^ .][^.]*\.", t)))
        for i, t in enumerate(texts)
    ]
    found = keys(chunks, [named(t, *((n, kind) for n, kind in names if n in t)) for t in texts])
    assert {key for _, key, _ in found} == {"hope", "grace", "will", "rome"}


def test_facts_get_the_longest_name_of_their_arguments() -> None:
    text = "Ada Lovelace knew Charles Babbage of London."
    analysis = named(text, ("Ada Lovelace", "PERSON"), ("Charles Babbage", "PERSON"), ("London", "PLACE"))
    end = len(text) - 1
    raw = RawFact(
        "Ada Lovelace", "knew", ("Charles Babbage of London",), 0.9, False, (0, 12), ((18, end),), (0, len(text))
    )
    whole = Analysis(analysis.sentences, analysis.names, (raw,))
    (fact,) = resolve_facts([chunk(text)], [whole], resolve_mentions([chunk(text)], [whole]))
    assert (fact.subject_key, fact.object_key) == ("ada lovelace", "charles babbage")


def test_sentence_at() -> None:
    spans = ((0, 5), (6, 9))
    assert [sentence_at(spans, i) for i in (0, 4, 5, 6, 100)] == [0, 0, 0, 1, 1]
    assert sentence_at((), 3) == 0
