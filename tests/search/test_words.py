import math

import numpy as np
import pytest

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder
from kgmem.model import Filter
from kgmem.search.words import term_weights, word_scores
from kgmem.terms import terms

K1, B = 1.2, 0.75
TEXTS = [
    "otter river river bank",
    "otter den",
    "river river river bank bank stone stone moss",
    "bank of moss and stone under the old river wall",
    "moss",
    "den under a stone",
    "heron river",
]


def bm25(term: str, text: str, texts: list[str]) -> float:
    holding = sum(term in t.split() for t in texts)
    idf = math.log((len(texts) - holding + 0.5) / (holding + 0.5) + 1)
    count = text.split().count(term)
    mean = sum(len(t.split()) for t in texts) / len(texts)
    return idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(text.split()) / mean))


def test_what_a_term_is_worth_is_read_off_the_scores() -> None:
    asked = ["otter", "river", "den"]
    counts = np.array([[t.split().count(term) for term in asked] for t in TEXTS], float)
    lengths = np.array([len(t.split()) for t in TEXTS], float)
    scores = np.array([sum(bm25(term, t, TEXTS) for term in asked) for t in TEXTS])
    weights, mean = term_weights(counts, lengths, scores)
    holding = (counts > 0).sum(0)
    assert weights == pytest.approx(np.log((len(TEXTS) - holding + 0.5) / (holding + 0.5) + 1), rel=1e-6)
    assert mean == pytest.approx(lengths.mean())


def test_a_chunk_that_the_arm_did_not_give_is_scored_by_its_words_too() -> None:
    found = [sum(bm25(t, text, TEXTS) for t in ("otter", "river")) for text in TEXTS]
    every = word_scores([["otter"], ["river"]], TEXTS, found)
    some = word_scores([["otter"], ["river"]], TEXTS, [*found[:5], None, None])
    assert some[6] == pytest.approx(every[6], rel=0.2)
    assert some[6] > 0
    assert some[5] == 0


def test_a_rare_word_outweighs_a_frequent_one_that_comes_often() -> None:
    texts = ["river " * 6 + "bank", "otter bank", *["river"] * 8]
    found = [sum(bm25(t, text, texts) for t in ("otter", "river")) for text in texts]
    scores = word_scores([["otter"], ["river"]], texts, found)
    assert scores[1] == max(scores)


@pytest.mark.parametrize(
    ("asked", "texts", "found"), [([], ["a b"], [None]), ([["a"]], [], []), ([["a"]], ["a"], [None])]
)
def test_without_words_or_hits_nothing_is_scored(asked: list[list[str]], texts: list[str], found: list[None]) -> None:
    assert word_scores(asked, texts, found).tolist() == [0.0] * len(texts)


def test_a_compound_counts_once() -> None:
    texts = ["birth-weight birth weight low", "birth weight low", "low", "low heron", "otter"]
    found = [sum(bm25(t, text, texts) for t in ("birth-weight", "birth", "weight", "low")) for text in texts]
    apart = word_scores([["birth-weight"], ["birth"], ["weight"], ["low"]], texts, found)
    once = word_scores([["birth-weight", "birth", "weight"], ["low"]], texts, found)
    assert apart[0] > 1.3 * apart[1]
    assert once[0] == pytest.approx(once[1], rel=0.1)
    assert once[1] > once[2] > once[4] == 0


def test_it_agrees_with_the_index_about_which_words_are_rare(tmp_path, encoder: Encoder) -> None:
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, encoder_threads=1) as kg:
        for i in range(30):
            kg.ingest_text(f"The river number{i} is long." + (" Otters live there." if i < 3 else ""), uri=f"t:{i}")
        asked = list(dict.fromkeys(terms("Which river has otters?")))
        given = dict(kg.store.term_search(asked, 30, Filter()))
        read = kg.store.candidates(list(given), encoder.encode_query("otters"))
        scored = word_scores([[term] for term in asked], [read[ref].terms for ref in given], list(given.values()))
        scores = dict(zip(given, scored, strict=True))
    with_otters = {ref for ref in given if "otter" in read[ref].terms.split()}
    assert len(with_otters) == 3
    assert min(scores[r] for r in with_otters) > 5 * max(s for r, s in scores.items() if r not in with_otters)
