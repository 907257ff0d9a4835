"""What every engine must do. The rest of kgmem knows only this.

A store is opened for one namespace and can't see past it, so no method takes
a namespace. Writes are atomic per call: after a crash a source is there whole
or not at all. Reads see committed data only. Methods may be called from any
thread.

Two kinds of reading stand side by side. Search works on `Ref`s, the engine's
own handles, and on plain arrays, so that ranking is the same pure code over
every engine. Everything a person sees goes by the ids of `kgmem.ids`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgmem.model import (
    Chunk,
    Document,
    Entity,
    EntityType,
    Filter,
    Floats,
    Mention,
    PreparedSource,
    Ref,
    Source,
    Vectors,
)

P = ParamSpec("P")
T = TypeVar("T")

PutResult = Literal["added", "replaced", "unchanged"]


@dataclass(frozen=True, slots=True)
class EncoderFingerprint:
    """Which vectors a store holds. Two stores' vectors compare only where all of this is equal."""

    model: str
    weights: str
    dimension: int
    normalised: bool = True

    def __str__(self) -> str:
        return f"{self.model} ({self.dimension} dimensions, weights {self.weights[:12] or 'unknown'})"


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk whose text has not been searched yet for names known from elsewhere.

    `taken` are its recognised spans. `mark` is another one each time the chunk is marked as pending.
    """

    ref: Ref
    mark: int
    text: str
    sentences: tuple[tuple[int, int], ...]
    taken: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A known name found in a chunk's text."""

    start: int
    end: int
    sentence: int
    key: str


@dataclass(frozen=True, slots=True)
class KnownName:
    """An entity as question analysis needs it. `own` are the chunks of its own page, `chunk_count` its df."""

    ref: Ref
    id: str
    key: str
    name: str
    type: EntityType
    chunk_count: int
    own: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Cosines:
    """How near a chunk is to a vector: as a whole, and each of its sentences (sentences,)."""

    whole: float
    sentences: NDArray[np.float32]

    @property
    def best(self) -> float:
        """The nearest sentence's, or the whole's where there is none."""
        return float(self.sentences.max()) if len(self.sentences) else self.whole


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is compared of a chunk that an arm found.

    `terms` are its index terms parted by spaces, repeats kept, `ending` the
    last ENDING characters of its text, `time` its own time or else its source's,
    `after` the next chunk of its source.
    """

    cosines: Cosines
    terms: str
    ending: str
    time: datetime | None
    after: Ref | None


ENDING = 200


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted edges of the graph as parallel arrays: `left[i]` – `right[i]` with `weight[i]`.

    `left` and `right` hold `Ref`s; `tolist()` gives them back as the engine takes them.
    """

    left: NDArray[Any]
    right: NDArray[Any]
    weight: Floats


