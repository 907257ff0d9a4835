"""The Neo4j engine: native vector and full-text indexes, and a graph that people read in Neo4j Browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from kgmem import errors
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.neo4j import schema
from kgmem.store.neo4j.connection import open_database
from kgmem.store.neo4j.export import Exporter
from kgmem.store.neo4j.link import Linker
from kgmem.store.neo4j.search import Searcher
from kgmem.store.options import Neo4jOptions

SCHEMA_VERSION = 1


class Neo4jStore(Linker, Searcher, Exporter):
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
    ) -> None:
        self.namespace = namespace
        self._options = options
        self._fingerprint = None
        self.db = open_database(url, options)
        self._closed = False
        try:
            self.db.verify()
            self._check_version()
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

    def _check_version(self) -> None:
        rows = self.db.read("store_version")
        if rows and rows[0][0] not in (None, SCHEMA_VERSION):
            raise errors.StoreError(
                f"{self.db.where} has store version {rows[0][0]}, this kgmem reads version {SCHEMA_VERSION}; "
                "use the kgmem that wrote it to copy the data."
            )
