"""The subscriptions."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import strawberry

from kgmem.api.context import Info
from kgmem.api.failures import Error
from kgmem.api.job_types import IngestJob, JobOutcome
from kgmem.api.types import not_found


@strawberry.type
class Subscription:
    @strawberry.subscription(description="A job as it is, and again as it goes on, until it is done or has failed.")
    async def job_progress(self, info: Info, id: strawberry.ID) -> AsyncGenerator[JobOutcome, None]:
        if info.context.jobs.get(id) is None:
            yield Error.of(not_found("job", id))
        async with aclosing(info.context.jobs.watch(id)) as changes:
            async for job in changes:
                info.context.renew()
                yield IngestJob.of(job)
