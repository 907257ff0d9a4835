"""What all tests share: the real default encoder, loaded once, and a place for data that a user need not have."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder, load_encoder

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "neo4j"))

import server  # noqa: E402

NO_NEO4J = pytest.StashKey[str]()
NEO4J_FIXTURES = {"neo4j_urls", "start_neo4j"}


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="session")
def reranker_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cross-encoder's folder: it knows some animals (`tiny_reranker.ANIMALS`) and nothing else."""
    # Not above: it loads torch, which most tests do without.
    from tiny_reranker import save_tiny_reranker

    return str(save_tiny_reranker(tmp_path_factory.mktemp("reranker")))


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


@pytest.fixture(scope="session")
def start_neo4j(pytestconfig: pytest.Config) -> Iterator[Callable[..., server.Servers]]:
    """`server.start`, which see. Where no server can be had the test is skipped, or fails if one is required.

    What a test does not close itself is closed at the end of the session.
    """
    with ExitStack() as opened:

        def start(*args: Any, **options: Any) -> server.Servers:
            try:
                return opened.enter_context(server.start(*args, **options))
            except server.NoNeo4j as error:
                if os.environ.get("KGMEM_REQUIRE_NEO4J") == "1" or os.environ.get(server.GIVEN):
                    pytest.fail(f"No Neo4j: {error}", pytrace=False)
                pytestconfig.stash[NO_NEO4J] = str(error)
                pytest.skip(f"no Neo4j: {error}")

        yield start


@pytest.fixture(scope="session")
def neo4j_urls(start_neo4j: Callable[..., server.Servers]) -> tuple[str, ...]:
    """Bolt addresses of a server without a password.

    All tests share it, so each begins by emptying it.
    """
    return start_neo4j(1).bolt_urls


def pytest_collection_finish(session: pytest.Session) -> None:
    """What may have to be fetched for Neo4j is fetched before the first test, since tests have a time limit."""
    names = {name for item in session.items for name in getattr(item, "fixturenames", ())}
    if names & NEO4J_FIXTURES and not session.config.option.collectonly:
        with suppress(server.NoNeo4j):
            server.prepare()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if reason := config.stash.get(NO_NEO4J, ""):
        terminalreporter.section("Neo4j", red=True, bold=True)
        terminalreporter.line(f"Neo4j tests were skipped: {reason}", red=True)
