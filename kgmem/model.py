"""The values everything passes around. Plain, frozen, without behaviour that does I/O.

Offsets are in characters (Unicode code points) throughout. Times are aware
datetimes in UTC. Vectors are float32 of unit length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""`(n, dim)` float32, each row of unit length (or all zero, where there was nothing to encode)."""

Floats = NDArray[np.float64]
"""Figures of chunks, entities or terms, of whatever shape."""

SourceKind = Literal["document", "conversation", "memory"]
EntityType = Literal["PERSON", "ORG", "PLACE", "GROUP", "EVENT", "WORK", "PRODUCT", "LAW", "LANGUAGE", "OTHER"]
Origin = Literal["recognised", "acronym", "alias", "speaker", "gazetteer"]

Arm = Literal["vector", "fulltext", "graph"]

Ref = int | str
"""An engine's own handle of a chunk or an entity. Only the engine that gave it can read it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said in a conversation: `document.text[start:end]`."""

    start: int
    end: int
    speaker: str = ""
    timestamp: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """What a loader gives: one text with what is known about it.

    `uri` names it in its namespace: loading the same uri again replaces it.
    `timestamp` is when its content dates from, None where nothing says so.
    `pages` holds the offset at which each page starts (PDF), empty elsewhere.
    `turns` is filled for conversations only; then there is one chunk a turn.
    """

    uri: str
    text: str
    title: str = ""
    media_type: str = "text/plain"
    timestamp: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kind: SourceKind = "document"
    pages: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path or a line that gave no document, and why. `failed` counts towards exit code 1."""

    uri: str
    code: str
    reason: str
    failed: bool = True


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a source: `source text[start:end] == text`, always.

    `context` stands before the text for the encoder and the full-text index
    alone: title, headings, a table's header rows, or who spoke and when.
    `sentences` are spans inside `text`.
    """

    id: str
    ordinal: int
    start: int
    end: int
    text: str
    context: str = ""
    sentences: tuple[tuple[int, int], ...] = ()
    speaker: str = ""
    timestamp: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity's name in a chunk: `chunk.text[start:end] == surface`.

    The speaker of a turn is mentioned by it with an empty surface at its start.

    `sentence` is the index of the chunk's sentence that holds `start`.
    `key` is the entity's (see `kgmem.names.entity_key`); `name` how it is written there.
    """

    ordinal: int
    sentence: int
    start: int
    end: int
    surface: str
    key: str
    name: str
    type: EntityType
    origin: Origin = "recognised"


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, predicate and objects as a sentence states them.

    `subject_key` and `object_key` are entity keys where an argument names an
    entity, else None. The evidence is sentence `sentence` of chunk `ordinal`.
    """

    ordinal: int
    sentence: int
    subject: str
    predicate: str
    objects: tuple[str, ...]
    confidence: float
    negated: bool = False
    subject_key: str | None = None
    object_key: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A document, conversation or memory as the store keeps it, without its text."""

    id: str
    kind: SourceKind
    uri: str
    title: str
    media_type: str
    content_hash: str
    timestamp: datetime | None
    ingested_at: datetime
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class Title:
    """A name that a source's title gives: the source is that entity's own page."""

    key: str
    name: str
    type: EntityType = "OTHER"


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """Everything the store needs of one source, ready to be written in one transaction.

    `vectors` is `(chunks, dim)`; `sentence_vectors[i]` is `(sentences of chunk i, dim)`.
    `terms[i]` are the index terms of chunk i (see `kgmem.terms`), parted by spaces.
    """

    source: Source
    text: str
    chunks: Sequence[Chunk]
    vectors: Vectors
    sentence_vectors: Sequence[Vectors]
    terms: Sequence[str]
    mentions: Sequence[Mention] = ()
    facts: Sequence[Fact] = ()
    titles: Sequence[Title] = ()
    pages: Sequence[int] = ()
    turns: Sequence[Turn] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing. `chunk_count` is its document frequency: the chunks that mention it."""

    id: str
    key: str
    name: str
    type: EntityType
    chunk_count: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search may see, beside its namespace. Empty means no limit; all that is given must hold.

    `since` (inclusive) and `until` (exclusive) bound the chunk's own time, or
    else its source's. `metadata` compares top-level values of the source.
    """

    kinds: tuple[SourceKind, ...] = ()
    uris: tuple[str, ...] = ()
    uri_prefix: str = ""
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    metadata: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(
            self.kinds or self.uris or self.uri_prefix or self.tags or self.since or self.until or self.metadata
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: this sentence of that source mentions `entity`."""

    entity: str
    entity_id: str
    chunk_id: str
    source_id: str
    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ArmScore:
    """Where one arm of the search put a hit: `rank` from 1, `score` as the arm gives it."""

    arm: Arm
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit is there: its place in each arm, its share of the restart mass, and a path of evidence.

    `rerank` is the reranker's score, on its own scale; None where none has read the hit.
    """

    arms: tuple[ArmScore, ...]
    prior: float
    reset: float
    path: tuple[Step, ...]
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers, with its source and why it was found.

    `score` is the ranking's, whatever the options of the search made of the
    order afterwards. `before` and `after` are the chunks beside it in its
    source, in order, where they were asked for.
    """

    chunk: Chunk
    source: Source
    score: float
    explanation: Explanation
    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()
