"""What each part of the ranking is worth: recall without it, on every set, over the stores that retrieval.py makes.

    python benchmarks/ablation.py --data DIR --out OUT [--sets NAME …] [--parts NAME …] [--markdown FILE]

Parts are switched off by putting other constants and functions into
`kgmem.search` while a row is measured; the product has no switches for it.
Only parts of ranking can be left out so: not those of ingest, such as how
names are found. R@5, and where it says more also R@2, all-recall@5 or nDCG@10.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from patching import Patch, patched
from sets import (
    COLUMNS,
    SHOWN,
    QuestionSet,
    Score,
    ask,
    hit_ids,
    markdown,
    mean_of,
    measured,
    opened,
    set_up,
    takes_sets,
    write_table,
)

from kgmem.ingest.encode import Encoder
from kgmem.model import Floats
from kgmem.search import engine, expand, nearby, prior
from kgmem.search.analyse import analyse
from kgmem.search.expand import Activation
from kgmem.store.contract import NO_EDGES, Store

MORE = {"2wikimultihopqa": ("recall@2", "all-recall@5"), "scifact": ("nDCG@10",)}
"""What is shown of a set beside R@5."""


def said_by(**weights: float) -> Patch:
    """The prior with what it is made of multiplied: `cosine`, `words`, `sentence`, or the encoder's `trust` set."""

    def changed(vector: Floats, words: Floats, sentence: Floats, dated: Any, *, trust: float = 1.0) -> Floats:
        return prior.prior(
            vector * weights.get("cosine", 1.0),
            words * weights.get("words", 1.0),
            sentence * weights.get("sentence", 1.0),
            dated,
            trust=weights.get("trust", trust),
        )

    return Patch(engine, "prior", changed)


def chosen_sentences(keep: Callable[[float], bool]) -> Patch:
    """Of the sentences that hand on, those whose cosine `keep` lets through."""
    usual = expand._nearest_sentences

    def changed(seeds: Any, mentions: Any, near_to: Any) -> Any:
        found = usual(seeds, mentions, near_to)
        kept = {place: [handed for handed in chosen if keep(handed[1])] for place, chosen in found.items()}
        return {place: chosen for place, chosen in kept.items() if chosen}

    return Patch(expand, "_nearest_sentences", changed)


def as_the_arm_says(words: Any, texts: Any, found: Sequence[float | None], rarity: Any) -> Floats:
    return np.array([score or 0.0 for score in found], np.float64)


def trusted(*args: Any) -> Any:
    """Seeds get all the mass that there is for them, shared among them as ever."""
    activation, strongest = expand.activate(*args)
    if not activation.gate:
        return activation, strongest
    reset = {entity: mass / activation.gate for entity, mass in activation.reset.items()}
    return replace(activation, reset=reset, gate=1.0), strongest


def undated(text: str, as_of: datetime | None = None) -> Any:
    return replace(analyse(text, as_of), dates=())


NO_ANSWERS = Patch(nearby, "ANSWER_FACTOR", 1.0), Patch(expand, "answers", lambda refs, read: {})

