"""How long each stage of a search takes over the embedded engine as the corpus grows.

    python benchmarks/latency.py --data DIR --out OUT [--set NAME] [--chunks N …] [--questions N]
    python benchmarks/latency.py [--chunks N …]

With `--data` the questions are a set's, over its own corpus and over the same
made larger (`grown.py`), kept in OUT/grown-<chunks>, each size starting from
the one before; encoding them counts. Without, corpora are made for it
(`made.py`), questions too, and their vectors are random. Every question is
asked once before it counts. A stage's time is without those that it calls.
What compares across machines is how a stage grows, and its ratio to the bare
vector query for ten ids.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Any, cast

import numpy as np
from grown import grow
from made import FINGERPRINT, RandomEncoder, load, questions
from patching import Patch, patched
from sets import SHOWN, QuestionSet, cached_encoder, markdown, opened, write_table

from kgmem.ingest.encode import DEFAULT_MODEL, Encoder, load_encoder
from kgmem.model import Filter
from kgmem.search import engine
from kgmem.store import open_store
from kgmem.store.contract import Store

BARE = "bare vector query, 10"
TOTAL = "search"
REST = "the rest"
GROWN = 1.5
"""A stage whose median is this many times as long over the largest corpus as over the smallest is said to grow."""
NOTHING = Filter()

Spent = dict[str, list[float]]


class Clock:
    """Milliseconds of each stage, without those of the stages that it calls."""

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` gives seconds."""
        self.now = now
        self.spent: Spent = defaultdict(list)
        self._open: dict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any, **values: Any) -> Any:
            self._inner.append(0.0)
            started = self.now()
            try:
                return work(*args, **values)
            finally:
                whole = (self.now() - started) * 1000
                self._open[stage] += whole - self._inner.pop()
                if self._inner:
                    self._inner[-1] += whole

        return measured

    def take(self, stage: str, work: Callable[[], object]) -> None:
        """Time this as a whole, and take the stages within it for one question's."""
        started = self.now()
        work()
        self.spent[stage].append((self.now() - started) * 1000)
        for inner, milliseconds in self._open.items():
            self.spent[inner].append(milliseconds)
        self._open.clear()


def stages(clock: Clock, store: Store, encoder: Encoder) -> list[Patch]:
    """What is timed of a search, in the order in which it comes."""
    parts = [
        ("encode the question", encoder, "encode_query"),
        ("vector arm", store, "vector_search"),
        ("full-text arm", store, "term_search"),
        ("names looked up", engine, "find_seeds"),
        ("activation", engine, "activate"),
        ("candidates read", store, "candidates"),
        ("words and prior", engine, "_candidates"),
        ("subgraph", engine, "local_subgraph"),
        ("PageRank", engine, "personalised_pagerank"),
        ("explanation", engine, "_hits"),
    ]
    return [Patch(target, name, clock.timed(stage, getattr(target, name))) for stage, target, name in parts]


def measure(store: Store, encoder: Encoder, asked: Sequence[str], now: Callable[[], float]) -> Spent:
    vectors = [encoder.encode_query(question) for question in asked]
    clock, bare = Clock(now), Clock(now)
    vector_search, search = store.vector_search, clock.timed(REST, engine.search)
    with patched(stages(clock, store, encoder)):
        for turn in range(2):
            if turn == 1:
                clock.spent.clear()
                bare.spent.clear()
            for question, vector in zip(asked, vectors, strict=True):
                clock.take(TOTAL, partial(search, store, encoder, question))
                bare.take(BARE, partial(vector_search, vector, 10, NOTHING))
    names = [stage for stage in clock.spent if stage not in (REST, TOTAL)]
    return {stage: clock.spent[stage] for stage in (*names, REST, TOTAL)} | dict(bare.spent)


def table(found: dict[int, Spent]) -> str:
    """Stages by sizes: median, 95th percentile, and how often the smallest's median the largest's is."""
    heads = ["", *(f"{size:,} p50 | p95" for size in found), "growth"]
    heads = " | ".join(heads).split(" | ")
    smallest, largest = next(iter(found.values())), list(found.values())[-1]
    rows = []
    for stage in smallest:
        cells = [f"{np.percentile(spent[stage], q):.2f}" for spent in found.values() for q in (50, 95)]
        rows.append([f"**{stage}**" if stage == TOTAL else stage, *cells, f"{growth(smallest, largest, stage):.2f}"])
    ratios = [f"{np.median(spent[TOTAL]) / np.median(spent[BARE]):.2f}" for spent in found.values()]
    rows.append(["search / bare vector query", *(cell for ratio in ratios for cell in (ratio, "")), ""])
    return markdown(heads, rows)


