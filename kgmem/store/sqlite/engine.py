"""The embedded engine: one SQLite file with FTS5 for words and sqlite-vec for vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ParamSpec, TypeVar

from kgmem import errors
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.sqlite.base import read_fingerprint
from kgmem.store.sqlite.connection import Database, in_our_words
from kgmem.store.sqlite.export import Exporter
from kgmem.store.sqlite.link import Linker
from kgmem.store.sqlite.search import Searcher
from kgmem.store.sqlite.write import Writer
from kgmem.store.stages import Stages

P = ParamSpec("P")
T = TypeVar("T")

_FIELDS = ("model", "weights", "dimension", "normalised")
_VECTORS_TOGETHER = 128
"""Vectors in a block. A namespace takes whole blocks, so many small ones want it low; a scan is as fast from 128 on."""


@in_our_words
class SQLiteStore(Writer, Linker, Searcher, Exporter, Stages):
    """One namespace of one file; see `kgmem.store.contract.Store`.

    With a `fingerprint` the file must hold vectors of that encoder, or none yet:
    `EncoderMismatch` otherwise, and nothing is changed. Without one the store
    is open for what needs no encoder.
    """

    def __init__(
        self, path: Path, namespace: str, fingerprint: EncoderFingerprint | None = None, *, read_only: bool = False
    ) -> None:
        self.namespace = namespace
        self.db = Database(path, read_only=read_only)
        try:
            with self.db.translated():
                self._fingerprint = read_fingerprint(self.db.reader())
                if fingerprint is not None:
                    self.adopt(fingerprint)
        except BaseException:
            self.db.close()
            raise

    def close(self) -> None:
        self.db.close()

    def fingerprint(self) -> EncoderFingerprint | None:
        return self._encoder(self.db.reader())

    def namespaces(self) -> list[str]:
        return [name for (name,) in self.db.reader().execute("SELECT name FROM namespace ORDER BY name")]

    def bookmarks(self) -> list[str]:
        return []

    def follow(self, bookmarks: Sequence[str]) -> None:
        """Whatever has been committed to a file is seen by whoever reads it next."""

    def ahead(self, reading: Callable[P, T], *args: P.args, **values: P.kwargs) -> Future[T]:
        """Read at once: another thread would have another connection and another snapshot."""
        done: Future[T] = Future()
        done.set_result(reading(*args, **values))
        return done

    def snapshot(self) -> AbstractContextManager[None]:
        return self.db.snapshot()

    def adopt(self, fingerprint: EncoderFingerprint) -> None:
        if self._fingerprint is None and not self.db.read_only:
            with self.db.write() as c:
                # Another process may have been first.
                self._fingerprint = read_fingerprint(c)
                if self._fingerprint is None:
                    c.execute(
                        "CREATE VIRTUAL TABLE vector USING vec0 (namespace INTEGER PARTITION KEY, "
                        f"embedding FLOAT[{int(fingerprint.dimension)}] DISTANCE_METRIC=cosine, "
                        f"chunk_size={_VECTORS_TOGETHER})"
                    )
                    c.executemany(
                        "INSERT INTO meta VALUES (?,?)",
                        ((f"encoder.{f}", str(getattr(fingerprint, f))) for f in _FIELDS),
                    )
                    self._fingerprint = fingerprint
        if self._fingerprint not in (None, fingerprint):
            raise errors.EncoderMismatch(
                f"{self.db.path} was encoded with {self._fingerprint}, but the encoder is {fingerprint}; "
                "choose that encoder again, or run `kgmem reindex` to encode everything anew."
            )
