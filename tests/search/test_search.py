"""Search as a user asks it, over real texts and the real encoder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kgmem import Filter, Kgmem
from kgmem.errors import QueryError
from kgmem.ingest.encode import Encoder
from kgmem.search.analyse import find_seeds
from kgmem.search.engine import MODES

TEXTS = {
    "Orla Fenwick": "Orla Fenwick painted The Harbour at Dusk. She studied under Bruno Castellane in Turin.",
    "Bruno Castellane": "Bruno Castellane was born in Vercelli and taught painting for thirty years.",
    "Vercelli": "Vercelli lies on the river Sesia. Rice is grown around Vercelli.",
    "Turin": "Turin lies on the river Po. Many painters lived in Turin.",
    "Painting": "Painting is the practice of applying colour to a surface. Painters study for years.",
    "Rivers": "A river is a natural stream of water that flows to the sea or a lake.",
    "Rice": "Rice is a grain. It is grown in flooded fields in many countries.",
    "Compilers": "The C++ compiler and the C# compiler differ. POL-358 describes a fault in the C++ front end.",
}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Iterator[Kgmem]:
    path = tmp_path_factory.mktemp("search") / "kg.db"
    with Kgmem(store=f"sqlite:///{path}", encoder=encoder, processes=0, encoder_threads=1) as opened:
        for i, (title, text) in enumerate(TEXTS.items()):
            opened.ingest_text(
                text,
                uri=f"doc:{title}",
                title=title,
                tags=["art"] if i < 2 else ["other"],
                timestamp=datetime(2020 + i, 1, 1, tzinfo=UTC),
                metadata={"number": i, "odd": i % 2 == 1},
            )
        yield opened


def titles(kg: Kgmem, question: str, **options: object) -> list[str]:
    return [hit.source.title for hit in kg.search(question, **options)]  # type: ignore[arg-type]


def test_two_hops_are_found_with_the_path_that_leads_there(kg: Kgmem) -> None:
    question = "Where was the teacher of the painter of The Harbour at Dusk born?"
    hits = kg.search(question, k=3)
    found = next(hit for hit in hits if hit.source.title == "Bruno Castellane")
    path = found.explanation.path
    assert [step.title for step in path][-1] == "Bruno Castellane"
    assert path[0].title == "Orla Fenwick"
    assert "Castellane" in path[-1].sentence
    for step in path:
        source = kg.store.source(step.source_id)
        assert source is not None
        assert step.sentence in (kg.store.text(step.source_id) or "")
        assert kg.store.entity(step.entity_id) is not None


def test_what_its_own_words_found_is_given_no_path_through_others(kg: Kgmem) -> None:
    hits = kg.search("Does the fault POL-358 in the front end concern painters who lived in Turin?", k=8)
    compilers = next(hit for hit in hits if hit.source.title == "Compilers")
    assert compilers.explanation.path == ()
    turin = next(hit for hit in hits if hit.source.title == "Turin")
    assert [(step.entity, step.title) for step in turin.explanation.path] == [("Turin", "Turin")]


def test_every_arm_says_its_rank_and_score(kg: Kgmem) -> None:
    hit = kg.search("What river does Vercelli lie on?", k=1)[0]
    assert hit.source.title == "Vercelli"
    assert {arm.arm for arm in hit.explanation.arms} == {"vector", "fulltext", "graph"}
    assert all(arm.rank >= 1 and arm.score > 0 for arm in hit.explanation.arms)
    assert 0 <= hit.explanation.prior <= 1
    assert hit.chunk.text == TEXTS["Vercelli"]


@pytest.mark.parametrize("mode", MODES)
def test_modes(kg: Kgmem, mode: str) -> None:
    found = titles(kg, "What river does Vercelli lie on?", mode=mode, k=3)
    assert found[0] == "Vercelli"


def test_a_question_in_lower_case_names_its_entities(kg: Kgmem) -> None:
    assert titles(kg, "where was bruno castellane born?", k=1) == ["Bruno Castellane"]
    keys = {seed.key for seed in find_seeds(kg.store, "where was bruno castellane born?", Filter())}
    assert "bruno castellane" in keys


@pytest.mark.parametrize(("word", "title"), [("C++", "Compilers"), ("POL-358", "Compilers"), ("Sesia", "Vercelli")])
def test_words_that_an_encoder_does_not_know(kg: Kgmem, word: str, title: str) -> None:
    assert titles(kg, word, mode="fulltext", k=1) == [title]
    assert title in titles(kg, word, k=2)


def test_filters_still_return_what_is_there(kg: Kgmem) -> None:
    question = "painting in Turin"
    assert set(titles(kg, question, where=Filter(tags=("art",)))) <= {"Orla Fenwick", "Bruno Castellane"}
    assert titles(kg, question, where=Filter(uris=("doc:Rice",))) == ["Rice"]
    assert len(titles(kg, question, where=Filter(tags=("other",)), k=5)) == 5
    assert set(titles(kg, question, where=Filter(metadata={"odd": True}))) == {
        "Bruno Castellane",
        "Turin",
        "Rivers",
        "Compilers",
    }
    early = Filter(until=datetime(2022, 1, 1, tzinfo=UTC))
    assert set(titles(kg, question, where=early)) == {"Orla Fenwick", "Bruno Castellane"}
    for mode in MODES:
        assert set(titles(kg, "Where is Vercelli?", where=early, mode=mode)) <= {"Orla Fenwick", "Bruno Castellane"}


def test_a_day_named_in_the_question_counts(kg: Kgmem) -> None:
    asked, dated = "What was said about grain and fields?", "What was said about grain and fields on 1 January 2022?"
    before = {hit.source.title: hit.explanation.prior for hit in kg.search(asked, k=8)}
    after = {hit.source.title: hit.explanation.prior for hit in kg.search(dated, k=8)}
    assert after["Vercelli"] > before["Vercelli"]


@pytest.mark.parametrize("question", ["", "  \n ", "x" * 100_000])
def test_questions_that_can_not_be_asked(kg: Kgmem, question: str) -> None:
    with pytest.raises(QueryError, match=r"empty|100,000 characters"):
        kg.search(question)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 100_000}, {"mode": "psychic"}])
def test_options_that_can_not_be(kg: Kgmem, options: dict[str, object]) -> None:
    with pytest.raises(QueryError):
        kg.search("x", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question", ['"', "(", "AND", "foo:bar", "~", "a/b", "\\", "*", "?!", "的", "NEAR(a b)", "'; --", "\x00"]
)
def test_signs_are_only_signs(kg: Kgmem, question: str) -> None:
    for mode in MODES:
        kg.search(question, mode=mode)


def test_an_empty_store_has_no_answers(tmp_path: Path, encoder: Encoder) -> None:
    with Kgmem(store=f"sqlite:///{tmp_path / 'e.db'}", encoder=encoder, processes=0) as kg:
        for mode in MODES:
            assert kg.search("anything", mode=mode) == []


def test_the_same_question_gets_the_same_answer(kg: Kgmem) -> None:
    first = kg.search("Who taught in Turin?")
    assert [(h.chunk.id, h.score) for h in kg.search("Who taught in Turin?")] == [(h.chunk.id, h.score) for h in first]


def test_chinese_is_found_by_two_characters(tmp_path: Path, encoder: Encoder) -> None:
    with Kgmem(store=f"sqlite:///{tmp_path / 'zh.db'}", encoder=encoder, processes=0) as kg:
        kg.ingest_text("北京大学在海淀区。它成立于1898年。", uri="a", title="北京大学")
        kg.ingest_text("订单审批流程由经理批准。", uri="b", title="流程")
        kg.ingest_text("钱塘江流过杭州。", uri="c", title="钱塘江")
        assert titles(kg, "审批", k=1) == ["流程"]
        assert titles(kg, "北京大学在哪里？", k=1) == ["北京大学"]
        assert titles(kg, "杭州", mode="fulltext") == ["钱塘江"]


def test_last_week_is_found_by_the_time_of_the_turns(tmp_path: Path, encoder: Encoder) -> None:
    turns = [
        ("2026-05-01T10:00:00+00:00", "I went to the museum with Ana."),
        ("2026-05-06T10:00:00+00:00", "I went to the museum with Otto."),
        ("2026-05-12T10:00:00+00:00", "I went to the museum with Zoe."),
    ]
    lines = [json.dumps({"conversation": "c", "speaker": "Ida", "timestamp": t, "text": said}) for t, said in turns]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, encoder_threads=1) as kg:
        kg.ingest([tmp_path / "talk.jsonl"])
        asked = datetime(2026, 5, 13, 9, tzinfo=UTC)
        for question, found in (
            ("Who did Ida go to the museum with last week?", "Otto"),
            ("Who did Ida go to the museum with yesterday?", "Zoe"),
            ("Who did Ida go to the museum with on May 1?", "Ana"),
        ):
            assert found in kg.search(question, k=1, as_of=asked)[0].chunk.text


def test_an_answer_is_found_behind_its_question(tmp_path: Path, encoder: Encoder) -> None:
    said = [
        ("Ana", "Good morning!"),
        ("Ana", "Otto, what did you cook for the party?"),
        ("Otto", "Lentils, as always."),
        ("Ana", "The party was loud."),
        ("Otto", "My ears still hurt."),
        ("Ana", "Otto likes to cook."),
        ("Otto", "The weather was fine."),
    ]
    lines = [json.dumps({"conversation": "c", "speaker": s, "text": t}) for s, t in said]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, encoder_threads=1) as kg:
        kg.ingest([tmp_path / "talk.jsonl"])
        found = [hit.chunk.text for hit in kg.search("What did Otto cook for the party?", k=2)]
    assert "Lentils, as always." in found


def test_a_path_shows_what_a_speaker_said_and_not_a_greeting(tmp_path: Path, encoder: Encoder) -> None:
    said = [("Ana", "Hi Otto!"), ("Otto", "Hey, Ana! I visited a hospital for veterans in Lyon."), ("Ana", "Good.")]
    lines = [json.dumps({"conversation": "c", "speaker": s, "text": t}) for s, t in said]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, encoder_threads=1) as kg:
        kg.ingest([tmp_path / "talk.jsonl"])
        hit = kg.search("Which hospital did Otto visit?", k=1)[0]
    assert hit.chunk.text == said[1][1]
    assert [step.sentence for step in hit.explanation.path] == ["I visited a hospital for veterans in Lyon."]
