"""What a search can be asked for beside ranking: variety, other names, and what stands beside a hit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgmem import Filter, Hit, Kgmem, SearchOptions
from kgmem.errors import QueryError
from kgmem.ingest.encode import Encoder, unit
from kgmem.model import Document, Entity, Turn
from kgmem.search.aliases import ALIAS_TERMS, alias_terms
from kgmem.search.diversify import marginal_relevance
from kgmem.search.options import MAX_NEIGHBOURS
from kgmem.store.contract import KnownName, Store


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Iterator[Kgmem]:
    path = tmp_path_factory.mktemp("options") / "kg.db"
    with Kgmem(store=f"sqlite:///{path}", encoder=encoder, processes=0, chunk_size=16) as opened:
        for i in range(5):
            opened.ingest_text("The ferry to Skaro leaves at nine in the morning.", uri=f"ferry{i}")
        opened.ingest_text("Skaro is also reached by a bridge from the north.", uri="ferry-or-bridge")
        opened.ingest_text("Bread is baked at night.", uri="bread")
        opened.ingest_text(
            "The North Atlantic Treaty Organization (NATO) signed its papers. "
            "The North Atlantic Treaty Organization (NATO) has a flag.",
            uri="treaty",
        )
        opened.ingest_text("NATO keeps its cats in Mons.", uri="cats")
        opened.ingest_text(
            " ".join(f"Step {n} of the recipe is to stir the pot {n} times." for n in range(8)), uri="pot"
        )
        lines = [f"Line {n} about the orchard." for n in range(6)]
        text = "\n".join(lines)
        starts = [text.index(line) for line in lines]
        turns = [
            Turn(a, a + len(line), "Ann" if n % 2 else "Bob", datetime(2024, 1, 1 + n, tzinfo=UTC))
            for n, (a, line) in enumerate(zip(starts, lines, strict=True))
        ]
        opened.ingest_documents([Document("talk", text, kind="conversation", turns=tuple(turns))])
        yield opened


def uris(hits: list[Hit]) -> list[str]:
    return [hit.source.uri for hit in hits]


def terms_found(kg: Kgmem, question: str, **options: Any) -> set[str]:
    return set(uris(kg.search(question, mode="fulltext", options=SearchOptions(**options))))


@pytest.mark.parametrize(
    "options",
    [
        {"diversity": -0.1},
        {"diversity": 1.01},
        {"diversity": float("nan")},
        {"diversity": float("inf")},
        {"neighbours": -1},
        {"neighbours": MAX_NEIGHBOURS + 1},
    ],
)
def test_options_that_can_not_be(options: dict[str, Any]) -> None:
    with pytest.raises(QueryError, match=f"{next(iter(options))} is .*0.* to "):
        SearchOptions(**options)


# Diversity


@pytest.mark.parametrize("mode", ["hybrid", "vector", "fulltext"])
def test_hits_that_say_the_same_make_room(kg: Kgmem, mode: Any) -> None:
    question = "When does the ferry to Skaro leave?"
    where = Filter(uri_prefix="ferry")
    plain = kg.search(question, mode=mode, k=6, where=where)
    assert uris(plain)[-1] == "ferry-or-bridge"
    varied = kg.search(question, mode=mode, k=3, where=where, options=SearchOptions(diversity=0.5))
    assert varied[0] == plain[0]
    assert uris(varied)[1] == "ferry-or-bridge"
    assert uris(varied)[2] == plain[1].source.uri


def test_diversity_keeps_to_filters_and_to_k(kg: Kgmem) -> None:
    hits = kg.search("Skaro", k=4, where=Filter(uri_prefix="ferry"), options=SearchOptions(diversity=1.0))
    assert len(set(uris(hits))) == 4
    assert all(uri.startswith("ferry") for uri in uris(hits))
    assert kg.search("Skaro", where=Filter(uris=("none",)), options=SearchOptions(diversity=0.5)) == []


def test_the_less_a_candidate_resembles_the_chosen_the_sooner_it_comes() -> None:
    a, near_a, b = unit(np.array([[1, 0, 0], [1, 0.1, 0], [0, 1, 0]], np.float32))
    assert marginal_relevance([a, near_a, b], 0.0, 3) == [0, 1, 2]
    assert marginal_relevance([a, near_a, b], 0.05, 3) == [0, 1, 2]
    assert marginal_relevance([a, near_a, b], 0.5, 3) == [0, 2, 1]
    assert marginal_relevance([a, near_a, b], 1.0, 2) == [0, 2]
    assert marginal_relevance([a, a, np.zeros(3, np.float32)], 0.9, 3) == [0, 2, 1], "a zero vector resembles nothing"
    assert marginal_relevance([], 0.5, 3) == []


@given(st.integers(0, 30), st.integers(1, 40), st.floats(0, 1), st.integers(0, 1000))
def test_candidates_are_chosen_once_each_and_the_best_first(n: int, count: int, diversity: float, seed: int) -> None:
    vectors = list(unit(np.random.default_rng(seed).normal(size=(n, 8)).astype(np.float32)))
    chosen = marginal_relevance(vectors, diversity, count)
    assert len(chosen) == len(set(chosen)) == min(n, count)
    assert chosen[:1] == list(range(min(n, 1)))
    assert set(chosen) <= set(range(n))


# Aliases


def test_a_chunk_that_has_only_the_other_name_is_found_by_it(kg: Kgmem) -> None:
    asked = "Where is the North Atlantic Treaty Organization?"
    assert "cats" not in terms_found(kg, asked)
    assert "cats" in terms_found(kg, asked, aliases=True)
    hits = kg.search(asked, options=SearchOptions(aliases=True))
    cats = next(hit for hit in hits if hit.source.uri == "cats")
    assert "fulltext" in {arm.arm for arm in cats.explanation.arms}


def test_a_question_that_names_nothing_is_searched_as_it_is(kg: Kgmem) -> None:
    question = "when is bread baked?"
    assert kg.search(question, options=SearchOptions(aliases=True)) == kg.search(question)


def test_the_graph_is_entered_as_without_aliases(kg: Kgmem) -> None:
    asked = "Where is the North Atlantic Treaty Organization?"
    assert kg.search(asked, mode="graph", options=SearchOptions(aliases=True))
    plain, more = (kg.search(asked, mode="graph", options=SearchOptions(aliases=given)) for given in (False, True))
    assert [(hit.chunk.id, hit.score) for hit in plain] == [(hit.chunk.id, hit.score) for hit in more]


def test_added_terms_are_new_and_bounded_and_all_entities_take_turns() -> None:
    many = tuple(f"Alias{n:03}" for n in range(100))
    entities = {
        1: Entity("e1", "alpha", "Alpha", "ORG", 1, many),
        2: Entity("e2", "beta", "Beta", "ORG", 1, ("Second Beta",)),
    }
    store = create_autospec(Store, instance=True)
    store.entity_names.side_effect = lambda refs: {ref: entities[ref] for ref in refs if ref in entities}
    seeds = [KnownName(ref, f"e{ref}", "", "", "ORG", 1, ()) for ref in (1, 2, 3)]
    added = alias_terms(store, ("alpha", "second"), seeds)
    assert len(added) == len(set(added)) == ALIAS_TERMS
    assert not {"alpha", "second"} & set(added)
    assert "beta" in added
    assert alias_terms(store, ("alpha",), []) == []


# Neighbours


def test_what_stands_beside_a_hit_takes_no_place_among_the_hits(kg: Kgmem) -> None:
    question = "How often is the pot stirred at step 3 of the recipe?"
    plain = kg.search(question, k=3)
    assert all(hit.before == hit.after == () for hit in plain)
    hits = kg.search(question, k=3, options=SearchOptions(neighbours=2))
    assert [(hit.chunk, hit.score, hit.explanation) for hit in hits] == [
        (hit.chunk, hit.score, hit.explanation) for hit in plain
    ]
    for hit in hits:
        count, here = hit.source.chunk_count, hit.chunk.ordinal
        assert [chunk.ordinal for chunk in hit.before] == list(range(max(here - 2, 0), here))
        assert [chunk.ordinal for chunk in hit.after] == list(range(here + 1, min(here + 3, count)))
        text = kg.store.text(hit.source.id) or ""
        assert all(text[chunk.start : chunk.end] == chunk.text for chunk in (*hit.before, *hit.after))
    assert any(hit.before and hit.after for hit in hits)


def test_turns_beside_a_turn_are_shown_whatever_the_filter_says(kg: Kgmem) -> None:
    day = Filter(since=datetime(2024, 1, 3, tzinfo=UTC), until=datetime(2024, 1, 4, tzinfo=UTC))
    (hit,) = kg.search("What was said about the orchard?", where=day, options=SearchOptions(neighbours=1))
    (before,), (after,) = hit.before, hit.after
    assert [chunk.text for chunk in (before, hit.chunk, after)] == [f"Line {n} about the orchard." for n in (1, 2, 3)]
    assert [chunk.speaker for chunk in (before, hit.chunk, after)] == ["Ann", "Bob", "Ann"]


def test_a_source_of_one_chunk_has_none_beside_it(kg: Kgmem) -> None:
    hits = kg.search("When is bread baked?", where=Filter(uris=("bread",)), options=SearchOptions(neighbours=5))
    assert [(hit.before, hit.after) for hit in hits] == [((), ())]


# All together


def test_options_go_together(tmp_path: Path, kg: Kgmem, encoder: Encoder) -> None:
    class Shortest:
        def scores(self, question: str, passages: Any) -> Any:
            return -np.array([len(passage) for passage in passages])

    with Kgmem(kg.settings, encoder=encoder, reranker=Shortest()) as other:
        options = SearchOptions(rerank=True, diversity=0.3, aliases=True, neighbours=1)
        hits = other.search("When does the ferry to Skaro leave?", k=4, options=options)
    assert len(hits) == 4
    first = max(hit.explanation.rerank or -1000 for hit in hits)
    assert hits[0].explanation.rerank == first, "what the reranker puts first stays first"
    assert not all(uri.startswith("ferry") for uri in uris(hits))
