"""Where analysing and encoding run: spaCy in processes of its own, the encoder in one thread for good.

Few texts are analysed in a thread here, since starting a process takes seconds.
The encoder's threads run one batch each, on one core each, and live as long as
the workers: a model that runs in ever new threads keeps memory of each.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

from kgmem.ingest.analysis import Analysis
from kgmem.ingest.encode import Encoded, Encoder, Passage
from kgmem.ingest.extract import DEFAULT_ENGLISH, Analyser, chinese_pipeline

_worker: Analyser | None = None


def _start_worker(english: str, chinese: str) -> None:
    global _worker
    os.environ["OMP_NUM_THREADS"] = "1"
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    if english == DEFAULT_ENGLISH and not chinese_pipeline(chinese):
        # spaCy's backend imports torch where it is installed: 400 MB that this pipeline has no use for.
        sys.modules["torch"] = None  # type: ignore[assignment]
    _worker = Analyser(english, chinese)


def _leave_with_parent() -> None:
    # A parent that was killed closes no queue, and this process would wait for work forever.
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _analyse(texts: Sequence[str]) -> list[Analysis]:
    if _worker is None:
        raise RuntimeError("the worker was not started")
    return _worker.analyse(texts)


class _StandIn(ModuleType):
    """`__main__` without a file or a name to import it by; all else is the real one's."""

    def __init__(self, main: ModuleType) -> None:
        super().__init__("__main__")
        self.__file__ = None
        self._main = main

    def __getattr__(self, name: str) -> Any:
        return getattr(self._main, name)


class _Process(SpawnProcess):
    """A process that does not begin by running the user's script again, which may have no `__main__` guard."""

    _starting = threading.Lock()

    def start(self) -> None:
        with self._starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = _StandIn(main)
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


class Workers:
    """Analyses and encodes in the background. `processes` 0 keeps all in this process."""

    def __init__(self, encoder: Encoder, english: str, chinese: str, processes: int, encoder_threads: int) -> None:
        self.encoder = encoder
        self._names = english, chinese
        self._processes = processes
        self._here = Analyser(english, chinese)
        self._analysis_thread = ThreadPoolExecutor(1, "kgmem-analyse")
        self.encoder_threads = encoder_threads
        self._encoder_pool = ThreadPoolExecutor(encoder_threads, "kgmem-encode")
        self._pool: ProcessPoolExecutor | None = None

    def start_processes(self) -> None:
        """From now on analyse in processes of their own."""
        if self._pool is None and self._processes > 0:
            self._pool = ProcessPoolExecutor(self._processes, _Context(), _start_worker, self._names)
            # The models that served here until now are no longer needed here.
            self._here = Analyser(*self._names)

    def analyse(self, texts: Sequence[str]) -> Future[list[Analysis]]:
        if self._pool is not None:
            return self._pool.submit(_analyse, texts)
        return self._analysis_thread.submit(self._here.analyse, texts)

    def restart(self) -> None:
        """After a process died: go on without it until `start_processes`."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def encode(self, passages: Sequence[Passage]) -> Future[list[Encoded]]:
        return self._encoder_pool.submit(self.encoder.encode, passages)

    def close(self) -> None:
        self.restart()
        self._analysis_thread.shutdown(cancel_futures=True)
        self._encoder_pool.shutdown(cancel_futures=True)