def growth(smallest: Spent, largest: Spent, stage: str) -> float:
    return float(np.median(largest[stage]) / max(np.median(smallest[stage]), 1e-6))


def verdict(found: dict[int, Spent]) -> str:
    smallest, largest = next(iter(found.values())), list(found.values())[-1]
    more = {stage: float(np.median(largest[stage]) - np.median(smallest[stage])) for stage in smallest}
    growing = [
        f"{stage} ({growth(smallest, largest, stage):.1f} ×, {more[stage]:+.2f} ms)"
        for stage in smallest
        if stage not in (TOTAL, BARE) and growth(smallest, largest, stage) >= GROWN
    ]
    return f"Stages that grow with the corpus: {', '.join(growing) or 'none'}."


def of_set(args: argparse.Namespace) -> tuple[dict[int, Path], Encoder, list[str]]:
    """The stores by how many chunks they were to have."""
    group = QuestionSet(args.data / args.set, args.out / args.set)
    with opened(group, cached_encoder(args)) as kg:
        own = kg.store.counts().chunks
    names = sorted(f.name for f in args.data.iterdir() if (args.out / f.name / "store.db").exists())
    others = [args.out / name / "store.db" for name in names if name != args.set]
    files: dict[int, Path] = {}
    for count in sorted(args.chunks or [own, 60_000, 200_000]):
        file = group.store if count <= own else args.out / f"grown-{count}" / "store.db"
        if file != group.store:
            grow(group.store, others, file, count, next(reversed(files.values()), None))
        files[count] = file
    return files, load_encoder(args.encoder), [asked.text for asked in group.questions[: args.questions]]


def of_made(args: argparse.Namespace, folder: Path) -> tuple[dict[int, Path], Encoder, list[str]]:
    files: dict[int, Path] = {}
    for count in sorted(args.chunks or [6_000, 60_000]):
        files[count] = folder / f"made-{count}.db"
        with closing(open_store(f"sqlite:///{files[count]}", fingerprint=FINGERPRINT)) as store:
            load(store, count)
    return files, cast(Encoder, RandomEncoder()), []


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the sets")
    parser.add_argument("--out", type=Path, help="where stores are kept")
    parser.add_argument("--set", default="2wikimultihopqa")
    parser.add_argument("--chunks", type=int, nargs="*", default=[], help="sizes; up to the set's own it is as it is")
    parser.add_argument("--questions", type=int, default=200, help="at most so many")
    parser.add_argument("--encoder", default=DEFAULT_MODEL)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there too, in Markdown")
    parser.add_argument(
        "--cpu", action="store_true", help="processor time instead of the clock's; other work disturbs it less"
    )
    args = parser.parse_args()
    if args.data and not args.out:
        parser.error("with --data give --out too")
    return args


def main() -> None:
    args = arguments()
    found: dict[int, Spent] = {}
    now = time.thread_time if args.cpu else time.perf_counter
    with ExitStack() as opened_now:
        if args.data:
            files, encoder, asked = of_set(args)
        else:
            folder = Path(opened_now.enter_context(tempfile.TemporaryDirectory()))
            files, encoder, asked = of_made(args, folder)
        for count, file in files.items():
            with closing(open_store(f"sqlite:///{file}?mode=ro")) as store:
                spent = measure(store, encoder, asked or questions(store, args.questions), now)
                counts = store.counts()
                found[counts.chunks] = spent
                print(
                    f"{count:,}: {counts.chunks:,} chunks, {counts.entities:,} entities, "
                    f"{file.stat().st_size / 1e6:.0f} MB; search {np.median(spent[TOTAL]):.2f} ms",
                    flush=True,
                )
    name = SHOWN.get(args.set, args.set) if args.data else "made up"
    size = len(next(iter(found.values()))[TOTAL])
    unit = "milliseconds of the processor" if args.cpu else "milliseconds"
    text = (
        f"{table(found)}\n{verdict(found)}\n\n{size} questions, {name}; {unit}; {cpu_count()} cores; "
        f"{datetime.now(UTC):%Y-%m-%d}.\n"
    )
    print(f"\n{text}")
    write_table(args.markdown, text)


if __name__ == "__main__":
    main()
