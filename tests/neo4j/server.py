"""Starts Neo4j servers for tests, and one to look around in: `python tests/neo4j/server.py`.

Where from, the first that there is: addresses in `KGMEM_TEST_NEO4J`, a Docker engine, or a JDK and Maven.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import containers
import jvm
from jars import CACHE
from running import NoNeo4j, Servers, free_port, listens

__all__ = ["NoNeo4j", "Servers", "free_port", "listens", "prepare", "start"]

GIVEN = "KGMEM_TEST_NEO4J"
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
START_SECONDS = 180


def start(
    count: int = 2,
    *,
    password: str | None = None,
    config: Mapping[str, str] | None = None,
    folder: Path | str | None = None,
    port: int = 0,
    http_port: int = 0,
    seconds: float = START_SECONDS,
) -> Servers:
    """`count` empty servers; from the environment it may be fewer. Close them, or use them in a `with`.

    - `password`: of the user neo4j; without one nobody is asked for any.
    - `config`: settings of Neo4j by their names, such as `db.memory.transaction.max`.
    - `folder`: where they keep their data, and find them when they are started there again; else they leave nothing.
    - `port`, `http_port`: for one server alone; else free ones.

    With any of these the addresses of the environment don't count. Raises `NoNeo4j` where something is missing, and
    `RuntimeError` with the last lines that were said where a server does not start.
    """
    if (port or http_port) and count != 1:
        raise ValueError("a port can be given for one server alone")
    if not (password or config or folder or port or http_port) and (given := _given()):
        return Servers(given[:count])
    kind = containers.DockerServers if containers.docker_answers() else jvm.JvmServers
    return kind(
        count,
        password=password,
        config=config or {},
        folder=Path(folder) if folder else None,
        port=port,
        http_port=http_port,
        seconds=seconds,
    )


def prepare() -> None:
    """Do beforehand what may take minutes, as it loads the image or the jars. Raises `NoNeo4j`."""
    if not _given():
        (containers if containers.docker_answers() else jvm).prepare()


def _given() -> tuple[str, ...]:
    given = tuple(os.environ.get(GIVEN, "").split())
    for url in given:
        if urlsplit(url).scheme not in SCHEMES:
            raise NoNeo4j(f"{GIVEN} holds {url!r}, which does not begin with bolt:// or neo4j://.")
    return given


def main() -> None:
    data, bolt, http = CACHE / "data", 7687, 7474
    for port in (bolt, http):
        if listens(port):
            sys.exit(f"Something listens on 127.0.0.1:{port} already; stop it first.")
    try:
        print("Starting Neo4j (the first time it is fetched, some 170 MB) ...", flush=True)
        with start(1, folder=data, port=bolt, http_port=http) as servers:
            print(f"Browser  {servers.http_urls[0]}/browser/", flush=True)
            print(f"Bolt     {servers.bolt_urls[0]}", flush=True)
            print(f"No password; the data stay in {data}. Stop it with Ctrl+C.", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print()
    except (NoNeo4j, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
