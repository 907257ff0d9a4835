"""Paths between entities as GraphQL shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import strawberry

from kgmem.api.failures import Error
from kgmem.api.graph import Entity
from kgmem.api.types import Chunk, Source
from kgmem.search.paths import PathStep


@strawberry.type(description="A sentence that names both entities.")
class EvidencePathStep:
    start: Entity = strawberry.field(name="from")
    end: Entity = strawberry.field(name="to")
    sentence: str
    source: Source
    chunk: Chunk

    @classmethod
    def of(cls, step: PathStep) -> EvidencePathStep:
        chunk = Chunk.stored(step.stored)
        return cls(
            start=Entity.of(step.start),
            end=Entity.of(step.end),
            sentence=step.sentence,
            source=chunk.source,
            chunk=chunk,
        )


@strawberry.type(description="A chain of sentences from one entity to another.")
class EvidencePath:
    hops: int
    steps: list[EvidencePathStep]


@strawberry.type(description="The shortest paths; none where there is none.")
class EvidencePaths:
    paths: list[EvidencePath]

    @classmethod
    def of(cls, found: Sequence[Sequence[PathStep]]) -> EvidencePaths:
        return cls(
            paths=[
                EvidencePath(hops=len(steps), steps=[EvidencePathStep.of(step) for step in steps]) for steps in found
            ]
        )


PathsOutcome = Annotated[EvidencePaths | Error, strawberry.union("PathsOutcome")]
