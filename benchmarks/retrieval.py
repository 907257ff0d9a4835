"""Recall of each arm, and of the options of a search, on question sets with gold passages.

    python benchmarks/retrieval.py --data DIR --out OUT [--sets NAME …] [--markdown FILE] [--reranker PATH]

DIR holds a folder a set, with `corpus*.jsonl.gz` and `queries.*.jsonl.gz`
(fields `id`, `question`, `gold_ids`; a corpus line has `id`, `title`, `text`,
or is a turn of a `conversation`, then each question is asked within its own).
Each corpus goes through kgmem's own pipeline into OUT/<set>/store.db. Writes
OUT/<set>/<arm>.jsonl (`{"id", "ranked"}`) and prints a table; the last line
says where the hybrid is below the best of the other arms. Encodings are kept in
OUT/encodings.db by content, so a second run is quick. Encoding the question
is left out of the times.

`rrf` is what there is without a graph: reciprocal rank fusion of the vector
and the full-text arm (Cormack, Clarke and Büttcher 2009, k = 60), here and not
in kgmem. `hybrid +neighbours 1` gives the chunks before and after a hit the
places behind it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sets import (
    COLUMNS,
    DEPTH,
    Question,
    QuestionSet,
    Score,
    ask,
    corpus_ids,
    markdown,
    mean_of,
    measured,
    opened,
    set_up,
    takes_sets,
    write_table,
)

from kgmem.ingest.encode import Encoder
from kgmem.model import Chunk, Hit, Ref, Source, Vectors
from kgmem.search.analyse import analyse
from kgmem.search.engine import Mode
from kgmem.search.options import NO_OPTIONS, SearchOptions
from kgmem.search.rerank import Reranker, load_reranker
from kgmem.store.contract import Store

RRF_DEPTH = 100
RRF_K = 60
WARM_UP = 20
"""Questions asked before an arm's time is taken."""

Ask = Callable[[Store, Question, Vectors], list[str]]


@dataclass(frozen=True, slots=True)
class Row:
    """What one arm reaches on one set; `group` is the value of `--by`, empty for all questions."""

    group: QuestionSet
    arm: str
    by: str
    questions: int
    values: Mapping[str, float]
    milliseconds: float


def arms(encoder: Encoder, reranker: Reranker | None) -> dict[str, Ask]:
    """Each way of asking, by its name in the table."""

    def searched(mode: Mode, options: SearchOptions = NO_OPTIONS) -> Ask:
        return lambda store, asked, vector: corpus_ids(
            pair
            for hit in ask(store, encoder, asked, vector=vector, mode=mode, options=options, reranker=reranker)
            for pair in beside(hit)
        )

    found = {
        "vector": searched("vector"),
        "fulltext": searched("fulltext"),
        "rrf": fused,
        "graph": searched("graph"),
        "hybrid": searched("hybrid"),
        "hybrid +diversity 0.3": searched("hybrid", SearchOptions(diversity=0.3)),
        "hybrid +aliases": searched("hybrid", SearchOptions(aliases=True)),
        "hybrid +neighbours 1": searched("hybrid", SearchOptions(neighbours=1)),
    }
    if reranker is not None:
        found["hybrid +rerank"] = searched("hybrid", SearchOptions(rerank=True))
    return found


def beside(hit: Hit) -> Iterator[tuple[Chunk, Source]]:
    """The hit, and its neighbours right behind it, the nearest first."""
    yield hit.chunk, hit.source
    for chunk in (*reversed(hit.before), *hit.after):
        yield chunk, hit.source


def fused(store: Store, asked: Question, vector: Vectors) -> list[str]:
    with store.snapshot():
        near = store.vector_search(vector, RRF_DEPTH, asked.where)
        worded = store.term_search(analyse(asked.text).terms, RRF_DEPTH, asked.where)
        gained: dict[Ref, float] = defaultdict(float)
        for ranked in (near, worded):
            for place, (ref, _) in enumerate(ranked, 1):
                gained[ref] += 1 / (RRF_K + place)
        best = sorted(gained, key=lambda ref: -gained[ref])[:DEPTH]
        return corpus_ids((stored.chunk, stored.source) for stored in store.chunks(best))


