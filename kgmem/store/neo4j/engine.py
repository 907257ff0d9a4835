"""The Neo4j engine: native vector and full-text indexes, and a graph that people read in Neo4j Browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict
from typing import ParamSpec, TypeVar

from kgmem import errors
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.neo4j import schema
from kgmem.store.neo4j.connection import open_database
from kgmem.store.neo4j.export import Exporter
from kgmem.store.neo4j.link import Linker
from kgmem.store.neo4j.stages import StageReader
from kgmem.store.neo4j.statements import statement
from kgmem.store.options import Neo4jOptions

P = ParamSpec("P")
T = TypeVar("T")

SCHEMA_VERSION = 1


class Neo4jStore(Linker, StageReader, Exporter):
    """One namespace of one Neo4j database; see `kgmem.store.contract.Store`.

    With a `fingerprint` the database must hold vectors of that encoder, or none
    yet: `EncoderMismatch` otherwise, and nothing is changed. Without one the
    store is open for what needs no encoder.
    """

    def __init__(
        self,
        url: str,
        namespace: str,
        fingerprint: EncoderFingerprint | None = None,
        options: Neo4jOptions = Neo4jOptions(),
        *,
        replacing: bool = False,
    ) -> None:
        """Open it. `replacing` is for whoever replaces all its data; see `kgmem.reindex`."""
        self.namespace = namespace
        self._options = options
        self._fingerprint = None
        self._replacing = replacing
        self.db = open_database(url, options)
        self._closed = False
        try:
            self.db.verify()
            self._check_state()
            found = self._encoder()
            schema.prepare(self.db, dimension=found.dimension if found else None, options=options)
            if fingerprint is not None:
                self.adopt(fingerprint)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.db.close()

    def fingerprint(self) -> EncoderFingerprint | None:
        return self._encoder()

    def namespaces(self) -> list[str]:
        names: list[str] = self.db.read("namespaces")[0][0]
        return names

    def bookmarks(self) -> list[str]:
        return self.db.bookmarks()

    def follow(self, bookmarks: Sequence[str]) -> None:
        if bookmarks:
            self.db.follow(bookmarks)

    def ahead(self, reading: Callable[P, T], *args: P.args, **values: P.kwargs) -> Future[T]:
        return self.db.threads.submit(reading, *args, **values)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Neo4j reads what is committed at each moment. A handle never comes to mean something else."""
        yield

    def adopt(self, fingerprint: EncoderFingerprint) -> None:
        if self._encoder() is None:
            values = asdict(fingerprint) | {"version": SCHEMA_VERSION}
            # Another process may have been first.
            self._fingerprint = EncoderFingerprint(*self.db.write(lambda tx: tx.rows("adopt_encoder", **values))[0])
            schema.prepare(self.db, dimension=self._fingerprint.dimension, options=self._options)
        if self._fingerprint != fingerprint:
            raise errors.EncoderMismatch(
                f"{self.db.where} was encoded with {self._fingerprint}, but the encoder is {fingerprint}; "
                "choose that encoder again, or run `kgmem reindex` to encode everything anew."
            )

    def _check_state(self) -> None:
        rows = self.db.read("store_version")
        version, replaced_by = rows[0] if rows else (None, None)
        if version not in (None, SCHEMA_VERSION):
            raise errors.StoreError(
                f"{self.db.where} has store version {version}, this kgmem reads version {SCHEMA_VERSION}; "
                "use the kgmem that wrote it to copy the data."
            )
        if replaced_by and not self._replacing:
            raise errors.StoreBusy(
                f"{self.db.where} is being filled from {replaced_by}; wait for it, or, if that was interrupted, run "
                "`kgmem reindex` again where that file is."
            )

    # Replacing all data. Who else has the store open finds it empty meanwhile.

    def writes(self) -> list[tuple[str, int]]:
        """How often each namespace has been written to."""
        return [(name, count) for name, count in self.db.read("namespace_writes")[0][0]]

    def replaced_by(self) -> str | None:
        """The file by whose data this store's are being replaced."""
        rows = self.db.read("store_version")
        return rows[0][1] if rows else None

    def begin_replacing(self, path: str, writes: Sequence[tuple[str, int]]) -> None:
        """Let nobody open the store any more. Raises `StoreError` if it was written to since `writes` were read."""
        listed = [list(pair) for pair in writes]
        if not self.db.write(lambda tx: tx.rows("begin_replacing", path=path, writes=listed)):
            raise errors.StoreError(
                f"{self.db.where} was written to meanwhile; run it again while nothing else writes."
            )

    def empty(self) -> None:
        # What has few edges first: an entity that everything names has too many for one transaction.
        for label in ("Sentence", "Chunk", "Fact", "Text", "Source", "Entity"):
            self.db.define(statement("empty_store"), label=label)
        self.db.write(lambda tx: tx.run("forget_encoder"))
        self._fingerprint = None

    def end_replacing(self) -> None:
        self.db.write(lambda tx: tx.run("end_replacing"))
