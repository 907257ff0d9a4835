"""One Neo4j server, cluster or Aura database: the driver, its sessions, and its errors in kgmem's words.

Reads are single statements that are tried again where the server says that this
helps. A write is one managed transaction: all of it or nothing, tried again by
the driver after a deadlock, a restart or a change of leader. What has been
written through one driver is seen by every later read through it, whichever
member of a cluster answers (bookmarks).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import neo4j
from neo4j import exceptions as neo4j_errors

from kgmem import errors
from kgmem.model import Filter
from kgmem.store.neo4j.statements import filter_parameters, statement
from kgmem.store.options import Neo4jOptions

OLDEST = (2026, 1)
_RETRY_SECONDS = 30.0
_READ_TRIES = 5
_CLOSING_SECONDS = 10.0
_THREADS = 8
"""Readings that may run beside their callers' own."""
NO_FILTER = Filter()

T = TypeVar("T")
Row = list[Any]


class Transaction:
    """A write transaction, by the names of statements."""

    def __init__(self, tx: neo4j.ManagedTransaction) -> None:
        self._tx = tx

    def rows(self, name: str, **values: Any) -> list[Row]:
        """Run `cypher/<name>.cypher`; its rows."""
        return self._tx.run(statement(name), values).values()

    def run(self, name: str, **values: Any) -> None:
        self._tx.run(statement(name), values).consume()

    def run_rows(self, name: str, rows: list[Any], size: int = 500) -> None:
        """Run a statement over `$rows`, so many at once."""
        for i in range(0, len(rows), size):
            self.run(name, rows=rows[i : i + size])


