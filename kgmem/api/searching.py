"""What a search takes and gives."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, cast

import strawberry
from strawberry.scalars import JSON

from kgmem import errors, model
from kgmem.api.context import Info
from kgmem.api.enums import Arm, SearchMode, SourceKind
from kgmem.api.failures import Error
from kgmem.api.graph import Entity, load_entity
from kgmem.api.types import Chunk, Source, around, load_source
from kgmem.search.options import SearchOptions

MAX_HITS = 50
MAX_VALUES = 100
_INT64 = 2**63


@strawberry.input(description="A top-level value of the source's metadata: a string, a number or a truth value.")
class MetadataInput:
    key: str
    value: JSON


@strawberry.input(description="What a search may see. All that is given must hold.")
class SearchFilter:
    kinds: list[SourceKind] = strawberry.field(default_factory=list)
    uris: list[str] = strawberry.field(default_factory=list)
    uri_prefix: str = ""
    tags: list[str] = strawberry.field(default_factory=list, description="All of them.")
    since: datetime | None = strawberry.field(default=None, description="With a time zone; inclusive.")
    until: datetime | None = strawberry.field(default=None, description="With a time zone; exclusive.")
    metadata: list[MetadataInput] = strawberry.field(default_factory=list)

    def where(self) -> model.Filter:
        """As the store takes it. Raises `UsageError`."""
        lists: dict[str, Sequence[object]] = {
            "kinds": self.kinds,
            "uris": self.uris,
            "tags": self.tags,
            "metadata": self.metadata,
        }
        for name, values in lists.items():
            if len(values) > MAX_VALUES:
                raise errors.UsageError(f"filter.{name} has {len(values)} values; give at most {MAX_VALUES}.")
        for item in self.metadata:
            if not isinstance(item.value, str | int | float):
                raise errors.UsageError(
                    f"filter.metadata compares strings, numbers and truth values; {item.key[:80]!r} has none of them."
                )
            if isinstance(item.value, int) and not -_INT64 <= item.value < _INT64:
                raise errors.UsageError(f"The number for {item.key[:80]!r} in filter.metadata is too large.")
        return model.Filter(
            kinds=tuple(kind.value for kind in self.kinds),
            uris=tuple(self.uris),
            uri_prefix=self.uri_prefix,
            tags=tuple(self.tags),
            since=aware("filter.since", self.since),
            until=aware("filter.until", self.until),
            metadata={item.key: cast("str | int | float", item.value) for item in self.metadata},
        )


@strawberry.input
class SearchInput:
    query: str
    mode: SearchMode = SearchMode.HYBRID
    first: int = strawberry.field(default=10, description="How many hits, at most 50.")
    filter: SearchFilter | None = None
    as_of: datetime | None = strawberry.field(
        default=None, description="The moment that words like “yesterday” count from, with a time zone."
    )
    rerank: bool = strawberry.field(
        default=False, description="Whether the server's reranker orders the first hits anew; an error if it has none."
    )
    diversity: float = strawberry.field(
        default=0.0, description="How much hits that resemble better ones are put back: 0, not at all, to 1."
    )
    aliases: bool = strawberry.field(
        default=False, description="Whether other names of the entities that the query names are searched for too."
    )


def aware(name: str, moment: datetime | None) -> datetime | None:
    """The moment, if it has a time zone and lies where calendars reckon. Raises `UsageError`."""
    if moment is not None and moment.tzinfo is None:
        raise errors.UsageError(f"{name} has no time zone; give one, as in 2026-01-31T12:00:00+00:00.")
    if moment is not None and not 1 < moment.year < 9999:
        raise errors.UsageError(f"{name} is outside the years 2 to 9998.")
    return moment


@strawberry.type(description="Where one arm put a hit: its rank from 1, and the score as the arm gives it.")
class ArmScore:
    arm: Arm
    rank: int
    score: float


@strawberry.type(description="One step of the way to a hit: this sentence names that entity.")
class EvidenceStep:
    name: str = strawberry.field(description="The entity's name.")
    entity_id: strawberry.ID
    sentence: str
    title: str = strawberry.field(description="The source's title.")
    source_id: strawberry.ID
    chunk_id: strawberry.ID

    @strawberry.field(description="Null where it has been removed since.")
    async def entity(self, info: Info) -> Entity | None:
        return await load_entity(info, self.entity_id)

    @strawberry.field(description="Null where it has been removed since.")
    async def source(self, info: Info) -> Source | None:
        return await load_source(info, self.source_id)

    @classmethod
    def of(cls, step: model.Step) -> EvidenceStep:
        return cls(
            name=step.entity,
            entity_id=strawberry.ID(step.entity_id),
            sentence=step.sentence,
            title=step.title,
            source_id=strawberry.ID(step.source_id),
            chunk_id=strawberry.ID(step.chunk_id),
        )


@strawberry.type(description="Why a hit is there.")
class HitExplanation:
    arms: list[ArmScore]
    prior: float = strawberry.field(description="What meaning, words, sentences and dates say before the graph.")
    reset: float = strawberry.field(description="Its share of the mass that the walk over the graph restarts from.")
    rerank: float | None = strawberry.field(
        description="The reranker's score, on its own scale; null where none has read the hit."
    )
    path: list[EvidenceStep] = strawberry.field(description="From an entity of the question to the hit.")


@strawberry.type(description="A chunk that answers.")
class Hit:
    chunk: Chunk
    source: Source
    score: float
    explain: HitExplanation

    @strawberry.field(description="The chunks before and after it in its source, at most five each.")
    async def neighbours(self, info: Info, before: int = 1, after: int = 1) -> list[Chunk]:
        span = around(self.chunk.id, before, after)
        return [Chunk.stored(stored) for stored in await info.context.loaders.around.load(span)]

    @classmethod
    def of(cls, hit: model.Hit) -> Hit:
        why = hit.explanation
        return cls(
            chunk=Chunk.of(hit.chunk, hit.source),
            source=Source.of(hit.source),
            score=hit.score,
            explain=HitExplanation(
                arms=[ArmScore(arm=Arm(arm.arm), rank=arm.rank, score=arm.score) for arm in why.arms],
                prior=why.prior,
                reset=why.reset,
                rerank=why.rerank,
                path=[EvidenceStep.of(step) for step in why.path],
            ),
        )


@strawberry.type(description="The hits, best first.")
class SearchResult:
    hits: list[Hit]


SearchOutcome = Annotated[SearchResult | Error, strawberry.union("SearchOutcome")]


async def run_search(info: Info, given: SearchInput) -> SearchResult:
    if not 1 <= given.first <= MAX_HITS:
        raise errors.QueryError(f"first is {given.first}; ask for 1 to {MAX_HITS} hits.")
    where = given.filter.where() if given.filter else model.Filter()
    as_of = aware("asOf", given.as_of)
    options = SearchOptions(rerank=given.rerank, diversity=given.diversity, aliases=given.aliases)
    hits = await info.context.use(
        lambda kg: kg.search(
            given.query, mode=given.mode.value, k=given.first, where=where, as_of=as_of, options=options
        )
    )
    return SearchResult(hits=[Hit.of(hit) for hit in hits])
