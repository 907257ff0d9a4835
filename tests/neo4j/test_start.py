"""The servers that the tests run on: they start, say why they can't, come back, and go when they should."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import containers
import neo4j
import pytest
import server

HERE = Path(__file__).parent
KILLED = """
import sys, time
sys.path.insert(0, sys.argv[1])
import server
servers = server.start(1)
print(servers.pid, servers._folder, flush=True)
time.sleep(600)
"""

needs_java = pytest.mark.skipif(containers.docker_answers(), reason="these servers run in Docker")


def query(url: str, cypher: str, auth: tuple[str, str] | None = None) -> list[list[object]]:
    with neo4j.GraphDatabase.driver(url, auth=auth) as driver:
        return [record.values() for record in driver.execute_query(cypher).records]


def test_servers_answer_and_are_new_enough(neo4j_urls: tuple[str, ...]) -> None:
    assert neo4j_urls
    for url in neo4j_urls:
        found = query(url, "CALL dbms.components() YIELD name, versions WHERE name <> 'Cypher' RETURN versions[0]")
        year, month = str(found[0][0]).split(".")[:2]
        assert (int(year), int(month)) >= (2026, 1)


def test_two_servers_are_two_stores(start_neo4j: Callable[..., server.Servers]) -> None:
    with start_neo4j(2, config={"db.memory.transaction.max": "64m"}) as servers:
        one, two = servers.bolt_urls
        query(one, "CREATE (:OnlyHere)")
        assert query(one, "MATCH (n:OnlyHere) RETURN count(n)") == [[1]]
        assert query(two, "MATCH (n:OnlyHere) RETURN count(n)") == [[0]]


@pytest.mark.slow
def test_password_settings_and_a_restart_after_a_crash(
    start_neo4j: Callable[..., server.Servers], tmp_path: Path
) -> None:
    port = server.free_port()
    auth = ("neo4j", "x1")
    limit = {"db.memory.transaction.max": "16m"}
    crashed = start_neo4j(1, folder=tmp_path / "n", port=port, password="x1", config=limit)
    assert crashed.bolt_urls == (f"bolt://127.0.0.1:{port}",)
    query(crashed.bolt_urls[0], "CREATE (:Kept)", auth)
    with pytest.raises(neo4j.exceptions.AuthError):
        query(crashed.bolt_urls[0], "RETURN 1", ("neo4j", "wrong"))
    assert query(crashed.bolt_urls[0], "SHOW SETTINGS 'db.memory.transaction.max' YIELD value", auth) == [["16.00MiB"]]
    crashed.kill()
    with start_neo4j(1, folder=tmp_path / "n", port=port, password="x1") as again:
        assert again.bolt_urls == crashed.bolt_urls
        assert query(again.bolt_urls[0], "MATCH (n:Kept) RETURN count(n)", auth) == [[1]]
        with urllib.request.urlopen(f"{again.http_urls[0]}/") as answer:
            assert json.load(answer)["bolt_direct"] == again.bolt_urls[0]


@needs_java
@pytest.mark.slow
def test_what_java_said_is_told_when_it_does_not_start(start_neo4j: Callable[..., server.Servers]) -> None:
    with pytest.raises(RuntimeError, match=r"No declared setting with name: no.such.setting"):
        start_neo4j(1, config={"no.such.setting": "1"})


@needs_java
@pytest.mark.slow
def test_the_servers_go_when_their_parent_is_killed(neo4j_urls: tuple[str, ...]) -> None:
    given = {name: value for name, value in os.environ.items() if name != server.GIVEN}
    with subprocess.Popen([sys.executable, "-c", KILLED, HERE], stdout=subprocess.PIPE, text=True, env=given) as parent:
        assert parent.stdout is not None
        pid, folder = parent.stdout.readline().split()
        assert Path(folder).is_dir()
        os.kill(int(pid), 0)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 60
    while Path(folder).exists() or alive(int(pid)):
        assert time.monotonic() < until, "the servers outlived their parent"
        time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Where nobody waits for what has lost its parent it stays as a zombie.
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.startswith("Z")
