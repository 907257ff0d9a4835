"""How long a search over Neo4j takes and what it finds, beside a bare vector query and beside a peer.

    python benchmarks/neo4j_search.py --url bolt://HOST:PORT --data DIR --out OUT [--set NAME] [--questions N]
    python benchmarks/neo4j_search.py --url bolt://HOST:PORT --out OUT --chunks 60000

Fills an empty database, and empties it in the end, with a question set, copied from OUT/<set>/store.db
(what `retrieval.py` makes, and is made here if it isn't there), or with a
corpus made for it (`--chunks`, then nothing is said of recall). Every question
is asked in every way before the next one, in an order that changes, and all is
asked once before it counts. Encoding the question is left out. Prints a table
in Markdown. Needs what benchmarks/requirements.lock holds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
from caching import CachingEncoder
from made import FINGERPRINT, RandomEncoder, load, questions
from neo4j.vector import Vector
from neo4j_scratch import Scratch, borrowed, connect, takes_url
from peer import HUB, TOP, Peer, hit_order, hits_first, lucene, shared_first, text_index
from sets import ingest, read, scorer

from kgmem.ingest.encode import DEFAULT_MODEL, Encoder, load_encoder
from kgmem.model import Filter, Hit, Vectors
from kgmem.search.engine import search
from kgmem.service import Kgmem
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.transfer import copy

BARE = f"""CYPHER 25
MATCH (c:Chunk) SEARCH c IN (VECTOR INDEX chunk_embedding FOR $x LIMIT {TOP}) SCORE AS s RETURN c.id, s"""
BARE_OF_NAMESPACE = BARE.replace("LIMIT", "WHERE c.namespace = $namespace LIMIT")
SHOWN = {"recall@2": "R@2", "recall@5": "R@5", "recall@10": "R@10", "all-recall@5": "all-recall@5"}
CHOSEN_BY = "recall@5"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as each way wants it, made beforehand."""

    text: str
    plain: str
    vector: Vectors
    parameter: Vector
    listed: list[float]
    gold: Sequence[str] = ()


