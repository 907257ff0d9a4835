"""Finds a Java that can run Neo4j, and `Server.java` from its source: a JDK of version 21 or newer."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from running import NoNeo4j

LEAST = 21
PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",
    "/usr/local/opt/openjdk*",
)
"""Where Linux distributions, Homebrew, SDKMAN and IDEs put them."""


def find_jdk(java_home: str | None = None, path: str | None = None, places: Iterable[str] = PLACES) -> Path:
    """The folder of the first that fits: `JAVA_HOME`, the `java` on the PATH, the newest of those in `places`.

    What is not given is taken from the environment. Raises `NoNeo4j`.
    """
    java_home = os.environ.get("JAVA_HOME", "") if java_home is None else java_home
    on_path = shutil.which("java", path=path)
    chosen = [Path(java_home)] if java_home else []
    if on_path:
        chosen.append(Path(on_path).resolve().parents[1])
    for home in chosen:
        if version(home) >= LEAST:
            return home
    others = {Path(found) for place in places for found in glob.glob(os.path.expanduser(place))}
    newest, home = max(((version(home), home) for home in [*sorted(others), *chosen]), default=(0, Path()))
    if newest >= LEAST:
        return home
    found = f"the newest one found is Java {newest} in {home}" if newest else "none was found"
    raise NoNeo4j(f"Neo4j needs a JDK of version {LEAST} or newer, and {found}; install one or set JAVA_HOME.")


def version(home: Path) -> int:
    """The version of the JDK in this folder, 0 where there is none that works. Without a compiler it is no JDK."""
    if not (home / "bin" / "javac").exists():
        return 0
    try:
        told = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=20).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(\d+)', told)
    return int(match.group(1)) if match else 0
