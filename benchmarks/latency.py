"""How long a search takes, stage by stage, as the corpus grows.

    python benchmarks/latency.py [--chunks 6000 60000] [--questions 200]

Makes corpora of its own: passages of words and names drawn by Zipf's law, each
naming about eight entities, with random vectors, written straight through the
store. Encoding the question is left out. Every figure of one size comes from
one run with the calls interleaved; the ratios to the bare vector query are
what compares across machines.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from made import FINGERPRINT, RandomEncoder, load, questions

from kgmem.model import Filter
from kgmem.search import engine
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.terms import terms


def measure(store: Store, count: int) -> dict[str, list[float]]:
    """Milliseconds of each stage, over the questions."""
    encoder = RandomEncoder()
    spent: dict[str, list[float]] = defaultdict(list)

    def clock(name: str, work: Callable[[], object]) -> None:
        started = time.perf_counter()
        work()
        spent[name].append((time.perf_counter() - started) * 1000)

    nothing = Filter()
    asked = questions(store, count)
    for n, question in enumerate(asked + asked):
        if n == len(asked):
            spent.clear()
        vector = encoder.encode_query(question)
        found = terms(question)
        clock("bare vector query, 10", lambda v=vector: store.vector_search(v, 10, nothing))
        clock("search", lambda q=question, v=vector: engine.search(store, encoder, q, vector=v))  # type: ignore[arg-type]
        clock("vector query, 100", lambda v=vector: store.vector_search(v, 100, nothing))
        clock("full text, 100", lambda t=found: store.term_search(t, 100, nothing))
        clock(
            "search, graph alone", lambda q=question, v=vector: engine.search(store, encoder, q, mode="graph", vector=v)
        )  # type: ignore[arg-type]
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="*", default=[6_000, 60_000])
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    print(f"{'chunks':>8}  {'stage':24} {'p50 ms':>8} {'p95 ms':>8} {'ratio':>6}")
    for count in args.chunks:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.db"
            store = open_store(f"sqlite:///{path}", fingerprint=FINGERPRINT)
            seconds = load(store, count)
            spent = measure(store, args.questions)
            bare = float(np.percentile(spent["bare vector query, 10"], 50))
            for name, values in spent.items():
                middle, high = np.percentile(values, [50, 95])
                print(f"{count:8}  {name:24} {middle:8.2f} {high:8.2f} {middle / bare:6.2f}")
            print(
                f"{count:8}  loaded in {seconds:.1f} s, {path.stat().st_size / 1e6:.0f} MB, {store.counts()}",
                flush=True,
            )
            store.close()


if __name__ == "__main__":
    main()
