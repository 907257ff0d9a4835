"""Sources made by hand for the store's tests: no model, no clock, the same bytes every time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgmem import ids
from kgmem.ingest.resolve import sentence_at, title_entities
from kgmem.model import (
    Chunk,
    Document,
    EntityType,
    Fact,
    Mention,
    PreparedSource,
    Source,
    SourceKind,
    Turn,
    Vectors,
)
from kgmem.names import entity_key
from kgmem.store.contract import EncoderFingerprint
from kgmem.terms import terms

DIMENSION = 16
FP = EncoderFingerprint("hashed-words", "0123456789abcdef", DIMENSION)
OTHER_FP = EncoderFingerprint("another-encoder", "fedcba9876543210", 24)
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)

_PARAGRAPH = re.compile(r"(?:(?!\n\n).)*\S(?:(?!\n\n).)*", re.DOTALL)
_SENTENCE = re.compile(r"[^\s.!?。！？][^.!?。！？\n]*[.!?。！？]*|[.!?。！？]+")

Name = str | tuple[str, EntityType]
Statement = tuple[str, str, tuple[str, ...]]


def embed(text: str, dimension: int = DIMENSION) -> Vectors:
    """A unit vector from the words of a text; all zero where there is none."""
    total = np.zeros(dimension, np.float64)
    for word, count in Counter(re.findall(r"\w+", text.casefold())).items():
        total += count * _direction(word, dimension)
    length = np.linalg.norm(total)
    return (total / length if length else total).astype(np.float32)


@lru_cache(maxsize=100_000)
def _direction(word: str, dimension: int) -> NDArray[np.float64]:
    digest = blake2b(word.encode(errors="replace"), digest_size=dimension).digest()
    return np.frombuffer(digest, np.uint8).astype(np.float64) - 127.5


def near(vector: Vectors, distance: float) -> Vectors:
    """A unit vector at the given angle (radians) from `vector`."""
    other = np.roll(vector, 1) - vector * float(np.dot(np.roll(vector, 1), vector))
    other /= np.linalg.norm(other)
    return (np.cos(distance) * vector + np.sin(distance) * other).astype(np.float32)


def paragraphs(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in _PARAGRAPH.finditer(text)]


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(m.span() for m in _SENTENCE.finditer(text))


def make_source(
    namespace: str,
    uri: str,
    text: str,
    title: str = "",
    names: Iterable[Name] = (),
    facts: Iterable[Statement] = (),
    tags: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    timestamp: datetime | None = None,
    kind: SourceKind = "document",
    turns: Sequence[Turn] = (),
    *,
    pages: Sequence[int] = (),
    media_type: str = "text/plain",
    vector: Vectors | None = None,
    ingested_at: datetime = NOW,
) -> PreparedSource:
    """A source with a chunk for each paragraph, or each turn.

    `names` are recognised wherever the text spells them; a fact stands in the
    first sentence that holds its subject, else in the first of all. `vector`
    is given to every chunk instead of the one made from its words.
    """
    source_id = ids.source_id(namespace, uri)
    metadata = dict(metadata or {})
    spans = [(t.start, t.end) for t in turns] if turns else paragraphs(text)
    chunks = []
    for i, (start, end) in enumerate(spans):
        body = text[start:end]
        turn = turns[i] if turns else Turn(0, 0)
        context = "\n".join(part for part in (title, turn.speaker) if part)
        chunk_id = ids.chunk_id(source_id, context + "\n" + body, i)
        chunks.append(
            Chunk(chunk_id, i, start, end, body, context, sentences(body), turn.speaker, turn.timestamp, turn.metadata)
        )
    titles = () if turns else title_entities(title)
    mentions = list(_mentions(chunks, names))
    keys = {m.key for m in mentions} | {t.key for t in titles}
    document = Document(
        uri, text, title, media_type, timestamp, tuple(tags), metadata, kind, tuple(pages), tuple(turns)
    )
    listed = list(facts)
    hashed = blake2b(repr((document, sorted(map(repr, names)), listed)).encode(errors="replace"), digest_size=16)
    source = Source(
        source_id,
        kind,
        uri,
        title,
        media_type,
        hashed.hexdigest(),
        timestamp,
        ingested_at,
        tuple(tags),
        metadata,
        len(chunks),
    )
    return PreparedSource(
        source,
        text,
        chunks,
        np.stack([vector if vector is not None else embed(f"{c.context} {c.text}") for c in chunks])
        if chunks
        else np.zeros((0, DIMENSION), np.float32),
        [
            np.stack([embed(c.text[s:e]) for s, e in c.sentences])
            if c.sentences
            else np.zeros((0, DIMENSION), np.float32)
            for c in chunks
        ],
        [" ".join(terms(f"{c.context}\n{c.text}")) for c in chunks],
        mentions,
        [_fact(chunks, keys, *fact) for fact in listed],
        titles,
        tuple(pages),
        tuple(turns),
    )


def make_conversation(
    namespace: str,
    uri: str,
    lines: Sequence[tuple[str, str] | tuple[str, str, datetime]],
    title: str = "",
    names: Iterable[Name] = (),
    metadata: Mapping[str, Any] | None = None,
) -> PreparedSource:
    """A conversation of (speaker, text[, time]) turns."""
    turns, position = [], 0
    for i, line in enumerate(lines):
        time = line[2] if len(line) == 3 else None
        turns.append(Turn(position, position + len(line[1]), line[0], time, {"turn": i}))
        position += len(line[1]) + 1
    text = "\n".join(line[1] for line in lines)
    return make_source(namespace, uri, text, title, names, metadata=metadata, kind="conversation", turns=turns)


def document_of(prepared: PreparedSource, turns: Sequence[Turn] = ()) -> Document:
    """The document a source was made from."""
    s = prepared.source
    return Document(
        s.uri,
        prepared.text,
        s.title,
        s.media_type,
        s.timestamp,
        s.tags,
        s.metadata,
        s.kind,
        tuple(prepared.pages),
        tuple(turns),
    )


def _mentions(chunks: Sequence[Chunk], names: Iterable[Name]) -> Iterable[Mention]:
    for chunk in chunks:
        if chunk.speaker:
            key = entity_key(chunk.speaker)
            yield Mention(chunk.ordinal, 0, 0, 0, "", key, chunk.speaker, "PERSON", "speaker")
        for given in names:
            name, kind = given if isinstance(given, tuple) else (given, "OTHER")
            if not entity_key(name):
                continue
            whole = r"(?<!\w){}(?!\w)" if name.isascii() else "{}"
            for match in re.finditer(whole.format(re.escape(name)), chunk.text):
                start, end = match.span()
                sentence = sentence_at(chunk.sentences, start)
                yield Mention(chunk.ordinal, sentence, start, end, name, entity_key(name), name, kind)


def _fact(chunks: Sequence[Chunk], keys: set[str], subject: str, predicate: str, objects: tuple[str, ...]) -> Fact:
    places = ((c.ordinal, i) for c in chunks for i, (s, e) in enumerate(c.sentences) if subject in c.text[s:e])
    ordinal, sentence = next(places, (0, 0))
    subject_key = entity_key(subject)
    object_key = next((entity_key(o) for o in objects if entity_key(o) in keys), None)
    return Fact(
        ordinal,
        sentence,
        subject,
        predicate,
        objects,
        0.5,
        False,
        subject_key if subject_key in keys else None,
        object_key,
    )
