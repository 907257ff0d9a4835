"""Connections to the one SQLite file: opening, settings, transactions, and errors in kgmem's words."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, cast

import apsw
import sqlite_vec  # type: ignore[import-untyped]

from kgmem import errors
from kgmem.resources import read_schema

APPLICATION_ID = 0x6B676D31
SCHEMA_VERSION = 1
BUSY_TIMEOUT_MS = 120_000
PAGE_SIZE = 32_768
_CACHE_KIB = 64 * 1024


class Cursor(Protocol):
    """The part of apsw's cursor that is used here, its rows untyped."""

    def __iter__(self) -> Iterator[Any]: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """The part of apsw's connection that the engine's parts use."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Cursor: ...
    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Cursor: ...


class Database:
    """The file, with one connection a thread for reading and one for writing, which a lock guards."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._local = threading.local()
        self._opened: list[apsw.Connection] = []
        self._lock = threading.RLock()
        self._closed = False
        if not read_only:
            self._create()
        else:
            self._check(self._reader())
        self._writer: apsw.Connection | None = None

    def reader(self) -> Connection:
        return cast(Connection, self._reader())

    def _reader(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
        return connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One write transaction: committed at the end, rolled back on any error. Waits for other writers."""
        if self.read_only:
            raise errors.StoreReadOnly(f"{self.path} was opened read-only; open it without mode=ro to write.")
        with self._lock, self.translated():
            if self._writer is None:
                self._writer = self._open()
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield cast(Connection, connection)
                connection.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite has rolled back by itself.
                with suppress(apsw.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One read transaction on this thread's connection; nested ones share the outermost."""
        connection = self._reader()
        if connection.in_transaction:
            yield
            return
        with self.translated():
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("COMMIT")

    def forget_deleted(self) -> None:
        """Empty the write-ahead log, so that deleted text is in no file. Readers in the way make it best effort."""
        with self._lock, suppress(apsw.Error):
            if self._writer is not None:
                self._writer.set_busy_timeout(1000)
                try:
                    self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                finally:
                    self._writer.set_busy_timeout(BUSY_TIMEOUT_MS)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for connection in self._opened:
                connection.close()
            self._opened.clear()
            self._writer = None
            self._local = threading.local()

    def _open(self) -> apsw.Connection:
        if self._closed:
            raise errors.StoreError(f"The store {self.path} has been closed.")
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else (apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        with self.translated():
            connection = apsw.Connection(str(self.path), flags=flags)
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            connection.enable_load_extension(True)
            connection.load_extension(sqlite_vec.loadable_path())
            connection.enable_load_extension(False)
            for name, value in (
                ("cache_size", -_CACHE_KIB),
                ("temp_store", "memory"),
                ("secure_delete", "on"),
                ("synchronous", "normal"),
                ("trusted_schema", "off"),
            ):
                connection.pragma(name, value)
        with self._lock:
            self._opened.append(connection)
        return connection

    def _create(self) -> None:
        if not self.path.parent.is_dir():
            raise errors.StoreError(f"The folder {self.path.parent} does not exist; make it, or name another store.")
        connection = self._reader()
        with self.translated():
            if connection.pragma("application_id") == APPLICATION_ID:
                self._check(connection)
                return
            connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
            self._enter_wal(connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                if connection.pragma("application_id") != APPLICATION_ID:
                    if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                        raise errors.StoreError(
                            f"{self.path} is a database of another program; name another file for the store."
                        )
                    connection.execute(read_schema("sqlite.sql"))
                    connection.pragma("application_id", APPLICATION_ID)
                    connection.pragma("user_version", SCHEMA_VERSION)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            self._check(connection)

    @staticmethod
    def _enter_wal(connection: apsw.Connection) -> None:
        # Changing the journal mode does not wait for the busy timeout.
        for attempt in range(200):
            try:
                connection.pragma("journal_mode", "wal")
            except apsw.BusyError:
                time.sleep(0.01 * min(attempt + 1, 20))
            else:
                return
        raise errors.StoreBusy("Another process held the new store file for too long; try again.")

    def _check(self, connection: apsw.Connection) -> None:
        with self.translated():
            if connection.pragma("application_id") != APPLICATION_ID:
                raise errors.StoreError(f"{self.path} is not a kgmem store; name another file.")
            version = connection.pragma("user_version")
            if version != SCHEMA_VERSION:
                raise errors.StoreError(
                    f"{self.path} has store version {version}, this kgmem reads version {SCHEMA_VERSION}; "
                    "use the kgmem that wrote it to export the data."
                )

    @contextmanager
    def translated(self) -> Iterator[None]:
        """SQLite's errors as kgmem's, each with what to do."""
        try:
            yield
        except apsw.FullError as error:
            raise errors.StoreFull(
                f"No space left for {self.path}; the write was undone. Free some space and run it again."
            ) from error
        except apsw.ReadOnlyError as error:
            raise errors.StoreReadOnly(
                f"{self.path} can't be written; check its permissions and its folder's."
            ) from error
        except (apsw.BusyError, apsw.LockedError) as error:
            raise errors.StoreBusy(
                f"{self.path} was held by other writers for {BUSY_TIMEOUT_MS // 1000} s; try again."
            ) from error
        except (apsw.NotADBError, apsw.CorruptError) as error:
            raise errors.StoreError(
                f"{self.path} is no SQLite database, or is damaged; name another file or restore a backup."
            ) from error
        except apsw.CantOpenError as error:
            raise errors.StoreError(
                f"{self.path} can't be opened; check that it is a file and its permissions."
            ) from error
        except apsw.IOError as error:
            raise errors.StoreError(f"Reading or writing {self.path} failed ({error}); check the disk.") from error