def measure(group: QuestionSet, store: Store, encoder: Encoder, arm: str, way: Ask, score: Score, by: str) -> list[Row]:
    vectors = {asked.id: encoder.encode_query(asked.text) for asked in group.questions}
    for asked in group.questions[:WARM_UP]:
        way(store, asked, vectors[asked.id])
    started = time.perf_counter()
    rankings = {asked.id: way(store, asked, vectors[asked.id]) for asked in group.questions}
    spent = (time.perf_counter() - started) / len(group.questions) * 1000
    with open(group.out / f"{arm.replace(' ', '')}.jsonl", "w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"id": i, "ranked": r}) + "\n" for i, r in rankings.items())
    parts: dict[str, list[Question]] = {"": group.scored}
    for asked in group.scored if by else ():
        parts.setdefault(str(asked.row.get(by)), []).append(asked)
    return [
        Row(group, arm, part, len(those), mean_of(score, those, lambda q: rankings[q.id]), spent)
        for part, those in parts.items()
    ]


def printed(row: Row) -> str:
    values = "  ".join(f"{row.values[m]:12.2f}" for m in COLUMNS)
    label = f"  {row.by}" if row.by else row.arm
    return f"{row.group.name:18} {label:21.21} {row.questions:6}  {values}" + (
        "" if row.by else f"  {row.milliseconds:6.1f} ms"
    )


def table(rows: Sequence[Row]) -> str:
    """As docs/retrieval.md shows it: the hybrid in bold, every other row plain."""

    def cells(row: Row) -> list[str]:
        bold = row.arm == "hybrid" and not row.by
        values = [f"{row.values[m]:.1f}" for m in COLUMNS]
        shown = [row.group.shown, str(row.questions), f"{row.arm}: {row.by}" if row.by else row.arm, *values]
        marked = [f"**{cell}**" if bold and i != 1 else cell for i, cell in enumerate(shown)]
        return [*marked, "" if row.by else f"{row.milliseconds:.1f}"]

    heads = ["set", "questions", "arm", *COLUMNS.values(), "ms"]
    text = markdown(heads, map(cells, rows))
    return text.replace("| --- | ---: | ---: |", "| --- | ---: | --- |", 1)


def below(rows: Sequence[Row], metric: str, singles: Sequence[str]) -> list[str]:
    """Where the hybrid has less of a measure than the best of the arms named."""
    found = []
    of_set: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if not row.by:
            of_set[row.group.shown][row.arm] = row
    for name, by_arm in of_set.items():
        others = [by_arm[arm] for arm in singles if arm in by_arm]
        if "hybrid" not in by_arm or not others:
            continue
        best = max(others, key=lambda row: row.values[metric])
        less = best.values[metric] - by_arm["hybrid"].values[metric]
        if less >= 0.05:
            found.append(f"{name} by {less:.1f} ({best.arm} {best.values[metric]:.1f})")
    return found


def verdict(rows: Sequence[Row]) -> str:
    said = []
    for metric in ("recall@5", "recall@2", "recall@10", "all-recall@5", "MRR", "nDCG@10"):
        places = below(rows, metric, ("vector", "fulltext", "graph", "rrf"))
        said.append(f"{COLUMNS[metric]} {', '.join(places) or 'nowhere'}")
    return "The hybrid is below the best other arm: " + "; ".join(said) + "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_sets(parser)
    parser.add_argument("--arms", nargs="*", default=[], metavar="ARM", help='only these, such as "hybrid +aliases"')
    parser.add_argument("--by", default="", help="also one row for each value of this field")
    parser.add_argument("--reranker", default="", metavar="PATH", help="measure reranking too, with this cross-encoder")
    args = parser.parse_args()

    score, encoder, groups = set_up(args)
    every = arms(encoder, load_reranker(args.reranker) if args.reranker else None)
    if unknown := set(args.arms) - set(every):
        parser.error(f"{min(unknown)!r} is no arm; choose of {', '.join(map(repr, every))}")
    print(f"{'set':18} {'arm':21} {'asked':>6}  " + "  ".join(f"{name:>12}" for name in COLUMNS.values()))
    rows: list[Row] = []
    for group in groups:
        with opened(group, encoder) as kg:
            for arm in args.arms or every:
                found = measure(group, kg.store, encoder, arm, every[arm], score, args.by)
                print("\n".join(map(printed, found)), flush=True)
                rows += found
    foot = f"{measured(encoder)} {verdict(rows)}"
    print(foot)
    write_table(args.markdown, f"{table(rows)}\n{foot}\n")


if __name__ == "__main__":
    main()
