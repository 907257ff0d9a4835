"""Text is data wherever it goes: nothing in it is read as a query, a path, a pattern or markup."""

from __future__ import annotations

import pytest
from build import embed, make_conversation, make_source
from dump import NO_FILTER, all_chunks, dump

from kgmem import errors
from kgmem.model import Document, Filter, Turn
from kgmem.names import entity_key
from kgmem.store.contract import Store
from kgmem.terms import terms

TEXTS = {
    "quote": 'He said "yes", it\'s ‘so’ “there”',
    "sql": "Robert'); DROP TABLE chunk;--",
    "sql or": "' OR 1=1 --",
    "cypher": "Entity`) WITH n MATCH (x) DETACH DELETE x //",
    "cypher map": "{id: $id}) RETURN n; MATCH (n",
    "double quote": '"',
    "bracket": "(",
    "brackets": ")(][}{",
    "c++": "C++",
    "c#": "C#",
    "and": "AND",
    "or not near": "a OR b NOT c NEAR d",
    "colon": "foo:bar",
    "tilde": "~",
    "slash": "a/b",
    "backslash": "\\",
    "backslashes": "C:\\new\\table \\0 \\u0041 \\",
    "star": "*",
    "prefix": "comp*",
    "caret": "^boost^2",
    "minus": "-not +must",
    "question": "?what??",
    "percent": "100%_sure",
    "dollar": "$.a $1 :name @x ?1",
    "format": "{} {0} %s %(x)s ${HOME}",
    "json": '{"a": [1, null, "x"]}',
    "emoji": "I 🙂 love 👩‍👩‍👧‍👦 and 🇳🇴",
    "combining": "e\u0301 n\u0303 \u200d \ufeff",
    "right to left": "שלום עולם \u202e مرحبا \u202c",
    "control": "".join(map(chr, range(1, 32))) + "\x7f\x85\u2028",
    "lines": "one\r\ntwo\rthree\n\tfour",
    "html": "<script>alert(1)</script>&amp;",
    "fullwidth": "ＫＧＭＥＭ ﬁre",
    "astral": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠮷野家",
    "long": "word " * 2000,
    "long word": "x" * 10_000,
    "long chinese": "北京大学" * 2500,
    "empty": "",
}


@pytest.fixture(params=TEXTS)
def text(request) -> str:
    return TEXTS[request.param]


def test_every_place_gives_back_what_it_was_given(store: Store, another, text):
    plain = make_source("default", "plain", "Nothing to see.", names=["Nothing"])
    store.put([plain])
    source = make_source(
        "default",
        f"uri {text}",
        f"Ann met {text} yesterday.\n\n{text}",
        f"Title {text}",
        ["Ann", text],
        [(f"subject {text}", f"predicate {text}", (f"object {text}", text))],
        [text, "tag " + text],
        {"key " + text: text, text: {"inner " + text: [text]}},
        media_type=f"text/{text}",
    )
    assert store.put([source]) == ["added"]
    assert store.put([source]) == ["unchanged"]
    assert store.source(source.source.id) == source.source
    assert store.text(source.source.id) == source.text
    assert [c.chunk for c in store.source_chunks(source.source.id)] == list(source.chunks)
    (fact,) = store.facts()
    assert (fact.subject, fact.predicate, fact.objects) == (
        source.facts[0].subject,
        source.facts[0].predicate,
        source.facts[0].objects,
    )
    key = entity_key(text)
    if key:
        (found,) = store.find_names([key], NO_FILTER)
        named = store.entity(found.id)
        assert (named.key, named.name) == (key, text)
        assert named in store.entities(key)
        assert store.known([key]) == {key}
    assert next(d for d in store.documents() if d.uri == source.source.uri) == Document(
        f"uri {text}",
        source.text,
        f"Title {text}",
        f"text/{text}",
        None,
        (text, "tag " + text),
        {"key " + text: text, text: {"inner " + text: [text]}},
    )
    assert store.delete([source.source.id]) == 1
    alone = another.open()
    alone.put([plain])
    assert dump(store) == dump(alone)


def test_every_place_can_be_filtered_by(store: Store, text):
    source = make_source("default", f"x{text}", "zebra", tags=[text], metadata={text: text})
    store.put([source, make_source("default", "other", "zebra", tags=["other"], metadata={"other": "other"})])
    (ref,) = [c.ref for c in all_chunks(store) if c.source.uri != "other"]
    for where in (
        Filter(uris=(f"x{text}",)),
        Filter(uri_prefix=f"x{text}"),
        Filter(tags=(text,)),
        Filter(metadata={text: text}),
    ):
        assert [r for r, _ in store.vector_search(embed("zebra"), 5, where)] == [ref]
        assert [r for r, _ in store.term_search(["zebra"], 5, where)] == [ref]
        assert store.allowed([ref], where) == {ref}
    assert [s.uri for s in store.sources(uri_prefix=f"x{text}")] == [f"x{text}"]


def test_any_words_can_be_searched_for(store: Store, text):
    """Never an error; and a text is found by its own terms."""
    store.put([make_source("default", "s", text + " zebra"), make_source("default", "other", "okapi")])
    ids = {c.ref: c.source.uri for c in all_chunks(store)}
    for words in (terms(text), [text], text.split(), list(text[:50])):
        assert {ids[r] for r, _ in store.term_search(words, 5, NO_FILTER)} <= {"s"}
        store.term_search(words, 5, Filter(kinds=("document",)))
        store.term_search([*words, "okapi"], 5, NO_FILTER)
    for term in terms(text)[:50]:
        assert [ids[r] for r, _ in store.term_search([term], 5, NO_FILTER)] == ["s"], term
    assert {ids[r] for r, _ in store.term_search([*text[:50], "zebra"], 5, NO_FILTER)} >= {"s"}


