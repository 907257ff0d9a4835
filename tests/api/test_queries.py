"""What the queries answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from api_help import TEXTS, Live, live_server

SEARCH = """
query ($input: SearchInput!) {
  search(input: $input) {
    ... on SearchResult {
      hits {
        score
        chunk { id text start end ordinal context speaker timestamp metadata sentences { text start end } }
        source { id title uri kind tags metadata text }
        explain {
          arms { arm rank score } prior reset rerank
          path { name entity { id name } sentence source { id } chunkId }
        }
        neighbours(before: 2, after: 2) { id }
      }
    }
    ... on Error { code message }
  }
}
"""


def search(live: Live, **given: Any) -> Any:
    return live.ask(SEARCH, {"input": given})["search"]


def entity(live: Live, name: str) -> dict[str, Any]:
    found = live.ask(
        "query ($n: String) { entity(name: $n) { ... on Entity { id name type chunkCount aliases } } }", {"n": name}
    )["entity"]
    return dict(found)


def test_search_finds_and_explains(live: Live) -> None:
    hits = search(live, query="Where was the professor who designed the Analytical Engine?")["hits"]
    assert hits
    assert {hit["source"]["title"] for hit in hits} >= {"Charles Babbage", "Ada Lovelace"}
    first = hits[0]
    assert first["source"]["text"][first["chunk"]["start"] : first["chunk"]["end"]] == first["chunk"]["text"]
    for sentence in first["chunk"]["sentences"]:
        assert first["chunk"]["text"][sentence["start"] : sentence["end"]] == sentence["text"]
    assert {arm["arm"] for arm in first["explain"]["arms"]} <= {"VECTOR", "FULLTEXT", "GRAPH"}
    steps = [step for hit in hits for step in hit["explain"]["path"]]
    assert steps
    assert all(step["entity"]["name"] == step["name"] and step["source"] and step["sentence"] for step in steps)


@pytest.mark.parametrize("mode", ["HYBRID", "VECTOR", "FULLTEXT", "GRAPH"])
def test_every_mode_answers(live: Live, mode: str) -> None:
    assert search(live, query="What did Isaac Newton write?", mode=mode, first=2)["hits"]


def test_filters_hold(live: Live) -> None:
    only = search(live, query="Isaac Newton", filter={"uris": ["notes/newton.md"]})["hits"]
    assert {hit["source"]["uri"] for hit in only} == {"notes/newton.md"}
    assert search(live, query="Isaac Newton", filter={"tags": ["none"]})["hits"] == []
    assert search(live, query="Isaac Newton", filter={"metadata": [{"key": "year", "value": 1843}]})["hits"]
    assert search(live, query="Isaac Newton", filter={"metadata": [{"key": "year", "value": 1}]})["hits"] == []
    assert search(live, query="Isaac Newton", filter={"kinds": ["DOCUMENT"], "uriPrefix": "notes/"})["hits"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"query": " "}, "QUERY_INVALID"),
        ({"query": "x" * 100_000}, "QUERY_INVALID"),
        ({"query": "x", "first": 51}, "QUERY_INVALID"),
        ({"query": "x", "first": -1}, "QUERY_INVALID"),
        ({"query": "x", "diversity": -0.1}, "QUERY_INVALID"),
        ({"query": "x", "diversity": 2}, "QUERY_INVALID"),
        ({"query": "x", "rerank": True}, "USAGE"),
        ({"query": "x", "asOf": "2026-01-01T00:00:00"}, "USAGE"),
        ({"query": "yesterday", "asOf": "0001-01-01T00:00:00Z"}, "USAGE"),
        ({"query": "x", "filter": {"since": "2026-01-01"}}, "USAGE"),
        ({"query": "x", "filter": {"metadata": [{"key": "a", "value": {"b": 1}}]}}, "USAGE"),
        ({"query": "x", "filter": {"metadata": [{"key": "a", "value": 10**30}]}}, "USAGE"),
        ({"query": "x", "filter": {"tags": ["t"] * 101}}, "USAGE"),
    ],
)
def test_bad_searches_are_data(live: Live, given: dict[str, Any], code: str) -> None:
    assert search(live, **given)["code"] == code


@pytest.mark.parametrize("diversity", ["0.5", None, True])
def test_what_is_no_number_is_no_diversity(live: Live, diversity: Any) -> None:
    (error,) = live.errors(SEARCH, {"input": {"query": "x", "diversity": diversity}})
    assert "diversity" in error["message"]


def test_diversity_is_a_finite_number(live: Live) -> None:
    assert live.post(SEARCH, {"input": {"query": "x", "diversity": float("nan")}}).status_code == 400
    found = live.ask('{ search(input: {query: "x", diversity: 1e999}) { ... on Error { code message } } }')["search"]
    assert found["code"] == "QUERY_INVALID"


class Shortest:
    """Satisfies `kgmem.search.rerank.Reranker`."""

    def scores(self, question: str, passages: Sequence[str]) -> Any:
        return np.array([-len(passage) for passage in passages])


def test_a_search_is_reranked_where_the_server_can(tmp_path: Path) -> None:
    with live_server(tmp_path, reranker=Shortest()) as own:
        asked = {"query": "Who wrote notes on the Analytical Engine?"}
        plain = search(own, **asked)["hits"]
        assert {hit["explain"]["rerank"] for hit in plain} == {None}
        hits = search(own, **asked, rerank=True)["hits"]
        assert [hit["chunk"]["id"] for hit in hits] != [hit["chunk"]["id"] for hit in plain]
        scores = [hit["explain"]["rerank"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert scores == [-len(f"{hit['chunk']['context']}\n{hit['chunk']['text']}") for hit in hits]


def test_a_search_finds_variety_and_other_names_where_asked(own: Live) -> None:
    for i in range(3):
        own.kg.ingest_text("Principia is a book of Isaac Newton.", uri=f"copy{i}")
    asked = {"query": "Principia is a book of Isaac Newton.", "mode": "VECTOR", "first": 2}
    assert {hit["source"]["uri"][:4] for hit in search(own, **asked)["hits"]} == {"copy"}
    first, second = search(own, **asked, diversity=0.9)["hits"]
    assert first["source"]["uri"].startswith("copy")
    assert not second["source"]["uri"].startswith("copy")
    text = "The Royal Observatory Greenwich (ROG) was built. The Royal Observatory Greenwich (ROG) stands."
    own.kg.ingest_text(text, uri="greenwich")
    own.kg.ingest_text("ROG keeps time.", uri="time")
    asked = {"query": "What of the Royal Observatory Greenwich?", "mode": "FULLTEXT"}
    assert "time" not in {hit["source"]["uri"] for hit in search(own, **asked)["hits"]}
    assert "time" in {hit["source"]["uri"] for hit in search(own, **asked, aliases=True)["hits"]}


STRANGE = ['"; DROP TABLE chunk --', "\ud800 lone", "a\x00b", "北京大学", "*", '"', "NEAR(a b)", "🙂"]


@pytest.mark.parametrize("query", STRANGE)
def test_any_text_can_be_asked(live: Live, query: str) -> None:
    assert "hits" in search(live, query=query)


def test_entity_with_all_around_it(live: Live) -> None:
    found = live.ask("""
        { entity(name: "the charles babbage") { ... on Entity {
            id name type aliases chunkCount
            facts(first: 5) { ... on FactConnection { nodes { id subject predicate objects evidence confidence
              subjectEntity { id } chunk { id } source { title } } } }
            mentions { sentence { text } chunk { id source { title } } }
            neighbours { entity { id name } sentences }
        } } }""")["entity"]
    assert found["name"] == "Charles Babbage"
    assert found["type"] == "PERSON"
    assert found["chunkCount"] >= 2
    assert all("Babbage" in fact["evidence"] for fact in found["facts"]["nodes"])
    assert found["facts"]["nodes"]
    assert any("Babbage" in mention["sentence"]["text"] for mention in found["mentions"])
    assert "Ada Lovelace" in {item["entity"]["name"] for item in found["neighbours"]}


def test_paths_lead_over_sentences(live: Live) -> None:
    query = """query ($a: String!, $b: String!, $hops: Int!) { paths(from: $a, to: $b, maxHops: $hops) {
        ... on EvidencePaths { paths { hops steps {
            from { name } to { name } sentence source { title } chunk { id } } } }
        ... on Error { code message } } }"""
    found = live.ask(query, {"a": "Ada Lovelace", "b": "Isaac Newton", "hops": 4})["paths"]["paths"]
    steps = found[0]["steps"]
    assert steps[0]["from"]["name"] == "Ada Lovelace"
    assert steps[-1]["to"]["name"] == "Isaac Newton"
    assert found[0]["hops"] == len(steps) == 3
    for before, after in pairwise(steps):
        assert before["to"] == after["from"]
    assert all(step["from"]["name"].split()[-1] in step["sentence"] for step in steps)
    assert live.ask(query, {"a": "Ada Lovelace", "b": "Isaac Newton", "hops": 2})["paths"]["paths"] == []
    assert live.ask(query, {"a": "Ada Lovelace", "b": "Isaac Newton", "hops": 5})["paths"]["code"] == "QUERY_INVALID"
    assert live.ask(query, {"a": "Ada Lovelace", "b": "ada lovelace", "hops": 2})["paths"]["code"] == "QUERY_INVALID"
    assert live.ask(query, {"a": "Ada Lovelace", "b": "Nobody Here", "hops": 2})["paths"]["code"] == "NOT_FOUND"


def test_every_id_is_taken_by_node(live: Live) -> None:
    answer = live.ask("""{
        search(input: {query: "Who designed the Analytical Engine?"}) { ... on SearchResult { hits {
            chunk { id entities { id } source { id } } source { id } neighbours { id }
            explain { path { entityId chunkId sourceId } } } } }
        facts { ... on FactConnection { nodes { id chunkId sourceId subjectId objectId } } }
        entities { ... on EntityConnection { nodes { id } } }
        documents { ... on SourceConnection { nodes { id chunks { ... on ChunkConnection { nodes { id } } } } } }
    }""")
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for name, item in value.items():
                if name.lower().endswith("id") and item:
                    found.add(item)
                collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)

    collect(answer)
    assert {one[0] for one in found} == {"d", "c", "e", "f"}
    node = """query ($id: ID!) { node(id: $id) { __typename ... on Node { id } ... on Error { code } }
        source(id: $id) { ... on Source { id } ... on Error { code } } }"""
    kinds = {"d": "Source", "c": "Chunk", "e": "Entity", "f": "Fact"}
    for one in found:
        got = live.ask(node, {"id": one})
        assert got["node"] == {"__typename": kinds[one[0]], "id": one}
        assert ("id" in got["source"]) == (one[0] != "e")


@pytest.mark.parametrize("one", ["", "d" + "0" * 24, "c0", "e0", "f0", "j0", "zzz", "x" * 10_000, "\ud800"])
def test_unknown_ids_are_data(live: Live, one: str) -> None:
    got = live.ask(
        """query ($id: ID!) { node(id: $id) { ... on Error { code } }
        source(id: $id) { ... on Error { code } } job(id: $id) { ... on Error { code } } }""",
        {"id": one},
    )
    assert [part["code"] for part in got.values()] == ["NOT_FOUND"] * 3


def test_one_argument_of_two(live: Live) -> None:
    got = live.ask("""{ a: entity { ... on Error { code } } b: entity(id: "e0", name: "x") { ... on Error { code } }
        c: document { ... on Error { code } } d: document(uri: "notes/ada.md") { ... on Source { title } }
        e: entity(id: "d0") { ... on Error { code } } }""")
    assert [part.get("code") for part in got.values()] == ["USAGE", "USAGE", "USAGE", None, "USAGE"]
    assert got["d"]["title"] == "Ada Lovelace"


PAGES = {
    "documents": "SourceConnection",
    "entities": "EntityConnection",
    "facts": "FactConnection",
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_join_to_the_whole_list(live: Live, name: str) -> None:
    query = f"""query ($first: Int!, $after: String) {{ {name}(first: $first, after: $after) {{
        ... on {PAGES[name]} {{ edges {{ cursor node {{ id }} }} pageInfo {{ hasNextPage hasPreviousPage endCursor }} }}
        ... on Error {{ code }} }} }}"""
    whole = live.ask(query, {"first": 1000})[name]
    assert 0 < len(whole["edges"]) <= 100
    seen, after = [], None
    while True:
        page = live.ask(query, {"first": 2, "after": after})[name]
        assert page["pageInfo"]["hasPreviousPage"] == (after is not None)
        seen += [edge["node"]["id"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == [edge["node"]["id"] for edge in whole["edges"]]
    for bad in ("", "x", "bm9wZQ", "Y2h1bms6MQ", "é", "A" * 5000, "=="):
        assert live.ask(query, {"first": 2, "after": bad})[name] == {"code": "QUERY_INVALID"}
    assert live.ask(query, {"first": -1})[name] == {"code": "QUERY_INVALID"}
    assert live.ask(query, {"first": 0})[name]["edges"] == []


def test_chunks_of_a_source_in_pages(live: Live) -> None:
    query = """query ($after: String) { document(uri: "notes/ada.md") { ... on Source {
        chunks(first: 1, after: $after) { ... on ChunkConnection { nodes { ordinal } pageInfo { endCursor } }
        ... on Error { code } } } } }"""
    page = live.ask(query)["document"]["chunks"]
    assert page["nodes"] == [{"ordinal": 0}]
    assert live.ask(query, {"after": page["pageInfo"]["endCursor"]})["document"]["chunks"]["nodes"] == []
    assert live.ask(query, {"after": "Y2h1bms6eA"})["document"]["chunks"] == {"code": "QUERY_INVALID"}


def test_facts_by_words_and_entity(live: Live) -> None:
    got = live.ask("""{
        a: facts(subject: "babbage", predicate: "design") { ... on FactConnection { nodes { objects } } }
        b: facts(entity: "Isaac Newton") { ... on FactConnection { nodes { evidence } } }
        c: facts(entity: "Nobody") { ... on Error { code } } }""")
    assert any("Analytical Engine" in part for fact in got["a"]["nodes"] for part in fact["objects"])
    assert got["b"]["nodes"]
    assert all("Newton" in fact["evidence"] for fact in got["b"]["nodes"])
    assert got["c"]["code"] == "NOT_FOUND"


def test_stats_count(live: Live) -> None:
    stats = live.ask("""{ stats { ... on Stats { namespace encoder sources chunks sentences entities mentions facts
        pending jobsWaiting } } }""")["stats"]
    assert stats["sources"] >= len(TEXTS)
    assert stats["encoder"].startswith("words")
    assert all(stats[name] > 0 for name in ("chunks", "sentences", "entities", "mentions", "facts"))
