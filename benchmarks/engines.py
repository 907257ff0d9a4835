"""Whether a search finds the same over both engines: R@5 of each, and how many of the first five hits they share.

    python benchmarks/engines.py --data DIR --out OUT [--sets NAME …] [--neo4j URL] [--differing N]

Each set is copied from OUT/<set>/store.db (what `retrieval.py` makes, and is
made here if it isn't there) into an empty Neo4j database, as `kgmem copy` does,
and removed before the next: a namespace keeps its name when it is copied, and
they all have the same. Nothing is encoded again. Without `--neo4j` a server is
started as the tests do it, and leaves nothing behind.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from neo4j_scratch import Scratch, borrowed
from sets import (
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
from kgmem.model import Hit
from kgmem.search.engine import MODES, Mode
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.transfer import copy

FIRST = 5


@dataclass(frozen=True, slots=True)
class Compared:
    """`shared` is the mean share of the first five hits that both have, `same` how often they are in one order too."""

    group: QuestionSet
    mode: Mode
    recall: tuple[float, float]
    shared: float
    same: float
    differing: Sequence[str]


@contextmanager
def server(url: str) -> Iterator[str]:
    """The address given, or one of a server that stops in the end."""
    if url:
        yield url
        return
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "neo4j"))
    from server import NoNeo4j, start  # type: ignore[import-not-found]

    try:
        servers = start(1)
    except NoNeo4j as error:
        raise SystemExit(str(error)) from error
    with servers:
        yield servers.bolt_urls[0]


def fill(group: QuestionSet, scratch: Scratch) -> None:
    started = time.perf_counter()
    copied = copy(f"sqlite:///{group.store}?mode=ro", scratch.url, target_options=scratch.options)
    scratch.settle()
    print(
        f"{group.name}: {sum(c.counts.chunks for c in copied)} chunks copied in {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
    )


def compare(group: QuestionSet, stores: tuple[Store, Store], encoder: Encoder, mode: Mode, score: Score) -> Compared:
    hits: list[Mapping[str, list[Hit]]] = [
        {asked.id: ask(store, encoder, asked, mode=mode) for asked in group.questions} for store in stores
    ]
    recalls = [
        mean_of(score, group.scored, lambda q, of=of: hit_ids(of[q.id]))  # type: ignore[misc]
        for of in hits
    ]
    shared, same, differing = [], [], []
    for asked in group.questions:
        one, other = ([hit.chunk.id for hit in of[asked.id][:FIRST]] for of in hits)
        if one or other:
            shared.append(len(set(one) & set(other)) / max(len(one), len(other)))
            same.append(one == other)
            if set(one) != set(other):
                differing.append(asked.id)
    return Compared(
        group,
        mode,
        (recalls[0]["recall@5"], recalls[1]["recall@5"]),
        100 * float(np.mean(shared or [1.0])),
        100 * float(np.mean(same or [True])),
        differing,
    )


def table(rows: Sequence[Compared]) -> str:
    heads = [
        "set",
        "arm",
        "R@5 SQLite",
        "R@5 Neo4j",
        "difference",
        "of the first five shared",
        "the same five in order",
    ]
    cells = [
        (
            row.group.shown,
            row.mode,
            f"{row.recall[0]:.2f}",
            f"{row.recall[1]:.2f}",
            f"{row.recall[1] - row.recall[0]:+.2f}",
            f"{row.shared:.1f} %",
            f"{row.same:.1f} %",
        )
        for row in rows
    ]
    return markdown(heads, cells, left=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_sets(parser)
    parser.add_argument("--neo4j", default="", metavar="URL", help="a Neo4j database without data; else one is started")
    parser.add_argument("--arms", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--differing", type=int, default=0, help="name so many questions whose first five differ")
    args = parser.parse_args()

    score, encoder, groups = set_up(args)
    rows: list[Compared] = []
    version = ""
    with server(args.neo4j) as url:
        for group in groups:
            with borrowed(url) as scratch, opened(group, encoder) as kg, ExitStack() as undo:
                version = scratch.version()
                fill(group, scratch)
                over_neo4j = undo.enter_context(closing(open_store(url, options=scratch.options)))
                for mode in args.arms:
                    row = compare(group, (kg.store, over_neo4j), encoder, mode, score)
                    rows.append(row)
                    print(
                        f"{group.name:18} {mode:9} R@5 {row.recall[0]:6.2f} {row.recall[1]:6.2f}  "
                        f"shared {row.shared:6.2f} %  same {row.same:6.2f} %  "
                        + " ".join(row.differing[: args.differing]),
                        flush=True,
                    )
    text = f"{table(rows)}\n{measured(encoder)} {version}.\n"
    print(f"\n{text}")
    write_table(args.markdown, text)


if __name__ == "__main__":
    main()