Ranking = Callable[[Any], list[str]]
Means = Callable[[list[list[str]]], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of asking, the bare query that it is compared with, and how the ids of chunks are read from what it gives.

    Where there are several orders, the one that finds most is shown.
    """

    name: str
    ask: Callable[[Asked], Any]
    bare: str
    orders: dict[str, Ranking]


def asked(text: str, vector: Vectors, gold: Sequence[str] = ()) -> Asked:
    kept = np.ascontiguousarray(vector, np.float32)
    return Asked(text, lucene(text), kept, Vector(kept), kept.tolist(), gold)


def ways(scratch: Scratch, session: neo4j.Session, over_neo4j: Store, over_file: Store, encoder: Encoder) -> list[Way]:
    peer = Peer(scratch)
    first = {"": lambda rows: [row[0] for row in rows]}
    hits: dict[str, Ranking] = {"": lambda found: [hit.chunk.id for hit in found]}
    refs: dict[str, Ranking] = {"": lambda found: [c.chunk.id for c in over_file.chunks([ref for ref, _ in found])]}
    either: dict[str, Ranking] = {"hits first": hits_first, "by shared entities": shared_first}
    namespace = over_neo4j.namespace

    def searched(store: Store) -> Callable[[Asked], list[Hit]]:
        return lambda q: search(store, encoder, q.text, k=TOP, vector=q.vector)

    return [
        Way("bare vector query", lambda q: session.run(BARE, x=q.parameter).values(), "bare vector query", first),
        Way(
            "the same within a namespace",
            lambda q: session.run(BARE_OF_NAMESPACE, x=q.parameter, namespace=namespace).values(),
            "bare vector query",
            first,
        ),
        Way("**kgmem's search**", searched(over_neo4j), "bare vector query", hits),
        Way("peer, hybrid", lambda q: peer.hybrid(q.plain, q.listed), "bare vector query", {"": hit_order}),
        Way("peer, hybrid and two hops", lambda q: peer.two_hops(q.plain, q.listed), "bare vector query", either),
        Way(
            f"the same, over entities of {HUB} chunks at most",
            lambda q: peer.two_hops_without_hubs(q.plain, q.listed),
            "bare vector query",
            either,
        ),
        Way(
            "SQLite: bare vector query",
            lambda q: over_file.vector_search(q.vector, TOP, Filter()),
            "SQLite: bare vector query",
            refs,
        ),
        Way("SQLite: kgmem's search", searched(over_file), "SQLite: bare vector query", hits),
    ]


@dataclass(slots=True)
class Measured:
    milliseconds: dict[str, list[float]]
    found: dict[tuple[str, str], list[list[str]]]
    """By way and order: the chunks of each question."""


def measure(every: Sequence[Way], questions: Sequence[Asked], warm_up: int) -> Measured:
    result = Measured(defaultdict(list), defaultdict(list))
    # Turns by chance rather than in a ring: what comes after a long one finds the processor's caches cold.
    chance = random.Random(1)
    for turn in range(warm_up + 1):
        for question in questions:
            for way in chance.sample(every, len(every)):
                started = time.perf_counter()
                answer = way.ask(question)
                spent = (time.perf_counter() - started) * 1000
                if turn == warm_up:
                    result.milliseconds[way.name].append(spent)
                    for order, ranking in way.orders.items():
                        result.found[way.name, order].append(ranking(answer))
    return result


def table(every: Sequence[Way], measured: Measured, recall: Means | None) -> str:
    heads = SHOWN.values() if recall else ()
    lines = [
        "| " + " | ".join(("", "p50 ms", "p95 ms", "ratio", *heads)) + " |",
        "| --- |" + " ---: |" * (3 + len(heads)),
    ]
    for way in every:
        middle, high = np.percentile(measured.milliseconds[way.name], [50, 95])
        cells = [f"{middle:.2f}", f"{high:.2f}", f"{middle / np.median(measured.milliseconds[way.bare]):.2f}"]
        name = way.name
        if recall:
            found = {order: recall(measured.found[way.name, order]) for order in way.orders}
            best = max(found, key=lambda order: found[order][CHOSEN_BY])
            name += f" ({best})" if best else ""
            cells += [f"{100 * found[best][metric]:.1f}" for metric in SHOWN]
        lines.append("| " + " | ".join((name, *cells)) + " |")
    return "\n".join(lines)


def fill(scratch: Scratch, file: Path) -> float | None:
    """Copy the file's default namespace into the database; the seconds this took, None if it was there already."""
    url = f"sqlite:///{file}?mode=ro"
    started = time.perf_counter()
    if scratch.has_data():
        if not scratch.rows("MATCH (:Kgmem) RETURN 1 LIMIT 1"):
            raise SystemExit(f"The database at {scratch.url} holds other data than kgmem's; name one that is empty.")
        with closing(open_store(url)) as old, closing(open_store(scratch.url, options=scratch.options)) as new:
            if old.counts() != new.counts():
                raise SystemExit(f"The database holds {new.counts()}, the corpus {old.counts()}; use an empty one.")
        return None
    copy(url, scratch.url, namespaces=["default"], target_options=scratch.options)
    scratch.settle()
    return time.perf_counter() - started


def of_set(folder: Path, file: Path, encoder: Encoder, count: int) -> list[Asked]:
    """The set's questions, and its corpus in `file`."""
    rows = [row for path in sorted(folder.glob("queries.*.jsonl.gz")) for row in read(path)]
    if any("conversation" in row for row in rows):
        raise SystemExit(f"{folder.name} is asked within conversations, which the peer can't; choose another set.")
    if not file.exists():
        with Kgmem(store=f"sqlite:///{file}", encoder=encoder) as kg:
            ingest(folder, kg)
    rows = [row for row in rows if row["gold_ids"]][:count]
    return [asked(row["question"], encoder.encode_query(row["question"]), row["gold_ids"]) for row in rows]


def of_made(chunks: int, file: Path, encoder: RandomEncoder, count: int) -> list[Asked]:
    existed = file.exists()
    with closing(open_store(f"sqlite:///{file}", fingerprint=FINGERPRINT)) as store:
        if not existed:
            load(store, chunks)
        return [asked(text, encoder.encode_query(text)) for text in questions(store, count)]


def recalls(data: Path, scratch: Scratch, asked: Sequence[Asked]) -> Means:
    """What is found of the gold documents by chunks, as means of the measures."""
    score = scorer(data)
    rows = scratch.rows("MATCH (s:Source)-[:HAS_CHUNK]->(c:Chunk) RETURN c.id, s.uri")
    document = {chunk: uri.partition("#")[2] for chunk, uri in (row.values() for row in rows)}

    def means(found: list[list[str]]) -> dict[str, float]:
        every = [
            score.score(question.gold, list(dict.fromkeys(document[id] for id in ids)))
            for question, ids in zip(asked, found, strict=True)
        ]
        return dict(score.mean(every))

    return means


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_url(parser)
    parser.add_argument("--data", type=Path, help="folder of the sets, and of score.py")
    parser.add_argument("--set", default="2wikimultihopqa")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200, help="at most so many")
    parser.add_argument("--warm-up", type=int, default=1, help="rounds over all questions that don't count")
    parser.add_argument("--chunks", type=int, help="instead of a set, a corpus made for it, of so many chunks")
    parser.add_argument(
        "--keep", action="store_true", help="leave the corpus in the database, and take one that is there"
    )
    args = parser.parse_args()
    if not args.chunks and not args.data:
        parser.error("give --data for a set, or --chunks")
    return args


def main() -> None:
    args = arguments()
    name = f"made-{args.chunks}" if args.chunks else args.set
    file = args.out / name / "store.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    encoder: Any
    with ExitStack() as opened:
        scratch = opened.enter_context(connect(args.url) if args.keep else borrowed(args.url))
        if args.chunks:
            encoder = RandomEncoder()
            every = of_made(args.chunks, file, encoder, args.questions)
        else:
            encoder = CachingEncoder(load_encoder(DEFAULT_MODEL), args.out / "encodings.db")
            every = of_set(args.data / args.set, file, encoder, args.questions)
        filled = fill(scratch, file)
        opened.enter_context(text_index(scratch))
        session = opened.enter_context(
            scratch.driver.session(database=scratch.database, default_access_mode=neo4j.READ_ACCESS)
        )
        over_neo4j = opened.enter_context(closing(open_store(args.url, options=scratch.options)))
        over_file = opened.enter_context(closing(open_store(f"sqlite:///{file}?mode=ro")))
        compared = ways(scratch, session, over_neo4j, over_file, encoder)
        measured = measure(compared, every, args.warm_up)
        counts = over_neo4j.counts()
        print(table(compared, measured, None if args.chunks else recalls(args.data, scratch, every)))
        print(
            f"\n{name}: {len(every)} questions, {counts.chunks:,} chunks, {counts.entities:,} entities; "
            f"{scratch.version()}, driver {version('neo4j')}, neo4j-graphrag {version('neo4j-graphrag')}; "
            f"{cpu_count()} cores; {datetime.now(UTC):%Y-%m-%d}"
            + (f"; copied into Neo4j in {filled:.0f} s" if filled else "")
        )


if __name__ == "__main__":
    main()
