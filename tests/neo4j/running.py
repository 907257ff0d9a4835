"""What is common to all ways of having a Neo4j: the servers that run, and why there are none."""

from __future__ import annotations

import socket
from types import TracebackType
from typing import Self


class NoNeo4j(Exception):
    """No server can be had here; says in one sentence what is missing."""


class Servers:
    """Servers that answer. This class is for those that someone else started; others know how to stop theirs."""

    def __init__(self, bolt_urls: tuple[str, ...], http_urls: tuple[str, ...] = ()) -> None:
        self.bolt_urls = bolt_urls
        self.http_urls = http_urls

    def close(self) -> None:
        """Stop them, so that what they hold is whole; once more does nothing."""

    def kill(self) -> None:
        """Let them crash."""
        raise NotImplementedError("these servers were started by someone else")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def free_port() -> int:
    """A port that nothing listens on now. For servers that must come back under the same address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
