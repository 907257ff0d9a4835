"""Both engines give the same answers from the same data: dev questions of two sets with gold passages."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
import pytest

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder
from kgmem.ingest.load import load_jsonl
from kgmem.model import Filter
from kgmem.search.engine import search
from kgmem.store import open_store
from kgmem.store.contract import Store
from kgmem.transfer import copy

SETS = ("hotpotqa_train100", "locomo")
QUESTIONS = 50
FIRST = 5


def lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as opened:
        yield from map(json.loads, opened)


def found(store: Store, encoder: Encoder, name: str, question: Any) -> set[str]:
    """The passages or turns of the first hits; a question about a conversation is asked within it."""
    where = Filter(uris=(f"{name}#{question['conversation']}",)) if "conversation" in question else Filter()
    hits = search(store, encoder, question["question"], k=FIRST, where=where)
    return {str(hit.chunk.metadata.get("id") or hit.source.uri.partition("#")[2]) for hit in hits}


def ingested(folder: Path, file: str, server: str, encoder: Encoder) -> None:
    """The set's corpus in both, the server emptied before."""
    with neo4j.GraphDatabase.driver(server) as driver, driver.session() as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS").consume()
    with Kgmem(store=file, encoder=encoder) as kg:
        for path in sorted(folder.glob("corpus*.jsonl.gz")):
            with gzip.open(path, "rb") as stream:
                assert not kg.ingest_documents(load_jsonl(stream, uri=folder.name)).failed
    copy(file, server)


@pytest.mark.timeout(900)
def test_the_same_questions_get_the_same_answers(
    shared: Path, neo4j_urls: tuple[str, ...], tmp_path: Path, encoder: Encoder
) -> None:
    count, common, of_file, of_server = 0, 0.0, 0.0, 0.0
    for name in SETS:
        folder = shared / "bench" / name
        if not folder.is_dir():
            pytest.skip(f"no question set at {folder}")
        file = f"sqlite:///{tmp_path / name}.db"
        ingested(folder, file, neo4j_urls[0], encoder)
        questions = [q for q in lines(folder / "queries.dev.jsonl.gz") if q["gold_ids"]][:QUESTIONS]
        with closing(open_store(file)) as one, closing(open_store(neo4j_urls[0])) as other:
            for question in questions:
                gold = set(question["gold_ids"])
                here, there = (found(store, encoder, name, question) for store in (one, other))
                common += len(here & there) / max(len(here), 1)
                of_file += len(here & gold) / len(gold)
                of_server += len(there & gold) / len(gold)
                count += 1
    assert count == QUESTIONS * len(SETS)
    assert common / count >= 0.95
    assert abs(of_file - of_server) / count <= 0.005
    assert of_file / count > 0.7
