"""A real corpus made larger: the other sets' passages, then made-up ones that resemble its own.

A made-up passage has vectors near those of a real one, words as often as real
ones are, and names of two kinds: the real ones, each as often as it is there,
so that hubs grow with the corpus and rare names do too, and made-up ones,
some of which become hubs. It has a page's title of its own. Nothing is encoded.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import numpy as np
from made import SYLLABLES, vectors

from kgmem import ids
from kgmem.ingest.link import link_pending
from kgmem.ingest.resolve import title_entities
from kgmem.model import Chunk, Mention, PreparedSource, Source, Vectors
from kgmem.names import entity_key
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.terms import terms

NOISE = 0.7
"""Length of what is added to a real vector of length 1: the cosine of both is some 0.82."""
REAL_NAMES = 0.5
WORDS_BEFORE_A_NAME = 6
TOGETHER = 512
MADE = "made:"


class Like:
    """What passages of this store are like: their vectors, their words and names with how often each is there."""

    def __init__(self, store: Store) -> None:
        self.wholes: list[Vectors] = []
        self.sentences: list[Vectors] = []
        words: Counter[str] = Counter()
        names: Counter[tuple[str, str]] = Counter()
        for source in store.prepared():
            for whole, sentences, chunk in zip(source.vectors, source.sentence_vectors, source.chunks, strict=True):
                self.wholes.append(whole)
                self.sentences.append(sentences)
                words.update(word for word in chunk.text.lower().split() if word.isalpha())
            names.update((mention.name, mention.type) for mention in source.mentions)
        self.words, self.word_weights = list(words), np.cumsum(list(words.values())).tolist()
        self.names, self.name_weights = list(names), np.cumsum(list(names.values())).tolist()

    def passage(self, number: int, namespace: str) -> PreparedSource:
        """Made-up passage `number`, always the same one."""
        rng = random.Random(number)
        like = rng.randrange(len(self.wholes))
        count = max(len(self.sentences[like]), 1)
        title = made_name(number)
        spans, mentions, text = [], [], ""
        for n in range(count):
            start = len(text)
            for _ in range(2):
                text += " ".join(rng.choices(self.words, cum_weights=self.word_weights, k=WORDS_BEFORE_A_NAME)) + " "
                name, kind = self._name(rng, number)
                key = entity_key(name)
                mentions.append(Mention(0, n, len(text), len(text) + len(name), name, key, name, kind))  # type: ignore[arg-type]
                text += name + " "
            text = text.rstrip() + ". "
            spans.append((start, len(text) - 1))
        uri = f"{MADE}{number}"
        source_id = ids.source_id(namespace, uri)
        return PreparedSource(
            Source(
                source_id, "document", uri, title, "text/plain", str(number), None, datetime.now(UTC), chunk_count=1
            ),
            text,
            [Chunk(ids.chunk_id(source_id, text, 0), 0, 0, len(text), text, title, tuple(spans))],
            near(self.wholes[like][None], f"c{number}"),
            [near(self.sentences[like], f"s{number}")],
            [" ".join(terms(f"{title}\n{text}"))],
            [mention for mention in mentions if mention.key],
            [],
            title_entities(title),
        )

    def _name(self, rng: random.Random, number: int) -> tuple[str, str]:
        if rng.random() < REAL_NAMES:
            return rng.choices(self.names, cum_weights=self.name_weights)[0]
        # The titles of other made-up passages, the first ones most: its density falls as 1 / place.
        return made_name(int((number + 2) ** rng.random()) - 1), "PERSON"


def made_name(number: int) -> str:
    """Two words, another for each number."""
    rng = random.Random(number * 7919 + 1)
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize() for _ in range(2))


def near(real: Vectors, seed: str) -> Vectors:
    """Vectors of length 1 near to these (n, dim)."""
    if not len(real):
        return real
    found = real + NOISE * vectors(seed, len(real))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def grow(base: Path, others: Sequence[Path], file: Path, count: int, start: Path | None = None) -> None:
    """Make `file` a copy of `base` with what the others hold, and made-up passages until it has `count` chunks.

    What was interrupted is taken up where it was; what is complete is left
    alone. `start` is a smaller one made before, which saves its time.
    """
    began = time.perf_counter()
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        unfinished = file.with_suffix(".copy")
        shutil.copy(start or base, unfinished)
        unfinished.rename(file)
    with closing(open_store(f"sqlite:///{file}")) as store:
        counts = store.counts()
        if counts.chunks >= count and not counts.pending:
            return
        if not next(_sources(store, MADE), None):
            for other in others:
                with closing(open_store(f"sqlite:///{other}?mode=ro")) as read:
                    put_all(store, read.prepared())
            link_pending(store)
        put_all(store, _made(store, base, count))
        # Every name in a made-up passage is recognised already, so there is nothing to link.
        while chunks := store.pending_chunks(TOGETHER):
            store.link([(chunk, []) for chunk in chunks])
        print(f"{file}: {store.counts()}, in {time.perf_counter() - began:.0f} s", file=sys.stderr)


def put_all(store: Store, sources: Iterable[PreparedSource]) -> None:
    left = iter(sources)
    while some := list(islice(left, TOGETHER)):
        store.put(some)


def _made(store: Store, base: Path, count: int) -> Iterator[PreparedSource]:
    """Passages of one chunk each, up to `count` chunks in the store."""
    there = store.counts().chunks
    number = sum(1 for _ in _sources(store, MADE))
    with closing(open_store(f"sqlite:///{base}?mode=ro")) as read:
        like = Like(read)
    for i in range(number, number + count - there):
        yield like.passage(i, store.namespace)


def _sources(store: Store, prefix: str) -> Iterator[Source]:
    after = None
    while page := store.sources(uri_prefix=prefix, after=after, limit=1000):
        yield from page
        after = page[-1].id
