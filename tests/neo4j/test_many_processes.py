"""Several ingest processes over one corpus share a Neo4j: each document is there once, and all of it is linked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import neo4j
import pytest

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder
from kgmem.store import open_store

CORPUS = Path(__file__).parent.parent.parent / "examples" / "corpus"


def start(url: str, part: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kgmem.cli", "ingest", str(CORPUS), "--store", url, "--part", part, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.timeout(600)
def test_four_processes_over_one_corpus(neo4j_urls: tuple[str, ...], tmp_path: Path, encoder: Encoder) -> None:
    """Two of them get the same half, so every document is wanted by two: one adds it, the other finds it there."""
    url = neo4j_urls[0]
    with neo4j.GraphDatabase.driver(url) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    processes = [start(url, part) for part in ("1/2", "2/2", "1/2", "2/2")]
    reports = []
    for process in processes:
        out, err = process.communicate(timeout=500)
        assert process.returncode == 0, err
        reports.append(json.loads(out))
    together = open_store(url)
    with Kgmem(store=f"sqlite:///{tmp_path / 'alone.db'}", encoder=encoder, processes=0) as alone:
        documents = alone.ingest([CORPUS]).added
        assert sum(r["added"] for r in reports) == documents
        assert sum(r["unchanged"] for r in reports) == documents
        assert all(r["replaced"] == 0 for r in reports)
        assert together.counts() == alone.store.counts()
        assert together.counts().pending == 0
        assert together.entities(limit=1000) == alone.store.entities(limit=1000)
    with neo4j.GraphDatabase.driver(url) as driver:
        (found,) = driver.execute_query(
            "MATCH (s:Source) WITH s.uri AS uri, count(*) AS n RETURN count(uri) AS uris, max(n) AS most"
        ).records
    assert (found["uris"], found["most"]) == (documents, 1)
    together.close()
