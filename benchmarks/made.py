"""A corpus made for measuring: passages of words and names drawn by Zipf's law.

Each passage names eight entities and has a random vector, and random ones for
its sentences. It is written straight through a store, without an encoder.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np

from kgmem import ids
from kgmem.ingest.link import link_pending
from kgmem.ingest.resolve import title_entities
from kgmem.model import Chunk, Fact, Mention, PreparedSource, Source, Vectors
from kgmem.names import entity_key
from kgmem.store.contract import EncoderFingerprint, Store
from kgmem.terms import terms

DIMENSION = 384
# fmt: off
SYLLABLES = [
    "ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du", "fa", "fe", "ka", "ke", "ki", "ko", "la", "le",
    "li", "lo", "lu", "ma", "me", "mi", "mo", "na", "ne", "ni", "no", "ra", "re", "ri", "ro", "sa", "se",
]
# fmt: on
FINGERPRINT = EncoderFingerprint("random", "none", DIMENSION)


class RandomEncoder:
    """Random vectors by content, so that the same question always gets the same one."""

    fingerprint = FINGERPRINT

    def encode_query(self, text: str) -> Vectors:
        found: Vectors = vectors(text, 1)[0]
        return found

    def known_share(self, text: str) -> float:
        return 1.0


def vectors(seed: str, count: int) -> Vectors:
    rng = np.random.default_rng(int.from_bytes(sha256(seed.encode()).digest()[:8], "little"))
    drawn = rng.standard_normal((count, DIMENSION)).astype(np.float32)
    found: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


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


def corpus(count: int, namespace: str, *, facts: bool = False) -> Iterator[PreparedSource]:
    """So many sources of one chunk each; with `facts`, each sentence states one of its two names."""
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
        yield PreparedSource(
            source,
            text,
            [chunk],
            vectors(f"c{i}", 1),
            [vectors(f"s{i}", 4)],
            [" ".join(terms(f"{title}\n{text}"))],
            mentions,
            _facts(mentions, words.words) if facts else [],
            title_entities(title),
        )


def _facts(mentions: list[Mention], verbs: list[str]) -> list[Fact]:
    """One between the two names of each sentence."""
    return [
        Fact(0, a.sentence, a.name, verbs[a.start % 100], (b.name,), 0.8, False, a.key, b.key)
        for a, b in zip(mentions[::2], mentions[1::2], strict=True)
    ]


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