NO_EDGES = Edges(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class MentionAt:
    """Where a chunk names an entity, for evidence."""

    chunk: Ref
    entity: Ref
    sentence: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with the source it belongs to."""

    ref: Ref
    chunk: Chunk
    source: Source


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact with its evidence. The ids of subject and object are None where they name no known entity."""

    id: str
    subject: str
    predicate: str
    objects: tuple[str, ...]
    confidence: float
    negated: bool
    subject_id: str | None
    object_id: str | None
    chunk_id: str
    source_id: str
    title: str
    evidence: str


class EntityInfo(NamedTuple):
    """How many chunks name an entity, whether it has an own page, and its key."""

    chunk_count: int
    own: bool
    key: str


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity that a sentence names."""

    chunk: Ref
    sentence: int
    entity: Ref
    info: EntityInfo


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is shown of hits and of the paths that led to them."""

    chunks: dict[Ref, StoredChunk]
    entities: dict[Ref, Entity]
    mentions: list[MentionAt]
    cosines: dict[Ref, Cosines]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the namespace holds. `pending` chunks are still to be searched for known names."""

    sources: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    facts: int
    pending: int


class Store(Protocol):
    """One namespace of one engine."""

    namespace: str

    # -- life ----------------------------------------------------------------
    def close(self) -> None: ...
    def fingerprint(self) -> EncoderFingerprint | None: ...
    def adopt(self, fingerprint: EncoderFingerprint) -> None:
        """Hold this encoder's vectors from now on, where there are none yet.

        Raises `EncoderMismatch`, with nothing changed, where there are another's.
        """

    def namespaces(self) -> list[str]: ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Within it, this thread's reads all see one state of the store, where the engine can show one.

        Where it can't, each read sees what is committed by then: a `Ref` may be gone, but never means another thing.
        """

    def bookmarks(self) -> list[str]:
        """What a reader through another connection has to `follow` to see all that was written and read here.

        Empty where there is only one place to read from.
        """

    def follow(self, bookmarks: Sequence[str]) -> None:
        """Let every later read here see what these bookmarks stand for; waits for it. Raises `UsageError`."""

    # -- writing -------------------------------------------------------------
    def put(self, sources: Sequence[PreparedSource]) -> list[PutResult]:
        """Write sources in one transaction; older ones of the same ids are replaced, all of them. All or none."""

    def delete(self, source_ids: Iterable[str]) -> int:
        """Remove sources with everything that nothing else supports. Returns how many there were."""

    # -- linking: names found elsewhere --------------------------------------
    def pending_names(self, limit: int) -> list[str]:
        """Keys of entities that are new since older chunks were last searched for names."""

    def seek_names(self, keys: Sequence[str]) -> int:
        """Mark every chunk that may spell one of `keys` as pending, and the keys as sought. Returns the marks."""

    def pending_chunks(self, limit: int) -> list[PendingChunk]: ...

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that are entities which some source itself recognises or has for its title."""

    def known_by_head(self, heads: Iterable[str]) -> dict[str, list[str]]:
        """Keys of known entities with more words than `names.HEAD_WORDS`, by their first words."""

    def link(self, found: Sequence[tuple[PendingChunk, Sequence[Link]]]) -> None:
        """Set what known names were found in these chunks, and clear their pending marks.

        A chunk that has meanwhile gone, was linked by another or marked anew is passed over: what was
        found may be out of date. So is a key that is no longer known; its chunk stays pending, so that
        it is searched again.
        """

    # -- search --------------------------------------------------------------
    def ahead(self, reading: Callable[P, T], *args: P.args, **values: P.kwargs) -> Future[T]:
        """Begin a reading of this store whose result is needed later; others may go on beside it.

        An engine that gains nothing by it reads at once, in the caller's thread and snapshot.
        """

    def vector_search(self, vector: Vectors, k: int, where: Filter) -> list[tuple[Ref, float]]:
        """The `k` chunks nearest to `vector` (dim,), with their cosine, best first."""

    def term_search(self, terms: Sequence[str], k: int, where: Filter) -> list[tuple[Ref, float]]:
        """The `k` chunks with the best BM25 for any of `terms`, best first; scores are positive."""

    def rarity(self, weights: Floats) -> Floats:
        """ln((N − n + ½) / (n + ½)), at least 0, of terms that n of N chunks have.

        `weights` is what a term adds to this engine's BM25, without the share
        f · (k1 + 1) / (f + k1 · …): indexes reckon it differently.
        """

    def time_search(self, since: datetime, until: datetime, k: int, where: Filter) -> list[Ref]:
        """Up to `k` chunks whose own time lies in `[since, until)`, oldest first."""

    def allowed(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        """Those of `refs` that the filter lets through."""

    def find_names(self, keys: Iterable[str], where: Filter) -> list[KnownName]:
        """The entities with these keys; of their own pages those that the filter lets through."""

    def cosines(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Cosines]:
        """How near each of these chunks, and each of its sentences, is to `vector` (dim,), by the int8 vectors."""

    def chunk_vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        """Each of these chunks' own vector (dim,), as int8 keeps it, of unit length again."""

    def mentions_of(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> list[MentionAt]:
        """Up to `per_entity` sentences for each entity, chunks that name it most first."""

    def mentions_in(self, chunks: Sequence[Ref]) -> list[MentionAt]:
        """Every sentence of these chunks that names an entity."""

    def entities_in(self, sentences: Sequence[tuple[Ref, int]]) -> list[MentionAt]:
        """The entities that these sentences (chunk, index) name."""

    def entity_edges(self, entities: Sequence[Ref], per_entity: int, where: Filter) -> Edges:
        """Each entity (left) with the `per_entity` heaviest of its chunks (right) that the filter lets through."""

    def chunk_edges(self, chunks: Sequence[Ref]) -> Edges:
        """Each chunk (left) with its entities (right)."""

    def next_edges(self, chunks: Sequence[Ref]) -> Edges:
        """Chunks (left) with those just before and after them in their source (right): turns, and pieces of a text.

        What is more than `graph.TALK_GAP` seconds apart does not follow.
        """

    def entity_info(self, entities: Sequence[Ref]) -> dict[Ref, EntityInfo]: ...

    def chunks(self, refs: Sequence[Ref]) -> list[StoredChunk]:
        """Whole chunks in the order given; those that have gone are left out."""

    def entity_names(self, refs: Sequence[Ref]) -> dict[Ref, Entity]: ...

    # -- search, a stage at a time: what readings above give together, in one go where the engine gains by it --------
    def candidates(self, refs: Sequence[Ref], vector: Vectors) -> dict[Ref, Candidate]:
        """The `cosines` of these chunks with what else is compared of them."""

    def named(self, keys: Iterable[str], heads: Iterable[str], where: Filter) -> list[KnownName]:
        """`find_names` of these keys and of those that `known_by_head` gives, each entity once."""

    def seed_sentences(
        self, entities: Sequence[Ref], per_entity: int, own: Sequence[Ref], vector: Vectors, where: Filter
    ) -> tuple[list[MentionAt], dict[Ref, Cosines]]:
        """`mentions_of`, and the `cosines` of their chunks and of `own`."""

    def bridges(
        self, sentences: Sequence[tuple[Ref, int]], entities: Sequence[Ref], per_entity: int, where: Filter
    ) -> tuple[list[Bridge], Edges]:
        """The entities that these sentences name, and the `entity_edges` of them and of `entities`."""

    def onward(
        self, entities: Sequence[Ref], per_entity: int, chunks: Sequence[Ref], where: Filter
    ) -> tuple[list[Ref], Edges, Edges]:
        """The chunks that `entity_edges` leads to beside `chunks`, their `chunk_edges`, and `next_edges` of both."""

    def evidence(
        self,
        chunks: Sequence[Ref],
        entities: Sequence[Ref],
        placed: Sequence[Ref],
        near: Sequence[Ref],
        vector: Vectors,
    ) -> Evidence:
        """`chunks`, `entity_names`, `mentions_in` of the chunks `placed`, and `cosines` of the chunks `near`."""

    # -- looking about -------------------------------------------------------
    def source(self, source_id: str) -> Source | None: ...
    def sources(
        self, *, kinds: Sequence[str] = (), uri_prefix: str = "", after: str | None = None, limit: int = 100
    ) -> list[Source]:
        """Sources by id, those above `after`: a keyset page."""

    def hashes(self, source_ids: Sequence[str]) -> dict[str, str]:
        """The content hash of each of these sources that is there."""

    def text(self, source_id: str) -> str | None: ...
    def source_chunks(self, source_id: str, *, after: int = -1, limit: int = 100) -> list[StoredChunk]: ...
    def chunk(self, chunk_id: str) -> StoredChunk | None: ...
    def neighbours(self, chunk_ids: Sequence[str], before: int, after: int) -> dict[str, list[StoredChunk]]:
        """The chunks around each of these in its source, in order, without itself; one with none is left out."""

    def entity(self, entity_id: str) -> Entity | None: ...
    def entities(self, match: str = "", *, after: str | None = None, limit: int = 100) -> list[Entity]:
        """Entities whose key contains `match`, by id: a keyset page."""

    def entity_chunks(self, entity_id: str, limit: int) -> list[tuple[StoredChunk, int]]:
        """Chunks that name the entity, heaviest first, each with the index of the first sentence that does."""

    def entity_neighbours(self, entity_id: str, limit: int) -> list[tuple[Entity, int]]:
        """Entities named in the same sentences, with how many sentences, most first."""

    def facts(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity_id: str = "",
        after: str | None = None,
        limit: int = 100,
    ) -> list[StoredFact]:
        """Facts whose parts contain these words (any case), by id: a keyset page."""

    def fact(self, fact_id: str) -> StoredFact | None: ...
    def documents(self) -> Iterator[Document]:
        """Every source as it was loaded, so that it can be prepared anew."""

    def prepared(self) -> Iterator[PreparedSource]:
        """Every source as it was put, in the order in which they were written, so that another store can take it.

        Sentence vectors come as int8 keeps them. What was linked later is left out: linking finds it again.
        """

    def counts(self) -> Counts: ...


__all__ = [
    "Bridge",
    "Candidate",
    "Cosines",
    "Counts",
    "Edges",
    "EncoderFingerprint",
    "EntityInfo",
    "Evidence",
    "KnownName",
    "Link",
    "Mention",
    "MentionAt",
    "PendingChunk",
    "PutResult",
    "Store",
    "StoredChunk",
    "StoredFact",
]
