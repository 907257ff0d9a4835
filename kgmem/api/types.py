"""Sources and chunks as GraphQL shows them."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry.scalars import JSON

from kgmem import errors, model
from kgmem.api.context import Info
from kgmem.api.enums import SourceKind
from kgmem.api.failures import Error
from kgmem.api.pages import Connection, decode_number, make_page, page_size
from kgmem.search.options import MAX_NEIGHBOURS
from kgmem.store.contract import StoredChunk

if TYPE_CHECKING:
    from kgmem.api.graph import Entity

First = Annotated[int, strawberry.argument(description="How many, at most 100.")]
After = Annotated[str | None, strawberry.argument(description="The cursor after which the page starts.")]


@strawberry.interface(description="Anything with an id that `node` takes.")
class Node:
    id: strawberry.ID


@strawberry.type(description="A sentence of a chunk: `chunk.text` from `start` to `end`.")
class Sentence:
    text: str
    start: int
    end: int


@strawberry.type(description="A document or a conversation.")
class Source(Node):
    kind: SourceKind
    uri: str
    title: str
    media_type: str
    timestamp: datetime | None = strawberry.field(description="When its content dates from, where something says so.")
    ingested_at: datetime
    tags: list[str]
    metadata: JSON
    chunk_count: int

    @classmethod
    def of(cls, source: model.Source) -> Source:
        return cls(
            id=strawberry.ID(source.id),
            kind=SourceKind(source.kind),
            uri=source.uri,
            title=source.title,
            media_type=source.media_type,
            timestamp=source.timestamp,
            ingested_at=source.ingested_at,
            tags=list(source.tags),
            metadata=JSON(dict(source.metadata)),
            chunk_count=source.chunk_count,
        )

    @strawberry.field(description="The whole text; chunks and their sentences are spans of it.")
    async def text(self, info: Info) -> str | None:
        return await info.context.loaders.text.load(self.id)

    @strawberry.field(description="Its chunks, in order.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> ChunkPage:
        size, place = page_size(first), decode_number("chunk", after)
        found = await info.context.read(lambda store: store.source_chunks(self.id, after=place, limit=size + 1))
        return make_page(ChunkConnection, "chunk", found, size, after, lambda at: at.chunk.ordinal, Chunk.stored)


@strawberry.type(description="A piece of a source's text.")
class Chunk(Node):
    text: str
    start: int = strawberry.field(description="Where it starts in the source's text, in characters.")
    end: int
    ordinal: int = strawberry.field(description="Its place in the source, from 0.")
    context: str = strawberry.field(description="What stands before the text when it is searched: title, headings.")
    speaker: str
    timestamp: datetime | None
    truncated: bool = strawberry.field(description="Whether the encoder read it in part only.")
    metadata: JSON
    sentences: list[Sentence]
    source: Source

    @classmethod
    def of(cls, chunk: model.Chunk, source: model.Source) -> Chunk:
        return cls(
            id=strawberry.ID(chunk.id),
            text=chunk.text,
            start=chunk.start,
            end=chunk.end,
            ordinal=chunk.ordinal,
            context=chunk.context,
            speaker=chunk.speaker,
            timestamp=chunk.timestamp,
            truncated=chunk.truncated,
            metadata=JSON(dict(chunk.metadata)),
            sentences=[Sentence(text=chunk.text[a:b], start=a, end=b) for a, b in chunk.sentences],
            source=Source.of(source),
        )

    @classmethod
    def stored(cls, stored: StoredChunk) -> Chunk:
        return cls.of(stored.chunk, stored.source)

    @strawberry.field(description="The chunks before and after it in its source, at most five each.")
    async def neighbours(self, info: Info, before: int = 1, after: int = 1) -> list[Chunk]:
        span = around(self.id, before, after)
        return [Chunk.stored(stored) for stored in await info.context.loaders.around.load(span)]

    @strawberry.field(description="The entities that it names, at most 100.")
    async def entities(
        self, info: Info, first: First = 20
    ) -> list[Annotated[Entity, strawberry.lazy("kgmem.api.graph")]]:
        from kgmem.api.graph import Entity

        found = await info.context.loaders.chunk_entities.load(self.id)
        return [Entity.of(entity) for entity in found[: page_size(first)]]


@strawberry.type(description="A page of a list.")
class ChunkConnection(Connection[Chunk]):
    pass


@strawberry.type(description="A page of a list.")
class SourceConnection(Connection[Source]):
    pass


ChunkPage = Annotated[ChunkConnection | Error, strawberry.union("ChunkPage")]
SourcePage = Annotated[SourceConnection | Error, strawberry.union("SourcePage")]
SourceOutcome = Annotated[Source | Error, strawberry.union("SourceOutcome")]


async def load_source(info: Info, source_id: str) -> Source | None:
    found = await info.context.loaders.source.load(source_id)
    return Source.of(found) if found else None


async def load_chunk(info: Info, chunk_id: str) -> Chunk | None:
    found = await info.context.loaders.chunk.load(chunk_id)
    return Chunk.stored(found) if found else None


def around(chunk_id: str, before: int, after: int) -> tuple[str, int, int]:
    """What the loader of neighbours takes, no number beyond its bounds."""
    return chunk_id, min(max(before, 0), MAX_NEIGHBOURS), min(max(after, 0), MAX_NEIGHBOURS)


def not_found(what: str, given: Any) -> errors.NotFound:
    return errors.NotFound(f"There is no {what} {str(given)[:80]!r} here; check it, or list what there is.")
