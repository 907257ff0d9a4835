"""The queries."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Annotated

import strawberry

from kgmem import errors, ids
from kgmem.api.context import Info
from kgmem.api.enums import JobState, SourceKind
from kgmem.api.failures import Error
from kgmem.api.graph import (
    Entity,
    EntityConnection,
    EntityOutcome,
    EntityPage,
    Fact,
    FactPage,
    facts_page,
    find_entity,
    load_entity,
)
from kgmem.api.job_types import IngestJob, IngestJobConnection, JobOutcome, JobPage
from kgmem.api.pages import decode_cursor, decode_number, make_page, page_size
from kgmem.api.searching import SearchInput, SearchOutcome, run_search
from kgmem.api.types import (
    After,
    Chunk,
    First,
    Source,
    SourceConnection,
    SourceOutcome,
    SourcePage,
    load_chunk,
    load_source,
    not_found,
)
from kgmem.api.walks import EvidencePaths, PathsOutcome
from kgmem.search.paths import evidence_paths

NodeOutcome = Annotated[Source | Chunk | Entity | Fact | IngestJob | Error, strawberry.union("NodeOutcome")]


@strawberry.type(description="How much there is.")
class Stats:
    namespace: str
    encoder: str | None = strawberry.field(description="The encoder whose vectors the store holds, once it holds any.")
    sources: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    facts: int
    pending: int = strawberry.field(description="Chunks still to be searched for names known from elsewhere.")
    jobs_waiting: int


StatsOutcome = Annotated[Stats | Error, strawberry.union("StatsOutcome")]
Id = Annotated[strawberry.ID, strawberry.argument(description="An id that any field gave.")]


@strawberry.type
class Query:
    @strawberry.field(description="The chunks that answer a question best, each with why.")
    async def search(self, info: Info, input: SearchInput) -> SearchOutcome:
        return await run_search(info, input)

    @strawberry.field(description="The entity with this id, or with this name in any spelling.")
    async def entity(self, info: Info, id: strawberry.ID | None = None, name: str | None = None) -> EntityOutcome:
        given = _one_of(id=id, name=name)
        if id is not None and not id.startswith(ids.ENTITY):
            raise errors.UsageError(f"{id[:80]!r} is no entity's id; those begin with {ids.ENTITY!r}.")
        return Entity.of(await find_entity(info, given))

    @strawberry.field(description="Entities whose name contains `match`, in any case.")
    async def entities(self, info: Info, match: str = "", first: First = 20, after: After = None) -> EntityPage:
        size, place = page_size(first), decode_cursor("entity", after)
        found = await info.context.read(lambda store: store.entities(match, after=place, limit=size + 1))
        return make_page(EntityConnection, "entity", found, size, after, lambda entity: entity.id, Entity.of)

    @strawberry.field(description="The shortest chains of sentences between two entities, given by id or name.")
    async def paths(
        self,
        info: Info,
        start: Annotated[str, strawberry.argument(name="from", description="An entity's id or name.")],
        goal: Annotated[str, strawberry.argument(name="to", description="An entity's id or name.")],
        max_hops: Annotated[int, strawberry.argument(description="Sentences of a path, at most 4.")] = 4,
        first: Annotated[int, strawberry.argument(description="How many paths, at most 10.")] = 3,
    ) -> PathsOutcome:
        ends = await find_entity(info, start), await find_entity(info, goal)
        found = await info.context.read(lambda store: evidence_paths(store, *ends, max_hops=max_hops, limit=first))
        return EvidencePaths.of(found)

    @strawberry.field(description="Facts whose parts contain these words, in any case; of one entity, if given.")
    async def facts(
        self,
        info: Info,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity: Annotated[str | None, strawberry.argument(description="An entity's id or name.")] = None,
        first: First = 20,
        after: After = None,
    ) -> FactPage:
        entity_id = (await find_entity(info, entity)).id if entity is not None else ""
        return await facts_page(
            info, first, after, subject=subject, predicate=predicate, object=object, entity_id=entity_id
        )

    @strawberry.field(description="The document with this id or this uri.")
    async def document(self, info: Info, id: strawberry.ID | None = None, uri: str | None = None) -> SourceOutcome:
        given = _one_of(id=id, uri=uri)
        return await _source(info, id or ids.source_id(info.context.kg.store.namespace, given), given)

    @strawberry.field(description="What there is, by kind and by the start of its uri.")
    async def documents(
        self,
        info: Info,
        kinds: list[SourceKind] | None = None,
        uri_prefix: str = "",
        first: First = 20,
        after: After = None,
    ) -> SourcePage:
        size, place = page_size(first), decode_cursor("source", after)
        wanted = tuple({kind.value: None for kind in kinds or ()})
        found = await info.context.read(
            lambda store: store.sources(kinds=wanted, uri_prefix=uri_prefix, after=place, limit=size + 1)
        )
        return make_page(SourceConnection, "source", found, size, after, lambda source: source.id, Source.of)

    @strawberry.field(description="The source with this id, or the one that holds the chunk or the fact with this id.")
    async def source(self, info: Info, id: Id) -> SourceOutcome:
        return await _source(info, id, id)

    @strawberry.field(description="Whatever has this id.")
    async def node(self, info: Info, id: Id) -> NodeOutcome:
        found: Source | Chunk | Entity | Fact | IngestJob | None = None
        if id.startswith(ids.SOURCE):
            found = await load_source(info, id)
        elif id.startswith(ids.CHUNK):
            found = await load_chunk(info, id)
        elif id.startswith(ids.ENTITY):
            found = await load_entity(info, id)
        elif id.startswith(ids.FACT):
            fact = await info.context.read(lambda store: store.fact(id))
            found = Fact.of(fact) if fact else None
        elif job := info.context.jobs.get(id):
            found = IngestJob.of(job)
        if found is None:
            raise not_found("node", id)
        return found

    @strawberry.field(description="How much there is.")
    async def stats(self, info: Info) -> StatsOutcome:
        counts, fingerprint, namespace = await info.context.read(
            lambda store: (store.counts(), store.fingerprint(), store.namespace)
        )
        return Stats(
            namespace=namespace,
            encoder=str(fingerprint) if fingerprint else None,
            sources=counts.sources,
            chunks=counts.chunks,
            sentences=counts.sentences,
            entities=counts.entities,
            mentions=counts.mentions,
            facts=counts.facts,
            pending=counts.pending,
            jobs_waiting=info.context.jobs.waiting,
        )

    @strawberry.field(description="The job with this id; the last 1000 are kept while the server runs.")
    async def job(self, info: Info, id: Id) -> JobOutcome:
        found = info.context.jobs.get(id)
        if found is None:
            raise not_found("job", id)
        return IngestJob.of(found)

    @strawberry.field(description="Jobs, the newest first.")
    async def jobs(self, info: Info, state: JobState | None = None, first: First = 20, after: After = None) -> JobPage:
        size, place = page_size(first), decode_number("job", after)
        found = info.context.jobs.latest(size + 1, state, place if after is not None else None)
        return make_page(IngestJobConnection, "job", found, size, after, lambda job: job.number, IngestJob.of)


def _one_of(**given: str | None) -> str:
    """The one argument that is given. Raises `UsageError` for none or several."""
    values = [value for value in given.values() if value is not None]
    if len(values) != 1:
        raise errors.UsageError(f"Give either {' or '.join(given)}, and one of them only.")
    return values[0]


async def _source(info: Info, any_id: str, given: str) -> Source:
    source_id: str | None = any_id
    if any_id.startswith(ids.CHUNK):
        chunk = await info.context.loaders.chunk.load(any_id)
        source_id = chunk.source.id if chunk else None
    elif any_id.startswith(ids.FACT):
        fact = await info.context.read(lambda store: store.fact(any_id))
        source_id = fact.source_id if fact else None
    found = await load_source(info, source_id) if source_id else None
    if found is None:
        raise not_found("source", given)
    return found
