"""The job queue: in order, one failing alone, bounded, and nothing lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_help import until

from kgmem.api.failures import Busy
from kgmem.api.jobs import Jobs, JobState
from kgmem.ingest.report import Report
from kgmem.service import Kgmem


@pytest.fixture
def kg(tmp_path: Path) -> Iterator[Kgmem]:
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", processes=0, max_bytes=1000) as opened:
        yield opened


def finished(jobs: Jobs, job_id: str) -> Any:
    until(lambda: (found := jobs.get(job_id)) is not None and found.finished)
    return jobs.get(job_id)


def test_a_failed_job_keeps_its_error_and_the_next_one_runs(kg: Kgmem, caplog: pytest.LogCaptureFixture) -> None:
    jobs = Jobs(kg, prepare=lambda: None)

    def broken(*_: object) -> Report:
        raise RuntimeError("the secret")

    first = jobs.submit(broken, total=1, size=1)
    second = jobs.submit(lambda *_: Report(added=1), total=1, size=1)
    done = finished(jobs, first.id)
    assert done.state is JobState.FAILED
    assert done.code == "KGMEM"
    assert "RuntimeError" in done.message
    assert "secret" not in done.message
    assert "secret" in caplog.text
    assert finished(jobs, second.id).state is JobState.DONE
    jobs.close()


def test_a_full_queue_takes_nothing_and_loses_nothing(kg: Kgmem) -> None:
    release = threading.Event()
    done: list[int] = []
    jobs = Jobs(kg, prepare=lambda: None, size=3)

    def work(number: int) -> Any:
        def run(*_: object) -> Report:
            assert release.wait(30)
            done.append(number)
            return Report(added=1)

        return run

    taken = [jobs.submit(work(0), total=1, size=1)]
    until(lambda: jobs.waiting == 0)
    taken += [jobs.submit(work(n), total=1, size=1) for n in (1, 2, 3)]
    with pytest.raises(Busy):
        jobs.submit(work(9), total=1, size=1)
    release.set()
    assert [finished(jobs, job.id).state for job in taken] == [JobState.DONE] * 4
    assert done == [0, 1, 2, 3]
    jobs.close()
    with pytest.raises(Busy):
        jobs.submit(work(9), total=1, size=1)


def test_waiting_jobs_hold_no_more_than_there_is_room_for(kg: Kgmem) -> None:
    release = threading.Event()
    jobs = Jobs(kg, prepare=lambda: None)

    def run(*_: object) -> Report:
        assert release.wait(30)
        return Report()

    jobs.submit(run, total=1, size=1000)
    until(lambda: jobs.waiting == 0)
    jobs.submit(run, total=1, size=1500)
    with pytest.raises(Busy):
        jobs.submit(run, total=1, size=600)
    jobs.submit(run, total=1, size=400)
    release.set()
    jobs.close()


def test_closing_finishes_what_waits_or_says_so(kg: Kgmem) -> None:
    release = threading.Event()

    def run(*_: object) -> Report:
        assert release.wait(30)
        return Report(added=1)

    jobs = Jobs(kg, prepare=lambda: None)
    first, second = (jobs.submit(run, total=1, size=1) for _ in range(2))
    until(lambda: jobs.waiting == 1)
    jobs.close(grace=0.05)
    assert finished(jobs, second.id).code == "BUSY"
    release.set()
    assert finished(jobs, first.id).state is JobState.DONE
    jobs = Jobs(kg, prepare=lambda: None)
    last = [jobs.submit(run, total=1, size=1) for _ in range(5)]
    jobs.close()
    assert all(finished(jobs, job.id).state is JobState.DONE for job in last)


def test_only_the_last_jobs_are_kept(kg: Kgmem) -> None:
    jobs = Jobs(kg, prepare=lambda: None, kept=3)
    made = []
    for _ in range(6):
        made.append(jobs.submit(lambda *_: Report(added=1), total=1, size=1))
        finished(jobs, made[-1].id)
    assert [job.id for job in jobs.latest(10)] == [job.id for job in reversed(made[3:])]
    jobs.close()


def test_a_watched_job_is_told_until_it_is_done(kg: Kgmem) -> None:
    jobs = Jobs(kg, prepare=lambda: None)
    started, release = threading.Event(), threading.Event()

    def run(_: object, progress: Any) -> Report:
        started.set()
        assert release.wait(30)
        progress(Report(added=1))
        return Report(added=2)

    async def watching() -> list[Any]:
        seen = []
        async for job in jobs.watch(made.id):
            seen.append(job)
            if job.state is JobState.RUNNING:
                release.set()
        return seen

    made = jobs.submit(run, total=2, size=1)
    assert started.wait(30)
    seen = asyncio.run(watching())
    assert seen[0].state is JobState.RUNNING
    assert seen[-1].state is JobState.DONE
    assert dict(seen[-1].counts)["added"] == 2
    assert not jobs._watchers
    jobs.close()