def test_any_id_or_name_can_be_asked_for(store: Store, text):
    store.put([make_source("default", "s", "Ann met Bob.", names=["Ann", "Bob"], facts=[("Ann", "met", ("Bob",))])])
    assert store.source(text) is store.chunk(text) is store.entity(text) is store.fact(text) is store.text(text) is None
    assert store.source_chunks(text) == store.entity_chunks(text, 5) == []
    assert store.entity_neighbours(text, 5) == store.find_names([text], NO_FILTER) == []
    assert store.neighbours([text], 1, 1) == store.hashes([text]) == store.known_by_head([text]) == {}
    assert store.known([text]) == set()
    assert store.seek_names([text]) in (0, 1)
    assert store.delete([text]) == 0
    if text.strip():
        assert store.facts(subject=text + "x") == store.facts(object=text + "x") == store.entities(text + "x") == []
    assert store.facts(predicate="met", after=text or None)[:1] in ([], store.facts())


def test_speakers_and_turns(store: Store, text):
    talk = make_conversation("default", "talk", [(text, f"Hello {text}"), ("Bob", text or "."), (f"x{text}", "Bye.")])
    store.put([talk])
    turns = tuple(Turn(c.start, c.end, c.speaker, None, {"turn": i}) for i, c in enumerate(talk.chunks))
    (document,) = store.documents()
    assert document.turns == turns
    assert [c.chunk.speaker for c in store.source_chunks(talk.source.id)] == [text, "Bob", f"x{text}"]


def test_a_term_with_a_nul_finds_nothing_and_harms_nothing(store: Store):
    store.put([make_source("default", "s", "zebra okapi")])
    assert store.term_search(["\0"], 5, NO_FILTER) == []
    assert len(store.term_search(["a\0b", "zebra"], 5, NO_FILTER)) == 1
    assert store.source("\0") is None
    assert store.entities("\0") == []
    assert store.facts(subject="\0") == []


def test_half_a_surrogate_pair_is_refused_in_words(store: Store):
    store.put([make_source("default", "s", "zebra okapi")])
    for call in (
        lambda: store.term_search(["\ud800", "zebra"], 5, NO_FILTER),
        lambda: store.term_search(["zebra"], 5, Filter(tags=("\ud800",))),
        lambda: store.term_search(["zebra"], 5, Filter(metadata={"\ud800": "\udfff"})),
        lambda: store.entities("\ud800"),
        lambda: store.source("\ud800"),
        lambda: store.put([make_source("default", "t", "half \ud800")]),
    ):
        with pytest.raises(errors.UsageError, match="surrogate"):
            call()
    assert store.counts().sources == 1


def test_c_plus_plus_finds_its_own_chunk(store: Store):
    store.put(
        [
            make_source("default", "cpp", "The parser is written in C++ by Bjarne."),
            make_source("default", "c", "The kernel is written in C by Linus."),
            make_source("default", "cs", "The game is written in C# by Anders."),
        ]
    )
    ids = {c.ref: c.source.uri for c in all_chunks(store)}

    def found(question):
        return [ids[r] for r, _ in store.term_search(terms(question), 5, NO_FILTER)]

    assert found("C++") == ["cpp"]
    assert found("what is C++?") == ["cpp"]
    assert found("C#") == ["cs"]
    assert found("C") == ["c"]


def test_ten_thousand_words_are_a_question(store: Store):
    store.put([make_source("default", "s", "zebra okapi")])
    question = [f"word{i}" for i in range(10_000)]
    assert store.term_search(question, 5, NO_FILTER) == []
    assert len(store.term_search([*question, "zebra"], 5, NO_FILTER)) == 1


def test_facts_are_found_in_any_case_and_script(store: Store):
    store.put(
        [
            make_source(
                "default", "a", "Élise Öberg.", facts=[("Élise Öberg", "besøkte", ("Århus", 'the "Ny" Carlsberg'))]
            ),
            make_source("default", "b", "Ада жила в Москве.", facts=[("Ада", "жила в", ("Москве",))]),
            make_source("default", "c", "北京大学在北京。", facts=[("北京大学", "在", ("北京",))]),
        ]
    )  # fmt: skip
    assert [f.subject for f in store.facts(subject="élise öberg")] == ["Élise Öberg"]
    assert [f.subject for f in store.facts(subject="ÖBERG", object="århus")] == ["Élise Öberg"]
    assert [f.subject for f in store.facts(predicate="ЖИЛА")] == ["Ада"]
    assert [f.subject for f in store.facts(object="京")] == ["北京大学"]
    assert [f.subject for f in store.facts(object='"ny"')] == ["Élise Öberg"]
    for not_in_any_part in (",", "[", "\\", '", "', "]"):
        assert store.facts(object=not_in_any_part) == []


def test_entities_are_matched_in_any_case_width_and_script(store: Store):
    names = ["Élise Öberg", "Москва", "北京大学", "STRASSE", "ＫＧＭＥＭ Labs"]
    store.put([make_source("default", "a", ". ".join(names) + ".", names=names)])

    def found(match):
        return [e.name for e in store.entities(match)]

    assert found("ÉLISE") == ["Élise Öberg"]
    assert found("москв") == ["Москва"]
    assert found("京大") == ["北京大学"]
    assert found("straße") == ["STRASSE"]
    assert found("kgmem") == found("ｋｇｍｅｍ") == ["ＫＧＭＥＭ Labs"]
    assert found("  élise\töberg ") == ["Élise Öberg"]
    assert len(found("")) == len(names)
