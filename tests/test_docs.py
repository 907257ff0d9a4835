"""The README and the pages of `docs/`: what they show is run, and what there is stands in them.

The examples of `docs/graphql.md` are run by `tests/api/test_graphql_page.py`.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import click
import pytest
from click.testing import CliRunner
from graphql import build_schema, parse, validate
from pydantic_core import PydanticUndefined

from kgmem import errors
from kgmem.cli import main
from kgmem.settings import Settings

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples" / "README.md", ROOT / "benchmarks/README.md"]
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
ALL = "\n".join(TEXTS.values())
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)\s]*)\)")
OF_TESTS = {"KGMEM_TEST_NEO4J", "KGMEM_REQUIRE_NEO4J"}
"""Variables that the tests read, and kgmem does not."""
HERE = {"KGMEM_PROCESSES": "0", "KGMEM_ENCODER_THREADS": "1"}


class Shown(NamedTuple):
    """A command as a page shows it, and the lines that it is shown to print."""

    page: Path
    command: str
    output: list[str]


def shown() -> Iterator[Shown]:
    for page, text in TEXTS.items():
        for kind, block in BLOCK.findall(text):
            if kind == "sh":
                yield from (Shown(page, line, []) for line in block.replace("\\\n", " ").splitlines() if line)
            elif kind == "console":
                for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                    command, *output = part.splitlines()
                    yield Shown(page, command, output)


def words(command: str) -> list[str]:
    """The command's words, without redirection and with its options as click takes them."""
    return shlex.split(command.partition(" < ")[0])


SHOWN = list(shown())
KGMEM = [one for one in SHOWN if words(one.command)[0] == "kgmem"]
RUN = [one for one in KGMEM if one.page == README and words(one.command)[1] != "serve"]


def options() -> Iterator[tuple[str, str]]:
    for name, command in main.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield from ((name, option) for option in parameter.opts)


def slug(heading: str) -> str:
    """A heading's anchor as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def bare(line: str) -> str:
    """A line of output without what may differ between machines: figures, and where the files are."""
    return re.sub(r"\d+(?:\.\d+)?", "0", re.sub(r"file://\S*?/(?=examples/)", "file:///…/", line)).strip()


def test_every_command_of_the_readme_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for name, value in HERE.items():
        monkeypatch.setenv(name, value)
    assert {words(one.command)[1] for one in RUN} >= {"ingest", "search", "stats", "delete"}
    for one in RUN:
        _, _, given = one.command.partition(" < ")
        result = CliRunner().invoke(main, words(one.command)[1:], input=Path(given).read_bytes() if given else None)
        assert result.exit_code == 0, (one.command, result.output)
        assert result.stdout.strip(), one.command
        if one.output:
            assert [bare(line) for line in result.stdout.splitlines()] == [bare(line) for line in one.output]


def test_other_commands_are_the_ones_there_are() -> None:
    for one in KGMEM:
        _, name, *rest = words(one.command)
        main.commands[name].make_context(name, rest).close()
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for one in SHOWN:
        program, *rest = words(one.command)
        assert program in ("kgmem", "make", "curl", "pip", "docker"), one
        if program == "make":
            assert set(rest) <= targets, one


def test_what_curl_sends_is_valid() -> None:
    schema = build_schema((ROOT / "schema" / "schema.graphql").read_text(encoding="utf-8"))
    sent = [words(one.command) for one in SHOWN if one.page == README and one.command.startswith("curl")]
    assert sent
    for command in sent:
        assert f":{Settings.model_fields['port'].default}/graphql" in command[1]
        document = parse(json.loads(command[command.index("-d") + 1])["query"])
        assert validate(schema, document) == []


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = [block for kind, block in BLOCK.findall(TEXTS[README]) if kind == "python"]
    assert len(blocks) == 1
    (tmp_path / "script.py").write_text(blocks[0], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, **HERE},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "20 documents" in done.stdout
    assert "    Lyon in Lyon - " in done.stdout


def test_the_demo_asks_the_question_of_the_readme() -> None:
    question = (ROOT / "examples" / "demo-question.txt").read_text(encoding="utf-8").strip()
    assert f'kgmem search "{question}" --explain' in TEXTS[README]
    assert f'kgmem search "{question}" --explain' in TEXTS[ROOT / "examples" / "README.md"]


def test_json_blocks_are_json() -> None:
    for page, text in TEXTS.items():
        for kind, block in BLOCK.findall(text):
            if kind == "json" and page.name != "graphql.md":
                for line in block.splitlines():
                    json.loads(line)


def test_every_command_and_option_is_described() -> None:
    for name in main.commands:
        assert f"| `kgmem {name}" in TEXTS[README]
    for name, option in options():
        assert re.search(rf"`{option}(?![\w-])", TEXTS[README]), (name, option)


def test_every_setting_is_described_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(KGMEM_\w+)` \| (.*?) \|", TEXTS[README], re.MULTILINE))
    assert set(rows) == {f"KGMEM_{name.upper()}" for name in Settings.model_fields}
    for name, field in Settings.model_fields.items():
        shown_default = rows[f"KGMEM_{name.upper()}"]
        if field.default is PydanticUndefined:
            assert "number of cores" in shown_default
        else:
            assert shown_default == ("none" if field.default in ("", None) else f"`{field.default}`"), name


def test_every_variable_that_is_named_is_a_setting() -> None:
    named = set(re.findall(r"\bKGMEM_[A-Z0-9_]+\b", ALL)) - OF_TESTS
    assert named <= {f"KGMEM_{name.upper()}" for name in Settings.model_fields}


def kinds_of(base: type[errors.KgmemError]) -> Iterator[type[errors.KgmemError]]:
    yield base
    for kind in base.__subclasses__():
        yield from kinds_of(kind)


def test_every_error_code_is_in_the_table_of_bad_input() -> None:
    codes = {kind.code for kind in kinds_of(errors.KgmemError) if kind.__module__ == "kgmem.errors"}
    table = TEXTS[ROOT / "docs" / "ingest.md"].partition("## Bad input")[2]
    assert codes == set(re.findall(r"^\|.*?\| `([A-Z_]+)` \|", table, re.MULTILINE))


def test_constants_of_search_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)\.([A-Z_]+)` \| ([\d.]+) \|", TEXTS[ROOT / "docs" / "search.md"], re.MULTILINE)
    described = {(module, name) for module, name, _ in rows}
    for module, name, value in rows:
        actual: Any = getattr(importlib.import_module(f"kgmem.search.{module}"), name)
        assert float(value) == actual, (module, name)
    ranking = ("engine", "words", "nearby", "prior", "expand", "pagerank", "explain")
    for module in (*ranking, "options", "aliases", "rerank", "diversify"):
        there = vars(importlib.import_module(f"kgmem.search.{module}"))
        own = {
            name
            for name, value in there.items()
            if name.isupper()
            and not name.startswith("_")
            and isinstance(value, int | float)
            and not isinstance(value, bool)
        }
        assert own <= {name for _, name in described}, module


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", TEXTS[page])):
        path, _, anchor = link.partition("#")
        target = (page.parent / unquote(path)).resolve() if path else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, link


def test_modules_that_are_named_are_there() -> None:
    for path in re.findall(r"`(kgmem/[\w./]+)`", ALL):
        if not path.startswith(("kgmem/schema", "kgmem/cypher")):
            assert (ROOT / path).exists(), path
