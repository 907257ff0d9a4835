"""Neo4j's jars: fetched once by Maven as its user has set it up, then kept in `.neo4j/` of the checkout."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from running import NoNeo4j

POM = Path(__file__).with_name("pom.xml")
CACHE = Path(__file__).parents[2] / ".neo4j"
SECONDS = 1800


def jars(jdk: Path, pom: Path = POM, cache: Path = CACHE) -> Path:
    """The folder of the jars that `pom` names. Processes that want them at once wait for the first of them.

    Raises `NoNeo4j`.
    """
    folder = cache / f"jars-{hashlib.sha256(pom.read_bytes()).hexdigest()[:12]}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise NoNeo4j("Maven, which fetches Neo4j for the tests, is not installed: there is no mvn on the PATH.")
    cache.mkdir(exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            partial = cache / f"{folder.name}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            _fetch(maven, pom, partial, jdk)
            partial.rename(folder)
    return folder


def _fetch(maven: str, pom: Path, folder: Path, jdk: Path) -> None:
    command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
    command += [f"-DoutputDirectory={folder}", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(
            command,
            env={"JAVA_HOME": str(jdk), **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise NoNeo4j(f"Maven did not fetch Neo4j within {SECONDS} seconds.") from None
    if done.returncode != 0 or not any(folder.glob("*.jar")):
        said = [line for line in done.stdout.splitlines() if line.strip()]
        raise NoNeo4j("Maven could not fetch Neo4j:\n" + "\n".join(said[:5]))
