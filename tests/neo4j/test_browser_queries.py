"""The queries and the style of `docs/browser/`, on the sample corpus in a real Neo4j."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
import pytest
from neo4j.graph import Node, Relationship

from kgmem import Kgmem
from kgmem.ingest.encode import Encoder
from kgmem.store.contract import Counts

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "corpus"
FILES = sorted((ROOT / "docs" / "browser").glob("*.cypher"))
TEXTS = {path.name[:2]: path.read_text(encoding="utf-8") for path in FILES}
PAGE = (ROOT / "docs" / "browser.md").read_text(encoding="utf-8")
STYLE = (ROOT / "docs" / "browser" / "kgmem.grass").read_text(encoding="utf-8")
SCHEMA = (ROOT / "schema" / "neo4j.cypher").read_text(encoding="utf-8")
CHUNKS_DRAWN = 30
"""A chunk brings its vectors along, so a result must not hold many."""

Rows = list[dict[str, Any]]


class Database:
    def __init__(self, driver: neo4j.Driver, counts: Counts) -> None:
        self.driver = driver
        self.counts = counts

    def result(self, text: str) -> neo4j.EagerResult:
        return self.driver.execute_query(text, routing_=neo4j.RoutingControl.READ)

    def __call__(self, text: str) -> Rows:
        return [dict(record.items()) for record in self.result(text).records]


@pytest.fixture(scope="module")
def run(neo4j_urls: tuple[str, ...], encoder: Encoder) -> Iterator[Database]:
    """The corpus in the namespace that the queries are for, and a part of it in another one."""
    url = neo4j_urls[0]
    with neo4j.GraphDatabase.driver(url) as driver:
        with driver.session() as session:
            session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
        with Kgmem(store=url, encoder=encoder, processes=0, encoder_threads=1) as kg:
            kg.ingest([CORPUS])
            counts = kg.store.counts()
        with Kgmem(store=url, namespace="other", encoder=encoder, processes=0, encoder_threads=1) as kg:
            kg.ingest([CORPUS / "lyon.md", CORPUS / "The Little Prince.txt", CORPUS / "fram.docx"])
        yield Database(driver, counts)


def nodes(value: Any) -> Iterator[Node]:
    """All that a result draws as circles."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, neo4j.graph.Path):
        yield from value.nodes
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from nodes(part)


def drawn(rows: Rows, label: str, name: str) -> set[str]:
    """A property of all nodes of a label."""
    return {node[name] for node in nodes(rows) if label in node.labels}


def replaced(number: str, old: str, new: str) -> str:
    assert old in TEXTS[number]
    return TEXTS[number].replace(old, new)


def ends(relation: Relationship) -> tuple[str, str]:
    start, end = relation.nodes
    assert start is not None
    assert end is not None
    return start["name"], end["name"]


