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
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from kgmem import ids
from kgmem.ingest.link import link_pending
from kgmem.model import Chunk, Filter, Mention, PreparedSource, Source, Vectors
from kgmem.names import entity_key
from kgmem.search import engine
from kgmem.store import open_store
from kgmem.store.contract import EncoderFingerprint, Store
from kgmem.terms import terms

DIMENSION = 384
SYLLABLES = [
    "ba",
    "be",
    "bi",
    "bo",
    "bu",
    "da",
    "de",
    "di",
    "do",
    "du",
    "fa",
    "fe",
    "ka",
    "ke",
    "ki",
    "ko",
    "la",
    "le",
    "li",
    "lo",
    "lu",
    "ma",
    "me",
    "mi",
    "mo",
    "na",
    "ne",
    "ni",
    "no",
    "ra",
    "re",
    "ri",
    "ro",
    "sa",
    "se",
]
FINGERPRINT = EncoderFingerprint("random", "none", DIMENSION)


class RandomEncoder:
    """Random vectors by content, so that the same question always gets the same one."""

    fingerprint = FINGERPRINT

    def encode_query(self, text: str) -> Vectors:
        return vectors(text, 1)[0]

    def known_share(self, text: str) -> float:
        return 1.0


def vectors(seed: str, count: int) -> Vectors:
    rng = np.random.default_rng(int.from_bytes(sha256(seed.encode()).digest()[:8], "little"))
    found = rng.standard_normal((count, DIMENSION)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


class Words:
    """A vocabulary whose frequencies follow Zipf's law."""

    def __init__(self, size: int, rng: random.Random, *, capital: bool = False) -> None:
        made = {"".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(size * 2)}
        self.words = sorted(made)[:size]
        rng.shuffle(self.words)
        if capital:
            self.words = [w.capitalize() for w in self.words]
        self.weights = np.cumsum([1 / (i + 3) for i in range(len(self.words))]).tolist()
        self._rng = rng

    def draw(self, count: int) -> list[str]:
        return self._rng.choices(self.words, cum_weights=self.weights, k=count)


def corpus(count: int, namespace: str) -> Iterator[PreparedSource]:
    rng = random.Random(count)
    words, first, last = Words(8000, rng), Words(600, rng, capital=True), Words(3000, rng, capital=True)
    people = sorted({f"{a} {b}" for a, b in zip(first.draw(count), last.draw(count), strict=True)})
    weights = np.cumsum([1 / (i + 10) for i in range(len(people))]).tolist()
    now = datetime.now(UTC)
    for i in range(count):
        title = people[i % len(people)]
        sentences, mentions, text = [], [], ""
        for n in range(4):
            start = len(text)
            for name in rng.choices(people, cum_weights=weights, k=2):
                text += " ".join(words.draw(6)) + " "
                mentions.append(Mention(0, n, len(text), len(text) + len(name), name, entity_key(name), name, "PERSON"))
                text += name + " "
            text = text.rstrip() + ". "
            sentences.append((start, len(text) - 1))
        source_id = ids.source_id(namespace, f"bench:{i}")
        chunk = Chunk(ids.chunk_id(source_id, text, 0), 0, 0, len(text), text, title, tuple(sentences))
        source = Source(source_id, "document", f"bench:{i}", title, "text/plain", str(i), None, now, chunk_count=1)
        from kgmem.ingest.resolve import title_entities

        yield PreparedSource(
            source,
            text,
            [chunk],
            vectors(f"c{i}", 1),
            [vectors(f"s{i}", 4)],
            [" ".join(terms(f"{title}\n{text}"))],
            mentions,
            [],
            title_entities(title),
        )


def questions(store: Store, count: int) -> list[str]:
    """Questions that name one entity and hold some words of a passage that names it."""
    rng = random.Random(1)
    asked = []
    for source in store.sources(limit=count):
        chunk = store.source_chunks(source.id)[0].chunk
        picked = " ".join(rng.sample(chunk.text.lower().rstrip(". ").split(), 7))
        asked.append(f"Which {picked} of {source.title}?")
    return asked


def load(store: Store, count: int) -> float:
    started = time.perf_counter()
    batch: list[PreparedSource] = []
    for prepared in corpus(count, store.namespace):
        batch.append(prepared)
        if len(batch) == 512:
            store.put(batch)
            batch = []
    if batch:
        store.put(batch)
    link_pending(store)
    return time.perf_counter() - started


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
