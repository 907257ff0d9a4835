"""Servers in Docker containers, where an engine answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from running import NoNeo4j, Servers, free_port

IMAGE = "neo4j:2026.09.0"
MEMORY = {"server.memory.heap.max_size": "1g", "server.memory.pagecache.size": "64m"}
ANSWER_SECONDS = 5
PULL_SECONDS = 1800


def docker_answers() -> bool:
    """Whether there is an engine and not just the command."""
    if shutil.which("docker") is None:
        return False
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, timeout=ANSWER_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def prepare() -> None:
    """Do beforehand what takes long: fetch the image. Raises `NoNeo4j`."""
    if subprocess.run(["docker", "image", "inspect", IMAGE], capture_output=True).returncode != 0:
        _docker("pull", "--quiet", IMAGE, seconds=PULL_SECONDS)


class DockerServers(Servers):
    """Containers that are removed by `close`. One that outlives a killed process has a name that begins with kgmem."""

    def __init__(
        self,
        count: int,
        *,
        password: str | None,
        config: Mapping[str, str],
        folder: Path | None,
        port: int,
        http_port: int,
        seconds: float,
    ) -> None:
        """Raises `NoNeo4j`, and `RuntimeError` with the last lines of the log if they don't start."""
        prepare()
        self._names: list[str] = []
        bolt_urls, http_urls = [], []
        try:
            for number in range(1, count + 1):
                bolt, http = port or free_port(), http_port or free_port()
                name = f"kgmem-neo4j-{os.getpid()}-{bolt}"
                data = folder / str(number) / "data" if folder else None
                _docker(*command(name, password=password, config=config, data=data, bolt=bolt, http=http))
                self._names.append(name)
                bolt_urls.append(f"bolt://127.0.0.1:{bolt}")
                http_urls.append(f"http://127.0.0.1:{http}")
            until = time.monotonic() + seconds
            for name, url in zip(self._names, http_urls, strict=True):
                _wait(name, url, until)
        except BaseException:
            self.kill()
            raise
        super().__init__(tuple(bolt_urls), tuple(http_urls))

    def close(self) -> None:
        if self._names:
            _docker("stop", *self._names)
            self.kill()

    def kill(self) -> None:
        names, self._names = self._names, []
        if names:
            subprocess.run(["docker", "rm", "--force", "--volumes", *names], capture_output=True, timeout=60)


def command(
    name: str, *, password: str | None, config: Mapping[str, str], data: Path | None, bolt: int, http: int
) -> list[str]:
    """What `docker` is asked to run. With `data` the files belong to the user who runs this."""
    given = ["run", "--detach", "--name", name]
    given += ["--publish", f"127.0.0.1:{bolt}:7687", "--publish", f"127.0.0.1:{http}:7474"]
    given += ["--env", f"NEO4J_AUTH={'none' if password is None else f'neo4j/{password}'}"]
    if data:
        data.mkdir(parents=True, exist_ok=True)
        given += ["--user", f"{os.getuid()}:{os.getgid()}", "--volume", f"{data.resolve()}:/data"]
    settings = {
        **MEMORY,
        "server.bolt.advertised_address": f"127.0.0.1:{bolt}",
        "server.http.advertised_address": f"127.0.0.1:{http}",
        "dbms.security.auth_minimum_password_length": "1",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        **config,
    }
    for setting, value in settings.items():
        given += ["--env", f"NEO4J_{setting.replace('_', '__').replace('.', '_')}={value}"]
    return [*given, IMAGE]


def _docker(*arguments: str, seconds: float = 120) -> None:
    try:
        done = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise NoNeo4j(f"docker {arguments[0]} took longer than {seconds:.0f} seconds.") from None
    if done.returncode != 0:
        raise NoNeo4j(f"docker {arguments[0]} failed: {done.stderr.strip()}")


def _wait(name: str, url: str, until: float) -> None:
    """Until HTTP answers, which Neo4j starts last."""
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    said = subprocess.run(["docker", "logs", "--tail", "30", name], capture_output=True, text=True, timeout=60)
    raise RuntimeError(f"Neo4j took too long to start in Docker; its log ends:\n{said.stdout}{said.stderr}")
