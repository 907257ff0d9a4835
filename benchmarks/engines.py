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
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from neo4j_scratch import Scratch, borrowed
from sets import (
    Question,
    QuestionSet,
    Score,
    cached_encoder,
    chosen_sets,
    corpus_ids,
    markdown,
    mean_of,
    opened,
    scorer,
    takes_sets,
)

from kgmem.ingest.encode import Encoder
from kgmem.model import Hit
from kgmem.search.engine import MODES, Mode, search
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.transfer import copy

DEPTH = 50
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
    def found(store: Store, asked: Question) -> list[Hit]:
        vector = encoder.encode_query(asked.text)
        return search(store, encoder, asked.text, mode=mode, k=DEPTH, where=asked.where, vector=vector)

    hits: list[Mapping[str, list[Hit]]] = [
        {asked.id: found(store, asked) for asked in group.questions} for store in stores
    ]
    recalls = [
        mean_of(score, group.scored, lambda q, of=of: corpus_ids((h.chunk, h.source) for h in of[q.id]))  # type: ignore[misc]
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

    score = scorer(args.data)
    encoder = cached_encoder(args)
    rows: list[Compared] = []
    version = ""
    with server(args.neo4j) as url:
        for group in chosen_sets(args):
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
    text = f"{table(rows)}\n{version}; encoder {encoder.fingerprint}; {datetime.now(UTC):%Y-%m-%d}.\n"
    print(f"\n{text}")
    if args.markdown:
        args.markdown.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