PARTS: dict[str, tuple[Patch, ...]] = {
    "all of it": (),
    # The graph as a whole.
    "no PageRank: the prior alone": (
        Patch(engine, "personalised_pagerank", lambda graph, reset: np.zeros_like(reset)),
    ),
    "no entities to start from": (Patch(engine, "activate", lambda *_: (Activation(), NO_EDGES)),),
    "no chunks to start from (their restart mass 0)": (Patch(prior, "RESET_SUM", 0.0),),
    # Where mass comes from.
    "restart mass of chunks not sharpened (power 1)": (Patch(prior, "RESET_POWER", 1),),
    "seeds alone, no activation": (chosen_sentences(lambda cosine: False),),
    "all sentences of activation alike (nearness to the power 0)": (Patch(expand, "NEARNESS_POWER", 0),),
    "no factor for entities with an own page": (Patch(expand, "OWN_PAGE_FACTOR", 1.0),),
    "no sentences below the least cosine, also of own pages": (
        chosen_sentences(lambda cosine: cosine >= expand.MIN_COSINE),
    ),
    "no gate: seeds trusted, hubs too": (Patch(engine, "activate", trusted),),
    "names without an own page trusted alike": (Patch(expand, "OWNLESS_TRUST", 1.0),),
    "no least share: seeds by their gates alone": (Patch(expand, "LEAST_SHARE", 0.0),),
    "the same share for every seed": (Patch(expand, "LEAST_SHARE", 1.0),),
    # Which graph it flows through.
    "no push outward": (Patch(expand, "PUSH_ENTITIES", 0),),
    "no edges between neighbours": (Patch(expand, "led", lambda following, read: NO_EDGES),),
    "a question hands on to its answer no more": (Patch(nearby, "ANSWER_FACTOR", 1.0),),
    "nor is the answer fetched": NO_ANSWERS,
    # The prior.
    "no cosine of the chunk": (said_by(cosine=0.0),),
    "no cosine of the best sentence": (said_by(sentence=0.0),),
    "no words": (said_by(words=0.0),),
    "words as the full-text arm gives them": (Patch(engine, "word_scores", as_the_arm_says),),
    "the encoder trusted whatever it knows": (said_by(trust=1.0),),
    "no dates": (Patch(engine, "analyse", undated),),
    "no prior to order what the graph does not reach": (Patch(engine, "PRIOR_WEIGHT", 0.0),),
}


def measure(group: QuestionSet, store: Store, encoder: Encoder, score: Score) -> dict[str, float]:
    return mean_of(score, group.scored, lambda asked: hit_ids(ask(store, encoder, asked)))


def columns(groups: Sequence[QuestionSet]) -> list[tuple[str, str]]:
    """(set, measure) of each column."""
    return [(group.name, metric) for group in groups for metric in ("recall@5", *MORE.get(group.name, ()))]


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]], groups: Sequence[QuestionSet]) -> str:
    """By part, set and measure. The last column is the mean over the sets of what R@5 loses."""
    places = columns(groups)
    heads = ["", *(f"{SHOWN.get(name, name)} {COLUMNS[metric]}" for name, metric in places), "mean R@5"]
    rows = []
    full = next(iter(found.values()))
    for part, by_set in found.items():
        mean = float(np.mean([by_set[g.name]["recall@5"] - full[g.name]["recall@5"] for g in groups]))
        cells = [f"{by_set[name][metric]:.1f}" for name, metric in places]
        whole = by_set is full
        mean_cell = f"{np.mean([full[g.name]['recall@5'] for g in groups]):.1f}" if whole else f"{mean:+.1f}"
        rows.append([f"**{cell}**" if whole else cell for cell in (part, *cells, mean_cell)])
    return markdown(heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_sets(parser)
    parser.add_argument(
        "--parts", nargs="*", default=[], metavar="NAME", help="only rows whose names hold one of these"
    )
    args = parser.parse_args()

    score, encoder, groups = set_up(args)
    parts = [p for p in PARTS if not PARTS[p] or not args.parts or any(wanted in p for wanted in args.parts)]
    found: dict[str, dict[str, dict[str, float]]] = {part: {} for part in parts}
    for group in groups:
        with opened(group, encoder) as kg:
            for part in parts:
                with patched(PARTS[part]):
                    values = found[part][group.name] = measure(group, kg.store, encoder, score)
                shown = ("recall@5", *MORE.get(group.name, ()))
                said = "  ".join(f"{COLUMNS[metric]} {values[metric]:6.2f}" for metric in shown)
                print(f"{group.name:18} {part:60} {said}", flush=True)
    text = f"{table(found, groups)}\n{measured(encoder)}\n"
    print(f"\n{text}")
    write_table(args.markdown, text)


if __name__ == "__main__":
    main()