class Database:
    """A driver that is open. Methods may be called from any thread."""

    def __init__(self, url: str, options: Neo4jOptions) -> None:
        parts = urlsplit(url)
        if parts.username or parts.password or parts.path.strip("/") or parts.query or not parts.hostname:
            raise errors.UsageError(
                "A Neo4j store URL is a scheme, a host and a port, such as neo4j://localhost:7687; the user, the "
                "password and the database are the settings neo4j_user, neo4j_password and neo4j_database."
            )
        self.where = f"Neo4j at {parts.hostname}:{parts.port or 7687}"
        self._url = url
        self._options = options
        self._database = options.database or None
        self._driver = _driver(url, options)
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        self.threads = ThreadPoolExecutor(_THREADS, "kgmem-neo4j")
        self._users = 0
        self._working = 0
        self._changed = threading.Condition()
        self._closed = False

    def close(self) -> None:
        """Let go of it. When nobody has it open any more it waits for what is running and closes the connections."""
        with _opening:
            self._users -= 1
            if self._users > 0:
                return
            _opened.pop((self._url, self._options), None)
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._working == 0, _CLOSING_SECONDS)
        self.threads.shutdown(wait=False, cancel_futures=True)
        self._driver.close()

    def verify(self) -> None:
        """Raises `StoreError` where the server can't be reached, doesn't let us in, or is too old."""
        version = self.read("server_version")[0][0]
        numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2] if part.isdigit())
        if numbers < OLDEST:
            raise errors.StoreError(
                f"{self.where} is version {version}; kgmem needs {OLDEST[0]}.{OLDEST[1]:02} or newer, "
                "for filtered searches in its vector index."
            )

    def bookmarks(self) -> list[str]:
        """What a reader elsewhere must have seen to see all that was written and read here."""
        return sorted(self._bookmarks.get_bookmarks())

    def follow(self, bookmarks: Sequence[str]) -> None:
        """Wait for these and let every later read wait for them. Raises `UsageError` for what is no bookmark here."""
        try:
            with (
                self.translated(),
                # Not before the server has taken them are they everyone's: what is no bookmark would fail every read.
                self._driver.session(
                    database=self._database, bookmarks=neo4j.Bookmarks.from_raw_values(bookmarks)
                ) as session,
            ):
                session.run(statement("server_version")).consume()
        except errors.StoreError as error:
            if "Bookmark" in getattr(error.__cause__, "code", ""):
                raise errors.UsageError(
                    f"The bookmark is none of {self.where}; give one as it came, or none."
                ) from error
            raise
        self._bookmarks.update_bookmarks((), bookmarks)

    def read(self, name: str, where: Filter = NO_FILTER, **values: Any) -> list[Row]:
        """The rows of `cypher/<name>.cypher`."""
        text = statement(name, filtered=bool(where))
        if where:
            values |= filter_parameters(where)
        with self.translated():
            for attempt in range(1, _READ_TRIES + 1):
                try:
                    with self._session(neo4j.READ_ACCESS) as session:
                        return session.run(text, values).values()
                except (neo4j_errors.DriverError, neo4j_errors.Neo4jError) as error:
                    if attempt == _READ_TRIES or not error.is_retryable():
                        raise
                    time.sleep(0.05 * 2**attempt)
        raise AssertionError

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and commit. It may be called again after an error: it must keep no state."""

        def run(tx: neo4j.ManagedTransaction) -> T:
            try:
                return work(Transaction(tx))
            except neo4j_errors.Neo4jError as error:
                if _too_large(error):
                    # The server calls this transient, but the same transaction will not fit the next time.
                    raise self._too_large() from error
                raise

        with self.translated(), self._session(neo4j.WRITE_ACCESS) as session:
            return session.execute_write(run)

    def define(self, text: str, **values: Any) -> None:
        """Run a statement that changes the schema. Raises the driver's errors."""
        with self._session(neo4j.WRITE_ACCESS) as session:
            session.run(text, values).consume()

    @contextmanager
    def _session(self, access: str) -> Iterator[neo4j.Session]:
        with self._changed:
            if self._closed:
                raise errors.StoreError(f"The store on {self.where} has been closed.")
            self._working += 1
        try:
            with self._driver.session(
                database=self._database, default_access_mode=access, bookmark_manager=self._bookmarks
            ) as session:
                yield session
        finally:
            with self._changed:
                self._working -= 1
                if self._closed:
                    self._changed.notify_all()

    def _too_large(self) -> errors.StoreError:
        return errors.StoreTooLarge(
            f"{self.where} has not the memory for this transaction, and nothing of it was written; raise "
            "db.memory.transaction.max or the server's heap, or split the document."
        )

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Neo4j's errors as kgmem's, each with what to do."""
        try:
            yield
        except neo4j_errors.AuthError as error:
            user = f"user {self._options.user!r}" if self._options.password else "a user without a password"
            raise errors.StoreError(
                f"{self.where} does not let {user} in; check the settings neo4j_user and neo4j_password."
            ) from error
        except neo4j_errors.Neo4jError as error:
            raise self._said_by_server(error) from error
        except (neo4j_errors.ServiceUnavailable, neo4j_errors.SessionExpired, OSError) as error:
            raise errors.StoreUnavailable(
                f"{self.where} can't be reached; check the address and that the server runs."
            ) from error
        except UnicodeEncodeError as error:
            raise errors.UsageError(
                f"{error.object[error.start : error.end]!r} is half of a surrogate pair and no text; leave it out."
            ) from error
        except neo4j_errors.DriverError as error:
            raise errors.StoreError(f"{self.where} could not be used: {error}.") from error

    def _said_by_server(self, error: neo4j_errors.Neo4jError) -> errors.StoreError:
        code = error.code or ""
        if _too_large(error):
            return self._too_large()
        if "NotALeader" in code or "ReadOnly" in code or "AccessMode" in code or "WriteOnReadOnly" in code:
            return errors.StoreReadOnly(
                f"{self.where} takes no writes: it is a read-only database or a replica; "
                "use the neo4j:// address of the cluster, or one that may be written to."
            )
        if "DatabaseNotFound" in code or "DatabaseUnavailable" in code:
            name = f"database {self._options.database!r}" if self._options.database else "user's home database"
            return errors.StoreError(f"The {name} of {self.where} is not running; check the setting neo4j_database.")
        if "Security" in code:
            return errors.StoreError(
                f"{self.where} does not allow this to user {self._options.user!r}; give the user rights to read, write "
                "and create indexes."
            )
        if error.is_retryable():
            return errors.StoreBusy(f"{self.where} was too busy for {_RETRY_SECONDS:.0f} s ({code}); try again.")
        return errors.StoreError(f"{self.where} refused a statement: {error.message} ({code}).")


_opening = threading.Lock()
_opened: dict[tuple[str, Neo4jOptions], Database] = {}


def open_database(url: str, options: Neo4jOptions) -> Database:
    """The database, shared by all who open it in this process: one pool of connections, one view of what is written."""
    with _opening:
        database = _opened.get((url, options))
        if database is None:
            database = _opened[url, options] = Database(url, options)
        database._users += 1
        return database


def _too_large(error: neo4j_errors.Neo4jError) -> bool:
    return "OutOfMemory" in (error.code or "") or "MemoryLimit" in (error.code or "")


def _driver(url: str, options: Neo4jOptions) -> neo4j.Driver:
    try:
        return neo4j.GraphDatabase.driver(
            url,
            auth=(options.user, options.password) if options.password else None,
            user_agent="kgmem",
            max_transaction_retry_time=_RETRY_SECONDS,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
    except (neo4j_errors.ConfigurationError, ValueError) as error:
        raise errors.UsageError(f"The store URL can't be used: {error}.") from None
