"""Jobs as GraphQL shows them."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import strawberry

from kgmem import model
from kgmem.api import jobs
from kgmem.api.context import Info
from kgmem.api.enums import JobState
from kgmem.api.failures import Error, code_named
from kgmem.api.pages import Connection
from kgmem.api.types import Node, Source


@strawberry.type(description="A document that was not taken in, and why.")
class JobItem:
    uri: str
    code: str
    message: str

    @classmethod
    def of(cls, item: model.Skipped) -> JobItem:
        return cls(uri=item.uri, code=item.code, message=item.reason)


@strawberry.type(description="What an ingest has done so far.")
class JobCounts:
    added: int = strawberry.field(default=0, description="Sources that are new.")
    replaced: int = strawberry.field(default=0, description="Sources whose content has changed.")
    unchanged: int = strawberry.field(default=0, description="Sources that were there already, as they are.")
    failed: int = 0
    chunks: int = strawberry.field(default=0, description="Chunks written.")
    truncated: int = strawberry.field(default=0, description="Chunks that the encoder read in part only.")
    facts: int = 0
    linked: int = strawberry.field(default=0, description="Chunks searched again for names known from elsewhere.")


@strawberry.type(description="An ingest, queued, running or done.")
class IngestJob(Node):
    state: JobState
    total: int = strawberry.field(description="How many documents it was given.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    counts: JobCounts
    error: Error | None = strawberry.field(description="Why it failed: what ended it, or else its first document's.")
    failed: list[JobItem] = strawberry.field(description="Documents that failed, at most 100.")
    skipped: list[JobItem] = strawberry.field(description="Documents that were passed over, at most 100.")
    source_ids: list[strawberry.ID] = strawberry.field(description="The sources it wrote or found, at most 100.")

    @classmethod
    def of(cls, job: jobs.Job) -> IngestJob:
        error = Error(code=code_named(job.code), message=job.message) if job.message else None
        return cls(
            id=strawberry.ID(job.id),
            state=job.state,
            total=job.total,
            created_at=job.created_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
            counts=JobCounts(**dict(job.counts)),
            error=error,
            failed=[JobItem.of(item) for item in job.failed],
            skipped=[JobItem.of(item) for item in job.skipped],
            source_ids=[strawberry.ID(source_id) for source_id in job.source_ids],
        )

    @strawberry.field(description="The sources it wrote or found, those that are still there, at most 100.")
    async def sources(self, info: Info) -> list[Source]:
        found = await info.context.loaders.source.load_many(self.source_ids)
        return [Source.of(source) for source in found if source is not None]


@strawberry.type(description="A page of a list.")
class IngestJobConnection(Connection[IngestJob]):
    pass


JobPage = Annotated[IngestJobConnection | Error, strawberry.union("JobPage")]
JobOutcome = Annotated[IngestJob | Error, strawberry.union("JobOutcome")]