def test_there_are_ten_and_the_page_quotes_them_in_order() -> None:
    assert list(TEXTS) == [f"{number:02}" for number in range(1, 11)]
    assert re.findall(r"^```cypher\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE) == list(TEXTS.values())
    for path in FILES:
        assert f"[`{path.name}`](browser/{path.name})" in PAGE


@pytest.mark.parametrize("number", TEXTS)
def test_the_first_line_is_the_name_under_which_browser_saves_it(number: str) -> None:
    first, *others = TEXTS[number].splitlines()
    assert first.startswith(f"// kgmem {number}: ")
    # Browser parts statements at semicolons, in comments too.
    assert ";" not in TEXTS[number]
    assert re.fullmatch(r".*\bLIMIT \d+", others[-1])


@pytest.mark.parametrize("number", TEXTS)
def test_it_reads_only_and_neo4j_has_nothing_to_say_against_it(run: Database, number: str) -> None:
    result = run.result(TEXTS[number])
    assert result.records
    assert result.summary.query_type == "r"
    assert not [status for status in result.summary.gql_status_objects if status.is_notification]


@pytest.mark.parametrize("number", TEXTS)
def test_it_keeps_to_its_namespace_and_draws_few_chunks(run: Database, number: str) -> None:
    found = {node.element_id: node for node in nodes(run(TEXTS[number]))}.values()
    assert {node["namespace"] for node in found} <= {"default"}
    assert not any("Text" in node.labels for node in found)
    assert sum("Chunk" in node.labels for node in found) <= CHUNKS_DRAWN


def test_what_is_here(run: Database) -> None:
    rows = run(TEXTS["01"])
    many = {tuple(sorted(row["labels"])): row["many"] for row in rows if row["namespace"] == "default"}
    assert many == {
        ("Document", "Source"): 19,
        ("Conversation", "Document", "Source"): 1,
        ("Chunk",): run.counts.chunks,
        ("Sentence",): run.counts.sentences,
        ("Entity",): run.counts.entities,
        ("Fact",): run.counts.facts,
    }
    assert [row["many"] for row in rows if row["namespace"] == "other" and "Document" in row["labels"]] == [3]
    assert {row["pending"] for row in rows} == {0}


def test_what_waits_for_linking_is_counted(run: Database) -> None:
    with run.driver.session() as session, session.begin_transaction() as change:
        change.run("MATCH (c:Chunk {namespace: 'default'}) SET c.pending = 7").consume()
        rows = [record.data() for record in change.run(TEXTS["01"])]
        change.rollback()
    pending = {row["labels"][0]: row["pending"] for row in rows if row["namespace"] == "default"}
    assert pending["Chunk"] == run.counts.chunks
    assert pending["Entity"] == 0


def test_one_document_in_order(run: Database) -> None:
    rows = run(TEXTS["02"])
    assert drawn(rows, "Document", "title") == {"Lyon"}
    ordinals = [row["page"].nodes[2]["ordinal"] for row in rows]
    assert ordinals == sorted(ordinals)
    text = (CORPUS / "lyon.md").read_text(encoding="utf-8")
    assert sum(len(sentence) for sentence in drawn(rows, "Sentence", "text")) > 0.9 * len(text)
    assert {"Lyon", "Saône", "Rhône", "Louis Lumière"} <= drawn(rows, "Entity", "name")


def test_the_entities_named_most(run: Database) -> None:
    rows = run(TEXTS["03"])
    shown = {node["name"]: node["chunk_count"] for node in nodes(rows) if "Entity" in node.labels}
    assert len(shown) == 12
    others = run("MATCH (e:Entity {namespace: 'default'}) RETURN e.name AS name, e.chunk_count AS count")
    assert min(shown.values()) >= max(row["count"] for row in others if row["name"] not in shown)
    assert {"London", "茅以升"} <= set(shown)
    writing = {row["d"]["title"] for row in rows if row["e"]["name"] == "Isambard Kingdom Brunel"}
    assert writing == {"Isambard Kingdom Brunel", "SS Great Eastern", "Clifton Suspension Bridge"}


def test_around_an_entity(run: Database) -> None:
    rows = run(TEXTS["04"])
    assert all("Brunel" in text for text in drawn(rows, "Sentence", "text"))
    assert {"Isambard Kingdom Brunel", "Clifton Suspension Bridge"} <= drawn(rows, "Source", "title")
    assert {"Isambard Kingdom Brunel", "Great Eastern", "Portsmouth"} <= drawn(rows, "Entity", "name")


def test_names_in_any_case_and_in_chinese(run: Database) -> None:
    louder = run(replaced("04", "brunel", "BRUNEL"))
    assert drawn(louder, "Sentence", "id") == drawn(run(TEXTS["04"]), "Sentence", "id")
    rows = run(replaced("04", "brunel", "茅以升"))
    assert all("茅以升" in text for text in drawn(rows, "Sentence", "text"))
    assert drawn(rows, "Source", "title") == {"茅以升", "钱塘江大桥"}


def test_how_two_are_connected(run: Database) -> None:
    (row,) = run(TEXTS["05"])
    names = [node["name"] for node in row["path"].nodes if "Entity" in node.labels]
    assert names == ["Little Prince", "Antoine de Saint-Exupéry", "Lyon", "Joseph Marie Jacquard"]
    # Lyon has three chunks: where that makes a hub of it, it connects nothing.
    for other in run(replaced("05", "<= 20", "<= 2")):
        assert "Lyon" not in [node.get("name") for node in other["path"].nodes]


def test_facts_around_one_entity(run: Database) -> None:
    rows = run(TEXTS["06"])
    relations = {ends(r): r["predicate"] for row in rows for r in row["facts"].relationships if r.type == "RELATES_TO"}
    assert relations["Antoine de Saint-Exupéry", "Lyon"] == "was born in"
    assert relations["Romans", "Lyon"] == "founded"
    told = [node for node in nodes(rows) if "Fact" in node.labels]
    assert ["Lyon", "in 43 BC as Lugdunum", "on the hill of Fourvière"] in [fact["objects"] for fact in told]


def test_the_question_of_two_hops(run: Database) -> None:
    rows = run(TEXTS["07"])
    assert {row["second"].nodes[-1]["name"] for row in rows} >= {"Saône", "Rhône"}
    for row in rows:
        document, _, sentence, city = row["first"].nodes
        assert document["title"] == "The Little Prince"
        assert "Antoine de Saint-Exupéry, who was born in Lyon" in sentence["text"]
        assert city["name"] == "Lyon"
    asked = (ROOT / "examples" / "demo-question.txt").read_text(encoding="utf-8").strip().lower()
    assert asked in TEXTS["07"].splitlines()[0].lower()


def test_a_conversation_in_order(run: Database) -> None:
    lines = (CORPUS / "book-club.jsonl").read_text(encoding="utf-8").splitlines()
    said = [json.loads(line) for line in lines]
    rows = run(TEXTS["08"])
    assert [(row["speaker"], row["says"]) for row in rows] == [(turn["speaker"], turn["text"]) for turn in said]
    assert [row["at"].iso_format()[:16] for row in rows] == [turn["timestamp"][:16] for turn in said]
    assert [row["turn"].nodes[1]["text"] for row in rows[:-1]] == [row["says"] for row in rows[1:]]
    assert rows[-1]["turn"] is None


def test_the_nearest_chunks(run: Database) -> None:
    rows = run(TEXTS["09"])
    chunks = [row["found"].nodes[1] for row in rows]
    assert rows[0]["document"] == "Fram"
    assert rows[0]["score"] == pytest.approx(1, abs=1e-5)
    assert rows[1]["document"] == "Fridtjof Nansen"
    every = run("MATCH (c:Chunk {namespace: 'default'}) RETURN c.id AS id, c.embedding AS vector")
    vectors = np.array([row["vector"] for row in every])
    near = vectors @ np.array(chunks[0]["embedding"])
    best = [every[i]["id"] for i in np.argsort(-near)[: len(rows)]]
    assert [chunk["id"] for chunk in chunks] == best


def test_what_links_a_document_to_others(run: Database) -> None:
    rows = run(TEXTS["10"])
    assert {row["link"].nodes[-1]["title"] for row in rows} == {"Ada Lovelace", "Joseph Marie Jacquard"}
    assert "London" not in drawn(rows, "Entity", "name")
    # The name is not recognised there but linked, which counts too.
    assert ("Analytical Engine", "Ada Lovelace") in {
        (row["link"].nodes[2]["name"], row["link"].nodes[-1]["title"]) for row in rows
    }


def rules() -> dict[str, dict[str, str]]:
    """The style, read as strictly as Browser needs it: it knows no comments, and no colon within a value."""
    assert re.fullmatch(r"(?:[\w.]+ \{\n(?:  [\w-]+: [^:;{}'\n]+;\n|  caption: '[^:;'\n]+';\n)+\}\n\n?)+", STYLE)
    return {
        name: dict(re.findall(r"  ([\w-]+): '?(.*?)'?;", block))
        for name, block in re.findall(r"^([\w.]+) \{\n(.*?)^\}", STYLE, re.DOTALL | re.MULTILINE)
    }


def test_the_style_names_every_label_and_every_type(run: Database) -> None:
    labels = set(re.findall(r"(?<=:)[A-Z][a-z]+", SCHEMA)) | {"Kgmem", "Namespace"}
    types = {name for part in re.findall(r"\[\w*:([A-Z_| ]+)", SCHEMA) for name in part.replace(" ", "").split("|")}
    (found,) = run("MATCH (n) UNWIND labels(n) AS label RETURN collect(DISTINCT label) AS labels")
    (joined,) = run("MATCH ()-[r]->() RETURN collect(DISTINCT type(r)) AS types")
    assert set(found["labels"]) == labels - {"Memory"}
    assert set(joined["types"]) == types
    wanted = {"node", "relationship", *(f"node.{x}" for x in labels), *(f"relationship.{x}" for x in types)}
    assert set(rules()) == wanted
    # Of the rules that fit a node the last one counts.
    order = list(rules())
    assert order.index("node.Source") < order.index("node.Document") < order.index("node.Conversation")


def test_captions_name_properties_that_are_there(run: Database) -> None:
    assert rules()["relationship.RELATES_TO"]["caption"] == "{predicate}"
    for name, rule in rules().items():
        kind, _, label = name.partition(".")
        for key in re.findall(r"\{(\w+)\}", rule.get("caption", "")):
            pattern = f"(n:{label})" if kind == "node" else f"()-[n:{label}]->()"
            (row,) = run(f"MATCH {pattern} RETURN count(n) AS many, count(n.{key}) AS having")
            assert row["having"] == row["many"], (name, key)


def test_every_colour_of_the_page_is_explained() -> None:
    for label in ("Document", "Chunk", "Sentence", "Entity", "Fact"):
        assert f"{label.lower()} |" in PAGE or f"a {label.lower()};" in PAGE, label
    assert "browser/kgmem.grass" in PAGE
    assert "(browser.png)" in PAGE
