"""The engines that the conformance suite runs over. A new engine is a class here and an entry in ENGINES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from build import FP

from kgmem.store import open_store
from kgmem.store.contract import EncoderFingerprint, Store


class SQLiteEngine:
    """A fresh file; everything the engine keeps lies in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "engine"
        self.folder.mkdir()
        self.path = self.folder / "store.db"
        self.url = f"sqlite:///{self.path}"
        self._opened: list[Store] = []

    def open(self, namespace: str = "default", fingerprint: EncoderFingerprint | None = FP) -> Store:
        store = open_store(self.url, namespace, fingerprint)
        self._opened.append(store)
        return store

    def raw_bytes(self) -> bytes:
        """All that is on disk, whatever files there are."""
        return b"\0".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file())

    def close(self) -> None:
        for store in self._opened:
            store.close()


ENGINES = [SQLiteEngine]
Engine = SQLiteEngine


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.__name__)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = request.param(tmp_path)
    yield made
    made.close()


@pytest.fixture
def another(
    request: pytest.FixtureRequest, engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """A second, empty place of the same engine, to compare with."""
    made = type(engine)(tmp_path_factory.mktemp("another"))
    yield made
    made.close()


@pytest.fixture
def store(engine: Engine) -> Store:
    return engine.open()
