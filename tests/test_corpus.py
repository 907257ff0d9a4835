"""The sample corpus, asked all of its questions through the product as it is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from kgmem import Hit, Kgmem

EXAMPLES = Path(__file__).parents[1] / "examples"
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
FIRST = 5
"""The gold must be among so many different sources, the best first."""


def name_of(hit: Hit) -> str:
    """The gold's way to name a source: `lyon.md`, `music.jsonl#grieg`."""
    return unquote(hit.source.uri.rpartition("/")[2])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kgmem]:
    store = tmp_path_factory.mktemp("corpus") / "corpus.db"
    with Kgmem(store=f"sqlite:///{store}") as kg:
        report = kg.ingest([EXAMPLES / "corpus"])
        assert not report.failed
        assert not report.skipped
        yield kg


def test_questions_name_sources_that_are_there(corpus: Kgmem) -> None:
    there = {unquote(source.uri.rpartition("/")[2]) for source in corpus.store.sources(limit=100)}
    assert len(QUESTIONS) == len({question["id"] for question in QUESTIONS}) == 20
    assert {name for question in QUESTIONS for name in question["gold"]} <= there


@pytest.mark.parametrize("question", QUESTIONS, ids=[question["id"] for question in QUESTIONS])
def test_gold_sources_come_first(corpus: Kgmem, question: dict[str, Any]) -> None:
    hits = corpus.search(question["question"], k=20)
    first = list(dict.fromkeys(name_of(hit) for hit in hits))[:FIRST]
    assert set(question["gold"]) <= set(first)
    if question["kind"] == "two-hop":
        assert any(hit.explanation.path for hit in hits if name_of(hit) in question["gold"])
