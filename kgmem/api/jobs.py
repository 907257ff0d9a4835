"""The job queue: ingests done in order by one thread, each kept with what became of it.

A job is a value; whoever holds one sees it as it was. `Jobs` replaces it as
the work goes on and tells those that watch. What does not fit is refused
before anything of it is taken.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from kgmem import errors
from kgmem.api.enums import JobState
from kgmem.api.failures import Busy
from kgmem.ingest.pipeline import Progress
from kgmem.ingest.report import Report
from kgmem.model import Skipped
from kgmem.service import Kgmem

QUEUE = 100
QUEUE_BYTES = 2
"""How many times `max_bytes` may wait in all."""
KEPT = 1000
SHOWN = 100
GRACE = 20.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """One ingest. `code` and `message` say why it failed, and are empty otherwise."""

    id: str
    number: int
    total: int
    created_at: datetime
    state: JobState = JobState.QUEUED
    started_at: datetime | None = None
    finished_at: datetime | None = None
    counts: tuple[tuple[str, int], ...] = ()
    failed: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    source_ids: tuple[str, ...] = ()
    code: str = ""
    message: str = ""

    @property
    def finished(self) -> bool:
        return self.state in (JobState.DONE, JobState.FAILED)


Work = Callable[[Kgmem, Progress], Report]
_COUNTS = ("added", "replaced", "unchanged", "chunks", "truncated", "facts", "linked")


class Jobs:
    """The queue and its one worker thread, which starts with the first job. Methods may be called from any thread."""

    def __init__(self, kg: Kgmem, *, prepare: Callable[[], None], size: int = QUEUE, kept: int = KEPT) -> None:
        self._kg = kg
        self._prepare = prepare
        self._size = size
        self._kept = kept
        self._bytes = QUEUE_BYTES * kg.settings.max_bytes
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[tuple[str, int, Work]] = deque()
        self._watchers: set[Callable[[], None]] = set()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._number = 0

    def submit(self, work: Work, *, total: int, size: int) -> Job:
        """Queue the ingest of `total` documents of `size` bytes in all. Raises `Busy`; then nothing is queued."""
        with self._changed:
            if self._closing:
                raise Busy("The server is shutting down; send it again once it is up.")
            if len(self._waiting) >= self._size:
                raise Busy(f"{len(self._waiting)} jobs are waiting already; send it again once some are done.")
            if self._waiting and size + sum(waiting for _, waiting, _ in self._waiting) > self._bytes:
                raise Busy("The waiting jobs hold as much as there is room for; send it again once some are done.")
            self._number += 1
            job = Job("j" + secrets.token_hex(12), self._number, total, datetime.now(UTC))
            self._jobs[job.id] = job
            self._waiting.append((job.id, size, work))
            self._forget()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="kgmem-jobs", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return job

    def get(self, job_id: str) -> Job | None:
        return self._jobs.get(job_id)

    def latest(self, first: int, state: JobState | None = None, before: int | None = None) -> list[Job]:
        """Jobs, the newest first; those with a number below `before`."""
        with self._changed:
            jobs = list(self._jobs.values())
        fitting = (
            job
            for job in reversed(jobs)
            if (state is None or job.state is state) and (before is None or job.number < before)
        )
        return [job for _, job in zip(range(first), fitting, strict=False)]

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def watch(self, job_id: str) -> AsyncGenerator[Job, None]:
        """The job as it is, and again when it has changed, until it is finished. Changes in between may be missed."""
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake() -> None:
            # The loop may have been closed while the worker went on.
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        with self._changed:
            self._watchers.add(wake)
        try:
            last: Job | None = None
            while (job := self._jobs.get(job_id)) is not None:
                if job is not last:
                    yield job
                if job.finished:
                    return
                last = job
                await changed.wait()
                changed.clear()
        finally:
            with self._changed:
                self._watchers.discard(wake)

    async def wait(self, job_id: str, timeout: float) -> Job:
        """The job once it is finished, or as it is after `timeout` seconds."""
        latest = self._jobs[job_id]
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout), aclosing(self.watch(job_id)) as changes:
                async for job in changes:
                    latest = job
        return latest

    def close(self, grace: float = GRACE) -> None:
        """Take no more jobs, and finish those that wait. What is not done after `grace` seconds fails, and says so."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is None:
            return
        end = time.monotonic() + grace
        self._thread.join(grace)
        with self._changed:
            left, self._waiting = list(self._waiting), deque()
        for job_id, _, _ in left:
            self._fail(job_id, Busy("The server was shut down before its turn came; send it again."))
        if self._thread.is_alive():
            _log.warning("an ingest was still running after %.0f s; run it again to finish it", time.monotonic() - end)

    # The worker

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                job_id, _, work = self._waiting.popleft()
            self._do(job_id, work)

    def _do(self, job_id: str, work: Work) -> None:
        self._set(job_id, state=JobState.RUNNING, started_at=datetime.now(UTC))
        try:
            self._prepare()
            report = work(self._kg, lambda so_far: self._note(job_id, so_far))
        except errors.KgmemError as error:
            self._fail(job_id, error)
        except Exception as error:
            _log.exception("job %s failed", job_id)
            self._fail(job_id, errors.KgmemError(f"An internal error ended the job ({type(error).__name__})."))
        else:
            self._note(job_id, report)
            self._finish(job_id, report)

    def _note(self, job_id: str, report: Report) -> None:
        sources = dict.fromkeys(report.source_ids[:SHOWN])
        # Sources that have not changed are told as well.
        sources.update(dict.fromkeys(sorted(report.seen)[: SHOWN - len(sources)]))
        self._set(
            job_id,
            counts=(*((name, getattr(report, name)) for name in _COUNTS), ("failed", len(report.failed))),
            failed=tuple(report.failed[:SHOWN]),
            skipped=tuple(report.skipped[:SHOWN]),
            source_ids=tuple(sources),
        )

    def _finish(self, job_id: str, report: Report) -> None:
        nothing = report.failed and not (report.added or report.replaced or report.unchanged)
        first = report.failed[0] if nothing else None
        self._set(
            job_id,
            state=JobState.FAILED if nothing else JobState.DONE,
            finished_at=datetime.now(UTC),
            code=first.code if first else "",
            message=first.reason if first else "",
        )

    def _fail(self, job_id: str, error: errors.KgmemError) -> None:
        self._set(job_id, state=JobState.FAILED, finished_at=datetime.now(UTC), code=error.code, message=str(error))

    def _set(self, job_id: str, **changes: object) -> None:
        with self._changed:
            self._jobs[job_id] = replace(self._jobs[job_id], **changes)  # type: ignore[arg-type]
            watchers = list(self._watchers)
            self._changed.notify_all()
        for wake in watchers:
            wake()

    def _forget(self) -> None:
        """Drop the oldest finished jobs above the number kept."""
        surplus = len(self._jobs) - self._kept
        for job in list(self._jobs.values()):
            if surplus <= 0:
                return
            if job.finished:
                del self._jobs[job.id]
                surplus -= 1
