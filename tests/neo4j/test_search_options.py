"""The options of a search do the same over both engines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import neo4j
import numpy as np

from kgmem import Kgmem, SearchOptions
from kgmem.ingest.encode import Encoder
from kgmem.model import Document, Turn
from kgmem.transfer import copy

TURNS = ("Shall we go to the orchard?", "The orchard is closed.", "Then tomorrow.", "Bring the ladder.")
OPTIONS = [
    SearchOptions(),
    SearchOptions(rerank=True),
    SearchOptions(diversity=0.5),
    SearchOptions(aliases=True),
    SearchOptions(neighbours=2),
    SearchOptions(True, 0.3, True, 1),
]


class Shortest:
    """Satisfies `kgmem.search.rerank.Reranker`."""

    def scores(self, question: str, passages: Sequence[str]) -> Any:
        return np.array([-len(passage) for passage in passages])


def turns() -> tuple[str, tuple[Turn, ...]]:
    text = "\n".join(TURNS)
    starts = [text.index(line) for line in TURNS]
    return text, tuple(Turn(a, a + len(line), "Ann") for a, line in zip(starts, TURNS, strict=True))


def test_options_do_the_same_over_both(tmp_path: Path, neo4j_urls: tuple[str, ...], encoder: Encoder) -> None:
    file, server = f"sqlite:///{tmp_path / 'kg.db'}", neo4j_urls[0]
    with neo4j.GraphDatabase.driver(server) as driver, driver.session() as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS").consume()
    with Kgmem(store=file, encoder=encoder, processes=0) as kg:
        text, said = turns()
        kg.ingest_documents([Document("talk", text, kind="conversation", turns=said)])
        for i in range(3):
            kg.ingest_text(f"The orchard of Skaro has {i + 7} apple trees.", uri=f"apples{i}")
        kg.ingest_text(
            "The North Atlantic Treaty Organization (NATO) signed its papers. "
            "The North Atlantic Treaty Organization (NATO) has a flag.",
            uri="treaty",
        )
        kg.ingest_text("NATO keeps its cats in Mons.", uri="cats")
    copy(file, server)
    given = {"encoder": encoder, "reranker": Shortest(), "processes": 0}
    with Kgmem(store=file, **given) as one, Kgmem(store=server, **given) as other:
        for question in ("Is the orchard closed?", "Where is the North Atlantic Treaty Organization?"):
            answers = []
            for options in OPTIONS:
                here, there = (kg.search(question, k=4, options=options) for kg in (one, other))
                assert [(hit.chunk.id, hit.before, hit.after) for hit in here] == [
                    (hit.chunk.id, hit.before, hit.after) for hit in there
                ], (question, options)
                assert [hit.explanation.rerank for hit in here] == [hit.explanation.rerank for hit in there]
                answers.append([(hit.chunk.id, hit.score, bool(hit.before or hit.after)) for hit in there])
            assert len({str(answer) for answer in answers}) >= 4, "the options make a difference"
