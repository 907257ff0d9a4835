"""The live servers that tests of the API ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_help import Live, live_server


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """For tests that add nothing that others would notice."""
    with live_server(tmp_path_factory.mktemp("live")) as server:
        yield server


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Live]:
    """A server that a test has to itself."""
    with live_server(tmp_path) as server:
        yield server
