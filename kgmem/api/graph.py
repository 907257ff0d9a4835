"""Entities and facts as GraphQL shows them."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Annotated

import strawberry

from kgmem import errors, ids, model, names
from kgmem.api.context import Info
from kgmem.api.enums import EntityType
from kgmem.api.failures import Error
from kgmem.api.pages import Connection, decode_cursor, make_page, page_size
from kgmem.api.types import After, Chunk, First, Node, Sentence, Source, load_chunk, load_source, not_found
from kgmem.store.contract import StoredFact

MAX_LISTED = 50


@strawberry.type(description="Where a chunk names an entity.")
class Mention:
    chunk: Chunk
    sentence: Sentence


@strawberry.type(description="An entity named in the same sentences as another one.")
class EntityNeighbour:
    entity: Entity
    sentences: int = strawberry.field(description="How many sentences name both.")


@strawberry.type(description="A named thing, as the sources write of it.")
class Entity(Node):
    name: str
    type: EntityType
    aliases: list[str] = strawberry.field(description="Other ways in which it is written.")
    chunk_count: int = strawberry.field(description="How many chunks name it.")

    @classmethod
    def of(cls, entity: model.Entity) -> Entity:
        return cls(
            id=strawberry.ID(entity.id),
            name=entity.name,
            type=EntityType(entity.type),
            aliases=list(entity.aliases),
            chunk_count=entity.chunk_count,
        )

    @strawberry.field(description="Facts that it is the subject or an object of.")
    async def facts(self, info: Info, first: First = 20, after: After = None) -> FactPage:
        return await facts_page(info, first, after, entity_id=self.id)

    @strawberry.field(description="The chunks that name it most, at most 50, each with the first sentence that does.")
    async def mentions(self, info: Info, first: int = 10) -> list[Mention]:
        limit = min(page_size(first), MAX_LISTED)
        found = await info.context.read(lambda store: store.entity_chunks(self.id, limit))
        chunks = [(Chunk.stored(stored), index) for stored, index in found]
        return [Mention(chunk=chunk, sentence=_sentence(chunk, index)) for chunk, index in chunks]

    @strawberry.field(description="Entities named in the same sentences, most often first, at most 50.")
    async def neighbours(self, info: Info, first: int = 10) -> list[EntityNeighbour]:
        limit = min(page_size(first), MAX_LISTED)
        found = await info.context.read(lambda store: store.entity_neighbours(self.id, limit))
        return [EntityNeighbour(entity=Entity.of(entity), sentences=count) for entity, count in found]


def _sentence(chunk: Chunk, index: int) -> Sentence:
    if index < len(chunk.sentences):
        return chunk.sentences[index]
    return Sentence(text=chunk.text, start=0, end=len(chunk.text))


@strawberry.type(description="What a sentence states.")
class Fact(Node):
    subject: str
    predicate: str
    objects: list[str]
    confidence: float
    negated: bool = strawberry.field(description="Whether the sentence says that it is not so.")
    evidence: str = strawberry.field(description="The sentence.")
    subject_id: strawberry.ID | None = strawberry.field(description="The entity that the subject names, if it does.")
    object_id: strawberry.ID | None = strawberry.field(description="The entity that an object names, if one does.")
    chunk_id: strawberry.ID
    source_id: strawberry.ID

    @classmethod
    def of(cls, fact: StoredFact) -> Fact:
        return cls(
            id=strawberry.ID(fact.id),
            subject=fact.subject,
            predicate=fact.predicate,
            objects=list(fact.objects),
            confidence=fact.confidence,
            negated=fact.negated,
            evidence=fact.evidence,
            subject_id=strawberry.ID(fact.subject_id) if fact.subject_id else None,
            object_id=strawberry.ID(fact.object_id) if fact.object_id else None,
            chunk_id=strawberry.ID(fact.chunk_id),
            source_id=strawberry.ID(fact.source_id),
        )

    @strawberry.field
    async def subject_entity(self, info: Info) -> Entity | None:
        return await load_entity(info, self.subject_id) if self.subject_id else None

    @strawberry.field
    async def object_entity(self, info: Info) -> Entity | None:
        return await load_entity(info, self.object_id) if self.object_id else None

    @strawberry.field(description="Null where it has been removed since.")
    async def chunk(self, info: Info) -> Chunk | None:
        return await load_chunk(info, self.chunk_id)

    @strawberry.field(description="Null where it has been removed since.")
    async def source(self, info: Info) -> Source | None:
        return await load_source(info, self.source_id)


@strawberry.type(description="A page of a list.")
class FactConnection(Connection[Fact]):
    pass


@strawberry.type(description="A page of a list.")
class EntityConnection(Connection[Entity]):
    pass


FactPage = Annotated[FactConnection | Error, strawberry.union("FactPage")]
EntityPage = Annotated[EntityConnection | Error, strawberry.union("EntityPage")]
EntityOutcome = Annotated[Entity | Error, strawberry.union("EntityOutcome")]


async def load_entity(info: Info, entity_id: str) -> Entity | None:
    found = await info.context.loaders.entity.load(entity_id)
    return Entity.of(found) if found else None


async def find_entity(info: Info, given: str) -> model.Entity:
    """The entity with this id or this name, in any of its spellings that share a key. Raises `NotFound`."""
    key = names.entity_key(given)
    candidates = [given] if given.startswith(ids.ENTITY) else []
    if key:
        candidates.append(ids.entity_id(info.context.kg.store.namespace, key))
    for candidate in candidates:
        found = await info.context.loaders.entity.load(candidate)
        if found is not None:
            return found
    raise not_found("entity", given)


async def facts_page(
    info: Info,
    first: int,
    after: str | None,
    *,
    subject: str = "",
    predicate: str = "",
    object: str = "",
    entity_id: str = "",
) -> FactConnection:
    size, place = page_size(first), decode_cursor("fact", after)
    if any(len(words) > 1000 for words in (subject, predicate, object)):
        raise errors.QueryError("Give the words of a fact's subject, predicate or object in at most 1000 characters.")
    found = await info.context.read(
        lambda store: store.facts(
            subject=subject, predicate=predicate, object=object, entity_id=entity_id, after=place, limit=size + 1
        )
    )
    return make_page(FactConnection, "fact", found, size, after, lambda fact: fact.id, Fact.of)
