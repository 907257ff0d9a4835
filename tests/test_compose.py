"""`docker-compose.yml`, `Dockerfile` and `.dockerignore`: what must hold of them, read without a Docker engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import containers
import pytest
import server
import yaml

from kgmem.settings import Settings

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
NEO4J, KGMEM = COMPOSE["services"]["neo4j"], COMPOSE["services"]["kgmem"]
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}")


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


DOCKERFILE = instructions()


def given(instruction: str) -> list[str]:
    return [value for name, value in DOCKERFILE if name == instruction]


def test_the_password_must_be_given_and_no_other_variable_has_to_be() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    variables = {(name, kind) for name, kind, _ in VARIABLE.findall(text)}
    assert variables == {("NEO4J_PASSWORD", "?"), ("NEO4J_HEAP", "-"), ("NEO4J_PAGECACHE", "-")}
    assert NEO4J["environment"]["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")
    assert KGMEM["environment"]["KGMEM_NEO4J_PASSWORD"].startswith("${NEO4J_PASSWORD:?")


def test_ports_are_published_to_this_machine_alone() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service["ports"]]
    assert len(ports) == 3
    assert all(re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port) for port in ports), ports
    assert "network_mode" not in KGMEM
    assert f":{Settings.model_fields['port'].default}" in KGMEM["ports"][0]


def test_what_must_last_is_in_named_volumes() -> None:
    for service, folder in ((NEO4J, "/data"), (NEO4J, "/logs"), (KGMEM, given("VOLUME")[0])):
        (volume,) = [name for name, _, path in (one.partition(":") for one in service["volumes"]) if path == folder]
        assert volume in COMPOSE["volumes"]


def test_kgmem_waits_for_a_neo4j_that_answers_and_both_come_back() -> None:
    assert KGMEM["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    assert NEO4J["healthcheck"]["test"][0] == "CMD-SHELL"
    assert {NEO4J["restart"], KGMEM["restart"]} == {"unless-stopped"}
    assert KGMEM["environment"]["KGMEM_STORE"] == "neo4j://neo4j:7687"


def test_settings_of_kgmem_are_ones_it_has() -> None:
    assert set(KGMEM["environment"]) <= {f"KGMEM_{name.upper()}" for name in Settings.model_fields}


def test_tests_and_users_have_the_same_neo4j() -> None:
    pom = (ROOT / "tests" / "neo4j" / "pom.xml").read_text(encoding="utf-8")
    (version,) = set(re.findall(r"<groupId>org\.neo4j(?:\.app)?</groupId>.*?<version>(.*?)</version>", pom, re.DOTALL))
    assert NEO4J["image"] == containers.IMAGE == f"neo4j:{version}"


@pytest.mark.slow
def test_the_health_check_tells_whether_neo4j_answers_its_user(start_neo4j: Callable[..., server.Servers]) -> None:
    if shutil.which("wget") is None:
        pytest.skip("wget is not installed")
    # Compose makes $ of $$.
    check = NEO4J["healthcheck"]["test"][1].replace("$$", "$")
    assert "http://localhost:7474/" in check
    with start_neo4j(1, password="correct-horse") as servers:
        here = check.replace("http://localhost:7474", servers.http_urls[0])

        def healthy(password: str) -> bool:
            env = {**os.environ, "NEO4J_AUTH": f"neo4j/{password}"}
            return subprocess.run(["sh", "-c", here], env=env, timeout=60).returncode == 0

        assert healthy("correct-horse")
        assert not healthy("wrong-horse")
    assert not healthy("correct-horse")


def test_the_image_installs_what_is_locked_and_compiles_nothing() -> None:
    (base,) = given("FROM")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    assert base == f"python:{version.removeprefix('>=')}-slim"
    locked, own, _ = given("RUN")
    assert locked == "pip install --only-binary :all: --require-hashes -r requirements.lock"
    assert own == "pip install --no-deps --no-build-isolation ."
    assert not re.search(r"apt|gcc|build-essential|https?:|index-url|find-links", " ".join([*given("RUN"), base]))


def test_the_image_runs_as_a_plain_user() -> None:
    names = [name for name, _ in DOCKERFILE]
    assert given("USER") == ["kgmem"]
    assert "RUN" not in names[names.index("USER") :]
    assert re.search(r"useradd .*--uid [1-9]\d* .*kgmem$", given("RUN")[-1])
    assert "user" not in KGMEM
    assert "privileged" not in KGMEM


def test_the_image_says_when_it_is_ready() -> None:
    (check,) = given("HEALTHCHECK")
    command = json.loads(check.partition(" CMD ")[2])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "HEALTHCHECK", "exec")
    assert f"HTTPConnection('127.0.0.1', {Settings.model_fields['port'].default}, " in command[2]
    assert "request('GET', '/readyz')" in command[2]
    assert command[2].endswith("raise SystemExit(asked.getresponse().status != 200)")
    assert json.loads(given("ENTRYPOINT")[0]) + json.loads(given("CMD")[0]) == ["kgmem", "serve"]


def test_what_the_image_copies_is_there_and_let_through_and_enough_for_the_wheel() -> None:
    copied = {source for line in given("COPY") for source in line.split()[:-1]}
    assert all((ROOT / source).exists() for source in copied)
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in ignore if line.startswith("!")} == copied
    assert "*" in ignore
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert {*wheel["packages"], *wheel["force-include"], "README.md", "LICENSE"} <= copied
