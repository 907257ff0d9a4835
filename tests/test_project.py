"""What must hold of the project's own files: what is declared, what is locked, what travels, what is never named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
MODULES = sorted((ROOT / "kgmem").rglob("*.py"))
MOST_LINES = 500
PINNED = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^\]]*\])?==\S+(.*)$")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    return {normal(re.split(r"[<>=!~;\[ ]", line, maxsplit=1)[0]) for line in PROJECT["project"]["dependencies"]}


def locked() -> Iterator[tuple[str, str]]:
    """Each requirement of the lock with all its lines joined."""
    for requirement in LOCK.replace("\\\n", " ").splitlines():
        if requirement.strip() and not requirement.lstrip().startswith("#"):
            match = PINNED.match(requirement)
            assert match, requirement
            yield normal(match.group(1)), match.group(2)


def imported(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def tracked() -> list[Path]:
    try:
        found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for name in found.split("\0") if name and (path := ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for path in tracked():
        if path != Path(__file__):
            try:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_every_locked_package_is_pinned_by_hash() -> None:
    names = [name for name, rest in locked() if re.findall(r"--hash=sha256:[0-9a-f]{64}\b", rest)]
    assert len(names) > 50
    assert names == [name for name, _ in locked()]


def test_what_is_declared_is_locked() -> None:
    assert declared() <= {name for name, _ in locked()}


def test_every_import_is_a_declared_base_dependency() -> None:
    distributions = packages_distributions()
    missing = {
        name: str(module.relative_to(ROOT))
        for module in MODULES
        for name in imported(module)
        if name not in sys.stdlib_module_names
        and name != "kgmem"
        and not declared() & {normal(found) for found in distributions.get(name, [name])}
    }
    assert missing == {}


def test_build_and_lock_files_name_no_package_host() -> None:
    for name in ("requirements.lock", "pyproject.toml", "Makefile", ".ci/run", "tests/neo4j/pom.xml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|--(?:extra-)?index-url|--find-links|--trusted-host", text), name


def test_no_file_names_a_place_on_one_machine() -> None:
    homes = re.compile(r"(?<![\w.~-])/(?:work|root|home|Users)/[\w.-]+|[A-Z]:\\Users\\")
    named = {name: match.group() for name, text in texts() if (match := homes.search(text))}
    assert named == {}


def test_modules_say_what_they_are_for_on_their_first_line() -> None:
    for module in MODULES:
        text = module.read_text(encoding="utf-8")
        assert text.startswith('"""'), module
        assert (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0], module


def test_modules_stay_small() -> None:
    lines = {str(m.relative_to(ROOT)): m.read_text(encoding="utf-8").count("\n") for m in MODULES}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_no_work_is_left_for_later_without_a_word() -> None:
    marks = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
    assert [name for name, text in texts() if name.endswith(".py") and marks.search(text)] == []


def test_the_schema_travels_in_the_wheel() -> None:
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"schema": "kgmem/schema", "cypher": "kgmem/cypher"}
    assert {"schema.graphql", "sqlite.sql", "neo4j.cypher"} <= {path.name for path in (ROOT / "schema").iterdir()}


def test_the_licence_is_the_declared_one() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
