"""`serve` as a process of its own with the real encoder: it starts, answers a question, and stops when told to."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from api_help import INGEST, TEXTS, until

PROGRAM = """
import sys
from kgmem.api.server import serve
from kgmem.settings import load_settings
serve(load_settings(store=sys.argv[1], port=0, processes=0))
print("stopped")
"""


@pytest.fixture
def process(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """The server; a test's parameter for it is more of its environment."""
    started = subprocess.Popen(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", PROGRAM, f"sqlite:///{tmp_path / 'kg.db'}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **getattr(request, "param", {})},
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_serves_until_it_is_told_to_stop(process: subprocess.Popen[str], told: signal.Signals) -> None:
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert found
    assert "Only this machine" in process.stdout.readline()
    with httpx.Client(base_url=found.group(), timeout=60) as client:
        until(lambda: client.get("/healthz").status_code == 200)
        for uri, (title, text) in TEXTS.items():
            variables = {"input": {"uri": uri, "title": title, "text": text}, "wait": True}
            job = client.post("/graphql", json={"query": INGEST, "variables": variables}).json()["data"]["ingestText"]
            assert job["state"] == "DONE"
        assert client.get("/readyz").status_code == 200
        question = '{ search(input: {query: "Where did the machine\'s designer teach?", first: 1}) {'
        question += " ... on SearchResult { hits { source { title } } } } }"
        hits = client.post("/graphql", json={"query": question}).json()["data"]["search"]["hits"]
        assert hits[0]["source"]["title"] == "Charles Babbage"
        process.send_signal(told)
        out, err = process.communicate(timeout=60)
    assert out == "stopped\n"
    assert process.returncode == 0
    assert err == ""


@pytest.mark.parametrize("process", [{"KGMEM_HOST": "0.0.0.0", "KGMEM_ALLOW_REMOTE": "true"}], indirect=True)
def test_where_others_are_allowed_it_says_so_and_still_answers_to_its_own_names_alone(
    process: subprocess.Popen[str],
) -> None:
    assert process.stdout is not None
    found = re.search(r"http://0\.0\.0\.0:(\d+)", process.stdout.readline())
    assert found
    assert "Whoever can reach this address can read and change everything" in process.stdout.readline()
    with httpx.Client(base_url=f"http://127.0.0.1:{found.group(1)}", timeout=60) as client:
        until(lambda: client.get("/healthz").status_code == 200)
        asked = {"query": "{ __typename }"}
        assert client.post("/graphql", json=asked).status_code == 200
        assert client.post("/graphql", json=asked, headers={"Host": "kgmem.example"}).status_code == 421
        assert client.post("/graphql", json=asked, headers={"Origin": "https://evil.example"}).status_code == 403
