"""What resolvers work with: the services of the process, and a context of its own for each operation."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import strawberry

from kgmem import errors
from kgmem.api.failures import TimedOut
from kgmem.api.jobs import Jobs
from kgmem.api.loaders import Loaders
from kgmem.service import Kgmem
from kgmem.store.contract import Store

T = TypeVar("T")
THREADS = 8
TIMEOUT = 30.0
LOADING = 30.0
_log = logging.getLogger(__name__)


class Warmth:
    """Loads the encoder once, in the background, and holds what kept it from being loaded."""

    def __init__(self, kg: Kgmem) -> None:
        self._kg = kg
        self._lock = threading.Lock()
        self.tried = False
        self.error: errors.KgmemError | None = None

    def warm(self) -> None:
        """Load the encoder unless that was tried before. Waits for another thread that is loading it."""
        with self._lock:
            if self.tried:
                return
            try:
                self._kg.encoder  # noqa: B018 - loads it
            except errors.KgmemError as error:
                self.error = error
            except Exception as error:
                _log.exception("loading the encoder failed")
                self.error = errors.EncoderError(f"The encoder could not be loaded ({type(error).__name__}).")
            self.tried = True

    def require(self) -> None:
        """Raise what kept the encoder from being loaded, if anything did."""
        self.warm()
        if self.error is not None:
            raise self.error

    @property
    def missing(self) -> str:
        """What the encoder still lacks, empty once it is there."""
        return str(self.error) if self.error else "" if self.tried else "The encoder is being loaded."


class Services:
    """One process's: the knowledge, the threads that read it, and the jobs that write it."""

    def __init__(self, kg: Kgmem, *, timeout: float = TIMEOUT) -> None:
        self.kg = kg
        self.timeout = timeout
        self.warmth = Warmth(kg)
        self.jobs = Jobs(kg, prepare=self.warmth.require)
        # Threads of its own, and always the same few: each has a connection to the store.
        self._threads = ThreadPoolExecutor(THREADS, "kgmem-api")
        self._warming: threading.Thread | None = None

    async def call(self, work: Callable[[], T], timeout: float) -> T:
        """The result of `work`, run in a thread. Raises `TimedOut`; the work itself then goes on unheeded."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            # Cancelling takes back what no thread has begun; the result of what has begun is dropped.
            return await asyncio.wait_for(future, timeout)
        except TimeoutError:
            raise TimedOut(f"This took longer than {self.timeout:g} s; ask for less, or try again.") from None

    def start(self) -> None:
        """Begin to load the encoder, in a thread of its own: no query waits in the pool for it."""
        self._warming = threading.Thread(target=self.warmth.warm, name="kgmem-warm", daemon=True)
        self._warming.start()

    def close(self) -> None:
        self.jobs.close()
        if self._warming is not None:
            self._warming.join(LOADING)
        self._threads.shutdown(wait=True, cancel_futures=True)


class Deadline:
    """When an operation's time is up. A subscription starts it anew for every event."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self._seconds

    @property
    def remaining(self) -> float:
        return max(self._end - time.monotonic(), 0.0)


@dataclass(frozen=True, slots=True)
class Context:
    """One operation's. Loaders cache, so they live no longer than it."""

    services: Services
    deadline: Deadline
    loaders: Loaders = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "loaders", Loaders(self.read))

    @classmethod
    def start(cls, services: Services) -> Context:
        return cls(services, Deadline(services.timeout))

    @property
    def kg(self) -> Kgmem:
        return self.services.kg

    @property
    def jobs(self) -> Jobs:
        return self.services.jobs

    async def read(self, work: Callable[[Store], T]) -> T:
        """The result of `work` on the store. Raises `TimedOut`, and what the store raises."""

        def reading() -> T:
            self.services.warmth.warm()
            return work(self.services.kg.store)

        return await self.services.call(reading, self.deadline.remaining)

    async def use(self, work: Callable[[Kgmem], T]) -> T:
        """The result of `work`, which needs the encoder. Raises `TimedOut`, `EncoderError` and its like."""

        def using() -> T:
            self.services.warmth.require()
            return work(self.services.kg)

        return await self.services.call(using, self.deadline.remaining)

    def renew(self) -> None:
        """For the next event of a subscription: nothing read before is shown again."""
        self.loaders.clear()
        self.deadline.restart()


Info = strawberry.Info[Context, None]
