"""How fast chunks are written to Neo4j, statement by statement, and what vectors as parameters are worth.

    python benchmarks/neo4j_write.py --url bolt://HOST:PORT [--chunks N] [--batches N]

Two tables in Markdown. First the store's own `put` of a corpus made for it,
with facts, and where its time goes. Then `create_chunks.cypher` over batches
of 500 of those chunks, each a transaction, once with `neo4j.vector.Vector` and
once with lists of floats, taking turns; making the parameter from the array
counts, as it has to be done. Fills an empty database and empties it in the end.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

import neo4j
import numpy as np
from made import FINGERPRINT, corpus, vectors
from neo4j.vector import Vector
from neo4j_scratch import Scratch, borrowed, takes_url

from kgmem.ingest.link import link_pending
from kgmem.model import Vectors
from kgmem.store import open_store
from kgmem.store.neo4j.connection import Database, Transaction
from kgmem.store.neo4j.statements import statement

SOURCES = 256
"""Written by one `put`, as an ingest and a copy do it."""
WARM_UP = 4 * SOURCES
"""Chunks that are written before it counts."""
ROWS = 500
STATEMENT = "create_chunks"


class Watch:
    """Seconds of each statement within write transactions, and rows of one of them."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.work = 0.0
        self.whole = 0.0
        self.rows: list[dict[str, Any]] = []

    @property
    def client(self) -> float:
        return self.work - sum(self.seconds.values())

    @property
    def commit(self) -> float:
        return self.whole - self.work

    @contextmanager
    def watching(self) -> Iterator[None]:
        originals = (Transaction.rows, Transaction.run, Database.write)
        Transaction.rows, Transaction.run = (self._statement(f) for f in originals[:2])  # type: ignore[method-assign]
        Database.write = self._transaction(originals[2])  # type: ignore[method-assign]
        try:
            yield
        finally:
            Transaction.rows, Transaction.run, Database.write = originals  # type: ignore[method-assign]

    def _statement(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(tx: Transaction, name: str, *args: Any, **values: Any) -> Any:
            if name == STATEMENT and len(self.rows) < ROWS:
                self.rows += values["rows"][: ROWS - len(self.rows)]
            started = time.perf_counter()
            try:
                return original(tx, name, *args, **values)
            finally:
                self.seconds[name] += time.perf_counter() - started

        return call

    def _transaction(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(database: Database, work: Callable[[Transaction], Any]) -> Any:
            def timed(tx: Transaction) -> Any:
                begun = time.perf_counter()
                try:
                    return work(tx)
                finally:
                    self.work += time.perf_counter() - begun

            started = time.perf_counter()
            try:
                return original(database, timed)
            finally:
                self.whole += time.perf_counter() - started

        return call


def put_all(scratch: Scratch, chunks: int) -> tuple[Watch, float, float]:
    """What was seen of writing so many chunks, the seconds it took, and those of linking them."""
    watch = Watch()
    spent = 0.0
    with closing(open_store(scratch.url, fingerprint=FINGERPRINT, options=scratch.options)) as store:
        scratch.settle()
        made = corpus(WARM_UP + chunks, store.namespace, facts=True)
        for _ in range(0, WARM_UP, SOURCES):
            store.put(list(islice(made, SOURCES)))
        link_pending(store)
        with watch.watching():
            while batch := list(islice(made, SOURCES)):
                started = time.perf_counter()
                store.put(batch)
                spent += time.perf_counter() - started
        started = time.perf_counter()
        link_pending(store)
        return watch, spent, time.perf_counter() - started


Form = Callable[[Vectors], Any]
FORMS: dict[str, Form] = {
    "`neo4j.vector.Vector`": lambda vector: Vector(np.ascontiguousarray(vector, np.float32)),
    "list of floats": lambda vector: vector.tolist(),
}


def compare_forms(scratch: Scratch, rows: Sequence[dict[str, Any]], batches: int) -> dict[str, tuple[float, float]]:
    """Chunks a second, and milliseconds of this process' processor time a chunk, of each form."""
    text = statement(STATEMENT)
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in FORMS}
    number = 2**60
    with scratch.driver.session(database=scratch.database) as session:
        # The first batch of each form warms up.
        for turn in range(batches + 1):
            for name in list(FORMS) if turn % 2 else list(FORMS)[::-1]:
                made = vectors(f"{name}{turn}", len(rows))
                fresh = []
                for row in rows:
                    number += 1
                    fresh.append({**row, "properties": row["properties"] | {"ref": number, "id": f"c{number}"}})
                wall, own = time.perf_counter(), time.process_time()
                given = [row | {"vector": FORMS[name](vector)} for row, vector in zip(fresh, made, strict=True)]
                session.execute_write(_write, text, given)
                spent[name].append((time.perf_counter() - wall, time.process_time() - own))
    result = {}
    for name, seconds in spent.items():
        wall, own = np.median(seconds[1:], axis=0)
        result[name] = (len(rows) / float(wall), 1000 * float(own) / len(rows))
    return result


def _write(tx: neo4j.ManagedTransaction, text: str, rows: list[dict[str, Any]]) -> None:
    tx.run(text, rows=rows).consume()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_url(parser)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--batches", type=int, default=20, help="of each form")
    args = parser.parse_args()
    with borrowed(args.url) as scratch:
        watch, spent, linking = put_all(scratch, args.chunks)
        print("| storing, of which | s | share |\n| --- | ---: | ---: |")
        parts = watch.seconds | {"making the rows": watch.client, "commit": watch.commit}
        for name, seconds in sorted(parts.items(), key=lambda part: -part[1]):
            print(f"| {name} | {seconds:.1f} | {100 * seconds / spent:.1f} % |")
        print(f"| **all: {args.chunks / spent:,.0f} chunks/s** | {spent:.1f} | |")
        print(f"| linking afterwards | {linking:.1f} | |\n")
        forms = compare_forms(scratch, watch.rows, args.batches)
        print("| vectors as | chunks/s | ratio | client's ms a chunk |\n| --- | ---: | ---: | ---: |")
        slowest = min(rate for rate, _ in forms.values())
        for name, (rate, own) in forms.items():
            print(f"| {name} | {rate:,.0f} | {rate / slowest:.2f} | {own:.3f} |")
        print(f"\n{args.chunks:,} chunks by {SOURCES}, batches of {ROWS}; {scratch.version()}")


if __name__ == "__main__":
    main()
