"""The engines that the conformance suite runs over. A new engine is a class here and an entry in ENGINES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from build import FP

from kgmem.store import open_store
from kgmem.store.contract import EncoderFingerprint, Store


class Engine:
    """An empty place, and the stores opened in it."""

    url: str
    one_state = True
    """Whether all reads within a snapshot see the same state."""

    def __init__(self) -> None:
        self._opened: list[Store] = []

    def open(self, namespace: str = "default", fingerprint: EncoderFingerprint | None = FP) -> Store:
        store = open_store(self.url, namespace, fingerprint)
        self._opened.append(store)
        return store

    def raw_bytes(self) -> bytes:
        """All that is kept there, in whatever form."""
        raise NotImplementedError

    def close(self) -> None:
        for store in self._opened:
            store.close()


class SQLiteEngine(Engine):
    """A fresh file; everything the engine keeps lies in its folder."""

    def __init__(self, folder: Path, request: pytest.FixtureRequest) -> None:
        super().__init__()
        self.folder = folder / "engine"
        self.folder.mkdir()
        self.path = self.folder / "store.db"
        self.url = f"sqlite:///{self.path}"

    def raw_bytes(self) -> bytes:
        """All that is on disk, whatever files there are."""
        return b"\0".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file())


class Neo4jEngine(Engine):
    """The tests' server, emptied."""

    one_state = False

    def __init__(self, folder: Path, request: pytest.FixtureRequest) -> None:
        super().__init__()
        self.url = request.getfixturevalue("neo4j_urls")[0]
        self.driver = neo4j.GraphDatabase.driver(self.url, notifications_min_severity="OFF")
        self.query("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")

    def query(self, text: str, **values: object) -> list[list[object]]:
        with self.driver.session() as session:
            return session.run(text, values).values()

    def raw_bytes(self) -> bytes:
        """Every property of every node and relationship."""
        nodes = self.query("MATCH (n) RETURN labels(n), properties(n)")
        relations = self.query("MATCH ()-[r]->() RETURN type(r), properties(r)")
        return repr(nodes + relations).encode()

    def close(self) -> None:
        super().close()
        self.driver.close()


ENGINES = [SQLiteEngine, Neo4jEngine]


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = request.param(tmp_path, request)
    yield made
    made.close()


@pytest.fixture
def another(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A second, empty place to compare with: always a file, so that the engines are compared with each other too."""
    made = SQLiteEngine(tmp_path_factory.mktemp("another"), request)
    yield made
    made.close()


@pytest.fixture
def store(engine: Engine) -> Store:
    return engine.open()
