"""Every example of `docs/graphql.md` is run, in the order of the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_help import Live

PAGE = (Path(__file__).parents[2] / "docs" / "graphql.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```graphql\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif value is not None:
        yield value


def test_every_example_gives_data(own: Live) -> None:
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == PAGE.count("```graphql")
    assert len([1 for _, variables in blocks if variables]) == PAGE.count("```json")
    stand_ins = {"SOURCE_ID": own.ask('{ document(uri: "notes/ada.md") { ... on Source { id } } }')["document"]["id"]}
    fields: set[str] = set()
    for query, variables in blocks:
        for name, value in stand_ins.items():
            variables = variables.replace(name, value)
        given = json.loads(variables or "{}")
        if query.startswith("subscription"):
            body = {"query": query, "variables": given}
            told = own.client.post("/graphql", json=body, headers={"Accept": "text/event-stream"}).text
            events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: {")]
            assert events
            data = events[-1]["data"]
        else:
            data = own.ask(query, given)
        fields.update(data)
        for name, value in data.items():
            assert value, query
            if name == "entity" and "Nobody" in query:
                assert value["code"] == "NOT_FOUND"
                continue
            assert "code" not in value, (query, value)
            assert list(leaves(value)), query
            for listed in ("hits", "nodes", "paths", "edges"):
                assert value.get(listed) != [], query
        if "ingestText" in data:
            stand_ins["JOB_ID"] = data["ingestText"]["id"]
    queries = ("search", "entity", "entities", "paths", "facts", "document", "documents", "source", "node", "stats")
    assert {*queries, "job", "jobs", "ingestText", "deleteSource", "jobProgress"} <= fields


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_curl_example_gives_data(own: Live, tmp_path: Path) -> None:
    commands = SHELL.findall(PAGE)
    assert len(commands) == 2
    (tmp_path / "notes.md").write_text("# Grace Hopper\n\nGrace Hopper wrote a compiler.\n")
    for command in commands:
        assert "http://127.0.0.1:8642" in command
        run = subprocess.run(
            [
                "sh",
                "-c",
                command.replace("http://127.0.0.1:8642", own.url).replace("curl", "curl -sS --noproxy '*'", 1),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        answer = json.loads(run.stdout)
        assert "errors" not in answer
        (data,) = answer["data"].values()
        assert "code" not in data
        assert data.get("state", "DONE") == "DONE"
