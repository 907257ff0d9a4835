"""What all tests share: the real default encoder, loaded once, and a place for data that a user need not have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder, load_encoder

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture
def kg(tmp_path: Path, encoder: Encoder) -> Iterator[Kgmem]:
    """An open, empty store; analysis stays in this process."""
    with Kgmem(store=f"sqlite:///{tmp_path / 'kg.db'}", encoder=encoder, processes=0, encoder_threads=1) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared() -> Path:
    """Benchmark sets and sample files that are not part of the project."""
    path = Path(os.environ.get("KGMEM_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        pytest.skip(f"no test data of others at {path}; set KGMEM_SHARED to use some")
    return path
