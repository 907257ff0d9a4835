"""Where servers come from: which JDK is taken, how the jars are fetched, what Docker is asked, what is told if not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import containers
import jars
import jdk
import pytest
import server

ROOT = Path(__file__).parents[2]
VERSIONS = {"8": "1.8.0_412", "17": "17.0.15", "21": "21.0.7", "25": "25", "26": "26-ea"}


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_jdk(home: Path, version: str, *, compiler: bool = True) -> Path:
    program(home / "bin" / "java", f"echo 'openjdk version \"{VERSIONS[version]}\" 2025-04-15' >&2")
    if compiler:
        program(home / "bin" / "javac", "exit 0")
    return home


def find(folder: Path, java_home: Path | str = "", path: Path | str = "/nowhere") -> Path:
    return jdk.find_jdk(str(java_home), str(path), [str(folder / "jvm" / "*")])


def test_the_newest_jdk_of_the_usual_places_is_taken(tmp_path: Path) -> None:
    for version in ("21", "25", "17", "8"):
        fake_jdk(tmp_path / "jvm" / f"java-{version}", version)
    fake_jdk(tmp_path / "jvm" / "jre-26", "26", compiler=False)
    program(tmp_path / "jvm" / "broken" / "bin" / "java", "exit 1")
    program(tmp_path / "jvm" / "broken" / "bin" / "javac", "exit 1")
    assert find(tmp_path) == tmp_path / "jvm" / "java-25"
    fake_jdk(tmp_path / "jvm" / "early", "26")
    assert find(tmp_path) == tmp_path / "jvm" / "early"


def test_java_home_comes_first_and_then_the_path_where_they_fit(tmp_path: Path) -> None:
    fake_jdk(tmp_path / "jvm" / "java-25", "25")
    old, fitting = fake_jdk(tmp_path / "old", "17"), fake_jdk(tmp_path / "fitting", "21")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(fitting / "bin" / "java")
    assert find(tmp_path, java_home=fitting) == fitting
    assert find(tmp_path, java_home=old) == tmp_path / "jvm" / "java-25"
    assert find(tmp_path, path=tmp_path / "bin") == fitting
    assert find(tmp_path, java_home=old, path=tmp_path / "bin") == fitting
    assert find(tmp_path, path=old / "bin") == tmp_path / "jvm" / "java-25"


def test_without_a_fitting_jdk_the_reason_names_what_was_found(tmp_path: Path) -> None:
    with pytest.raises(server.NoNeo4j, match=r"JDK of version 21 or newer, and none was found"):
        find(tmp_path)
    old = fake_jdk(tmp_path / "jvm" / "java-17", "17")
    with pytest.raises(server.NoNeo4j, match=rf"the newest one found is Java 17 in {re.escape(str(old))}"):
        find(tmp_path)


@pytest.fixture
def pom(tmp_path: Path) -> Path:
    path = tmp_path / "pom.xml"
    path.write_text("<project/>", encoding="utf-8")
    return path


def fake_maven(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `mvn` that notes each call, and knows the folder to write to as $to."""
    find_to = 'for a in "$@"; do case $a in -DoutputDirectory=*) to=${a#*=};; esac; done'
    program(folder / "bin" / "mvn", f"echo \"$@\" >> '{folder}/calls'\n{find_to}\n{text}")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_jars_are_fetched_once_and_anew_for_another_pom(
    tmp_path: Path, pom: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_maven(tmp_path, 'sleep 0.5; mkdir -p "$to"; touch "$to/neo4j.jar"', monkeypatch)
    got: list[Path] = []
    at_once = [
        threading.Thread(target=lambda: got.append(jars.jars(tmp_path, pom, tmp_path / "cache"))) for _ in range(4)
    ]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()
    assert len(got) == 4
    assert len(set(got)) == 1
    assert [path.name for path in got[0].iterdir()] == ["neo4j.jar"]
    assert (tmp_path / "calls").read_text().count("copy-dependencies") == 1
    pom.write_text("<project><version>2</version></project>", encoding="utf-8")
    assert jars.jars(tmp_path, pom, tmp_path / "cache") != got[0]


def test_a_fetch_that_failed_says_why_and_leaves_nothing_that_counts(
    tmp_path: Path, pom: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_maven(tmp_path, 'mkdir -p "$to"; touch "$to/half.jar"; echo "[ERROR] no such host"; exit 1', monkeypatch)
    with pytest.raises(server.NoNeo4j, match="no such host"):
        jars.jars(tmp_path, pom, tmp_path / "cache")
    fake_maven(tmp_path, 'mkdir -p "$to"; touch "$to/whole.jar"', monkeypatch)
    assert [path.name for path in jars.jars(tmp_path, pom, tmp_path / "cache").iterdir()] == ["whole.jar"]


def test_without_maven_the_reason_says_so(tmp_path: Path, pom: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(server.NoNeo4j, match="no mvn on the PATH"):
        jars.jars(tmp_path, pom, tmp_path / "cache")


def test_addresses_of_the_environment_are_used_and_left_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(server.GIVEN, "bolt://one:7687 neo4j://two:7687")
    with server.start() as servers:
        assert servers.bolt_urls == ("bolt://one:7687", "neo4j://two:7687")
    assert server.start(1).bolt_urls == ("bolt://one:7687",)
    monkeypatch.setenv(server.GIVEN, "one:7687")
    with pytest.raises(server.NoNeo4j, match="'one:7687'"):
        server.start()


def test_docker_is_taken_only_where_an_engine_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    assert not containers.docker_answers()
    program(tmp_path / "docker", 'test "$1" = info')
    assert containers.docker_answers()
    program(tmp_path / "docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1")
    assert not containers.docker_answers()
    program(tmp_path / "docker", "sleep 60")
    monkeypatch.setattr(containers, "ANSWER_SECONDS", 0.5)
    assert not containers.docker_answers()


def test_containers_listen_on_this_machine_alone_and_have_what_was_asked_for(tmp_path: Path) -> None:
    limit = {"db.memory.transaction.max": "16m", "server.databases.default_to_read_only": "true"}
    given = containers.command("x", password=None, config={}, data=None, bolt=1111, http=2222)
    assert given[-1] == containers.IMAGE
    assert {"127.0.0.1:1111:7687", "127.0.0.1:2222:7474", "NEO4J_AUTH=none"} <= set(given)
    given = containers.command("x", password="s3", config=limit, data=tmp_path / "1" / "data", bolt=1111, http=2222)
    assert {"NEO4J_AUTH=neo4j/s3", f"{tmp_path}/1/data:/data"} <= set(given)
    assert "NEO4J_db_memory_transaction_max=16m" in given
    assert "NEO4J_server_databases_default__to__read__only=true" in given
    assert (tmp_path / "1" / "data").is_dir()


def test_containers_are_started_awaited_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "docker", f"echo \"$@\" >> '{tmp_path}/calls'")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    awaited: list[str] = []
    monkeypatch.setattr(containers, "_wait", lambda name, url, until: awaited.append(url))
    with server.start(2) as servers:
        assert len(set(servers.bolt_urls)) == 2
        assert tuple(awaited) == servers.http_urls
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["info", "image", "run", "run", "stop", "rm"]
    names = [call.split()[call.split().index("--name") + 1] for call in calls if call.startswith("run")]
    assert all(name in calls[-1] for name in names)


NONE = """
import pytest
import server

def none(*args, **options):
    raise server.NoNeo4j("nothing is here.")

server.start = server.prepare = none

def test_one(neo4j_urls):
    raise AssertionError("must not run")

def test_two(start_neo4j):
    start_neo4j(1, password="x")
"""


@pytest.mark.parametrize("required", [False, True])
def test_without_neo4j_tests_are_skipped_loudly_or_fail_where_it_is_required(tmp_path: Path, required: bool) -> None:
    (tmp_path / "test_none.py").write_text(NONE, encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if name != server.GIVEN}
    env |= {"KGMEM_REQUIRE_NEO4J": "1" if required else "", "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "conftest", "--rootdir", tmp_path]
    done = subprocess.run([*command, tmp_path], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    if required:
        assert done.returncode == 1, done.stdout
        assert "No Neo4j: nothing is here." in done.stdout
        assert "1 failed, 1 error" in done.stdout
    else:
        assert done.returncode == 0, done.stdout
        assert "Neo4j tests were skipped: nothing is here." in done.stdout
        assert "2 skipped" in done.stdout
