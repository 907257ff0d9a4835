"""Connections to the one SQLite file: opening, settings, transactions, and errors in kgmem's words."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from inspect import isfunction, isgeneratorfunction
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

import apsw
import sqlite_vec  # type: ignore[import-untyped]

from kgmem import errors
from kgmem.resources import read_schema
from kgmem.store.codec import fold
from kgmem.store.sqlite.gaps import overwrite_gaps

APPLICATION_ID = 0x6B676D31
SCHEMA_VERSION = 1
BUSY_TIMEOUT_MS = 120_000
PAGE_SIZE = 32_768
_CACHE_KIB = 32 * 1024
_PATIENCE_MS = 1000
"""How long it waits for readers of older states before it leaves deleted text to be overwritten later."""
_ATTEMPTS = 3
"""How often the log is emptied anew because others wrote to it before the file could be overwritten."""
_LEFTOVERS = "leftovers"
"""The row of `meta` that is there from a deletion until nothing of it is left in the file, whoever sees to that."""


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
        # Threads that read later must find the same file, wherever the process has gone.
        self._absolute = os.path.abspath(path)
        self._file: tuple[int, int] | None = None
        self._local = threading.local()
        # Weak: the connection of a thread that has ended is closed with it.
        self._opened: WeakSet[apsw.Connection] = WeakSet()
        self._lock = threading.RLock()
        self._opening = threading.Lock()
        self._closed = False
        self._writer: apsw.Connection | None = None
        self._leftovers = False
        try:
            if read_only:
                self._check(self._reader())
            else:
                self._create()
            self._file = self._identity()
        except BaseException:
            self.close()
            raise

    def reader(self) -> Connection:
        return cast(Connection, self._reader())

    def is_writer(self, connection: Connection) -> bool:
        return connection is self._writer

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
            connection = self._own_writer()
            connection.execute("BEGIN IMMEDIATE")
            try:
                # Whoever held the file before may have put another in its place.
                self._check_identity()
                yield cast(Connection, connection)
                leftovers = _has_leftovers(connection)
                connection.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite has rolled back by itself.
                with suppress(apsw.Error):
                    connection.execute("ROLLBACK")
                raise
            self._leftovers = leftovers
            self._overwrite()

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
                # After some errors, and when the store has been closed meanwhile, it has ended by itself.
                with suppress(apsw.Error):
                    connection.execute("COMMIT")
        if self._leftovers and self._lock.acquire(blocking=False):
            try:
                self._overwrite()
            finally:
                self._lock.release()

    def mark_leftovers(self, connection: Connection) -> None:
        """To be called in a write that deletes, so that what it leaves in the files is overwritten after it."""
        connection.execute("INSERT OR IGNORE INTO meta VALUES (?,'1')", (_LEFTOVERS,))

    def forget_deleted(self) -> None:
        """Wait a moment for readers of older states, so that deleted text is in no file afterwards.

        Where one is in the way for longer, it is overwritten after the next write, of whichever process, or after this
        one's next snapshot, or on closing.
        """
        with self._lock:
            self._overwrite(0 if self._reader().in_transaction else _PATIENCE_MS)

    def _overwrite(self, patience_ms: int = 0) -> None:
        """Empty the write-ahead log and zero what deleted rows have left in the file, if anything has."""
        if not self._leftovers or self.read_only:
            return
        with suppress(apsw.Error, errors.StoreError):
            writer = self._own_writer()
            if writer.in_transaction:
                return
            writer.set_busy_timeout(patience_ms)
            try:
                for _ in range(_ATTEMPTS):
                    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                    if self._overwrite_alone(writer):
                        self._leftovers = False
                        break
            finally:
                writer.set_busy_timeout(BUSY_TIMEOUT_MS)

    def _overwrite_alone(self, writer: apsw.Connection) -> bool:
        """The part of `_overwrite` that keeps other writers out; False if one of them was faster."""
        reader = self._reader()
        # Pages that the writer remembers would bring back what is overwritten in the file.
        writer.execute("PRAGMA shrink_memory")
        writer.execute("BEGIN IMMEDIATE")
        try:
            self._check_identity()
            reader.pragma("data_version")  # reads the file, without which a checkpoint says nothing
            alone = reader.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE) == (0, 0)
            if alone:
                overwrite_gaps(self._absolute)
                # Being a write, this makes all other connections forget their pages too.
                writer.execute("DELETE FROM meta WHERE key = ?", (_LEFTOVERS,))
            writer.execute("COMMIT")
        except BaseException:
            with suppress(apsw.Error):
                writer.execute("ROLLBACK")
            raise
        return alone

    def _own_writer(self) -> apsw.Connection:
        if self._writer is None:
            self._writer = self._open()
        return self._writer

    def close(self) -> None:
        """Waits for a write to end. A thread that is reading gets `StoreError`."""
        with self._lock:
            self._overwrite()
            with self._opening:
                self._closed = True
            for connection in list(self._opened):
                # One that is in use in another thread closes when that thread lets go of it.
                with suppress(apsw.ThreadingViolationError):
                    connection.close()
            self._writer = None
            self._local = threading.local()

    def give_place(self, other: Path) -> None:
        """Put `other`, a closed store, in this file's place. To be called within `write`, so that nobody else writes.

        Raises `StoreBusy` where a reader keeps the write-ahead log from being emptied.
        """
        with self.translated():
            logged, copied = self._reader().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if logged != copied:
            raise errors.StoreBusy(f"{self.path} is being read by another program; end that one and try again.")
        for ending in ("-wal", "-shm"):
            # A log that stayed would be taken for the new file's.
            with suppress(FileNotFoundError):
                os.remove(f"{self._absolute}{ending}")
        os.replace(other, self._absolute)

    def _check_identity(self) -> None:
        if self._file is not None and self._file != self._identity():
            raise errors.StoreError(f"Another file has taken the place of {self.path}; open the store again.")

    def _identity(self) -> tuple[int, int]:
        try:
            found = os.stat(self._absolute)
        except OSError as error:
            raise errors.StoreError(f"The store {self.path} has gone ({error.strerror}).") from error
        return found.st_dev, found.st_ino

    def _open(self, *, create: bool = False) -> apsw.Connection:
        if self._closed:
            raise errors.StoreError(f"The store {self.path} has been closed.")
        self._check_identity()
        if os.path.isdir(self._absolute):
            raise errors.StoreError(f"{self.path} can't be opened; it is a folder.")
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE
        with self.translated():
            connection = apsw.Connection(self._absolute, flags=flags | (apsw.SQLITE_OPEN_CREATE if create else 0))
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
            connection.create_scalar_function("kgmem_fold", cast(Any, fold), 1, deterministic=True)
        with self._opening:
            if self._closed:
                connection.close()
                raise errors.StoreError(f"The store {self.path} has been closed.")
            self._opened.add(connection)
        return connection

    def _create(self) -> None:
        if not self.path.parent.is_dir():
            raise errors.StoreError(f"The folder {self.path.parent} does not exist; make it, or name another store.")
        connection = self._local.connection = self._open(create=True)
        with self.translated():
            if not self._is_made(connection):
                connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
                self._enter_wal(connection)
                connection.execute("BEGIN IMMEDIATE")
                try:
                    # Another process may have been first.
                    if connection.pragma("application_id") != APPLICATION_ID:
                        connection.execute(read_schema("sqlite.sql"))
                        connection.pragma("application_id", APPLICATION_ID)
                        connection.pragma("user_version", SCHEMA_VERSION)
                    connection.execute("COMMIT")
                except BaseException:
                    with suppress(apsw.Error):
                        connection.execute("ROLLBACK")
                    raise
            self._check(connection)
            # Of a process that was killed, or that a reader was in the way of.
            self._leftovers = _has_leftovers(connection)

    def _is_made(self, connection: apsw.Connection) -> bool:
        """Whether the file holds a store; a new file holds nothing. Another program's file is not touched."""
        with self.snapshot():
            application = connection.pragma("application_id")
            if application == APPLICATION_ID:
                return True
            if application or connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                raise errors.StoreError(
                    f"{self.path} is a database of another program; name another file for the store."
                )
            return False

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
                f"{self.path} can't be written; check its permissions, its folder's, and its -wal and -shm files'."
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
        except UnicodeEncodeError as error:
            raise errors.UsageError(
                f"{error.object[error.start : error.end]!r} is half of a surrogate pair and no text; leave it out."
            ) from error
        except (apsw.ConnectionClosedError, apsw.CursorClosedError) as error:
            raise errors.StoreError(f"The store {self.path} has been closed.") from error


def _has_leftovers(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM meta WHERE key = ?", (_LEFTOVERS,)).fetchone() is not None


Engine = TypeVar("Engine")


def in_our_words(engine: type[Engine]) -> type[Engine]:
    """Let every public method of an engine raise SQLite's errors as kgmem's."""

    def translated(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def run(self: Any, *args: Any, **values: Any) -> Any:
            with self.db.translated():
                return method(self, *args, **values)

        return run

    for base in reversed(engine.__mro__):
        for name, method in list(vars(base).items()):
            if isfunction(method) and not name.startswith("_") and not isgeneratorfunction(method):
                setattr(engine, name, translated(method))
    return engine
