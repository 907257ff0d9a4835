"""Documents built to be slow are refused before they cost anything; what clients may see of the schema."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_help import Live, live_server

from kgmem.api import limits
from kgmem.api.schema import make_schema

SCHEMA = make_schema()


def doubled(levels: int, inner: str = "id") -> str:
    """Fragments that each spread the next one twice: 2 to the power of `levels` fields once spread out."""
    fragments = [f"fragment f{i} on Source {{ ...f{i + 1} ...f{i + 1} }}" for i in range(levels)]
    return f'{{ source(id: "d") {{ ...f0 }} }} {" ".join(fragments)} fragment f{levels} on Source {{ {inner} }}'


def nested(levels: int) -> str:
    inner = "{ neighbours { entity " * levels + "{ id }" + " } }" * levels
    return "{ entities { ... on EntityConnection { nodes " + inner + "}}}"


COMPLEX = {
    "doubled fragments": doubled(50),
    "doubled fragments with a list": doubled(30, "chunks { ... on ChunkConnection { nodes { id } } }"),
    "many doubled fragments": doubled(120),
    "aliases": "{ " + " ".join(f'a{i}: source(id: "d") {{ ... on Error {{ code }} }}' for i in range(1000)) + " }",
    "some aliases": "{ " + " ".join(f"a{i}: __typename" for i in range(100)) + " }",
    "aliases in fragments": '{ source(id: "d") { ' + "...f " * 40 + "} } fragment f on Source { a: id }",
    "depth": nested(10),
    "depth in fragments": '{ entity(name: "x") { ...a } } '
    + " ".join(
        f"fragment {a} on Entity {{ neighbours {{ entity {{ ...{b} }} }} }}"
        for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + " fragment j on Entity { id }",
    "fields": "{ " + "stats { __typename } " * 210 + "}",
    "lists in lists": """{ documents(first: 100) { ... on SourceConnection { nodes {
        chunks(first: 100) { ... on ChunkConnection { nodes { entities(first: 100) { id } } } } } } } }""",
    "lists in lists by default": """{ entities(first: 100) { ... on EntityConnection { nodes {
        mentions(first: 50) { chunk { sentences { text start end } } } } } } }""",
    "tokens": "{ " + "a " * 3000 + "}",
    "comments": "#\n" * 1000 + "{ __typename }",
    "directives": "{ __typename " + "@include(if: true) " * 1000 + "}",
    "inline fragments": "{ " + "... { " * 190 + "__typename" + " }" * 190 + " }",
    "lists of values": '{ search(input: {query: "x", filter: {tags: [' + '"a" ' * 3000 + "]}}) { __typename } }",
}


@pytest.mark.parametrize("name", COMPLEX)
def test_slow_documents_are_refused_at_once(live: Live, name: str) -> None:
    begun = time.perf_counter()
    found = live.errors(COMPLEX[name]) if name != "inline fragments" else live.post(COMPLEX[name]).json()
    assert time.perf_counter() - begun < 2
    if isinstance(found, list) and name not in ("tokens", "comments", "directives", "lists of values", "aliases"):
        assert [error["extensions"]["code"] for error in found] == ["QUERY_TOO_COMPLEX"]
    assert "internal" not in str(found)


def test_the_rule_alone_is_linear() -> None:
    from graphql import parse

    documents = {n: parse(doubled(n)) for n in (100, 800)}
    taken = {}
    for n, document in documents.items():
        begun = time.perf_counter()
        for _ in range(20):
            limits.check(SCHEMA._schema, document, {})
        taken[n] = time.perf_counter() - begun
    assert taken[800] < 60 * taken[100]


@pytest.mark.parametrize(
    "query",
    [
        '{ source(id: "d") { ...Nope } }',
        "{ ...Nope }",
        "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }",
        '{ source(id: "d") { ...a } } fragment a on Source { chunks { ...a } }',
        "{ ...a } fragment a on Nothing { id }",
        "{ ...a } fragment a on Query { __typename } fragment a on Query { __typename }",
        "query A { __typename } query A { __typename }",
        "{ nothing { at { all } } }",
        "{ stats }",
        "{",
        "fragment a on Query { __typename }",
        "type Query { a: Int }",
        "{ documents(first: null) { __typename } }",
        '{ documents(first: "3") { __typename } }',
        "{ documents(first: 99999999999) { __typename } }",
        "query ($n: Int!) { documents(first: $n) { __typename } }",
        "query ($n: Nothing) { documents(first: $n) { __typename } }",
        "{ documents(first: $n) { __typename } }",
        '{ search(input: "x") { __typename } }',
        "{ search(input: {query: $q}) { __typename } }",
        "subscription { jobProgress(id: 1) { __typename } }",
    ],
)
def test_wrong_documents_are_told_so(live: Live, query: str) -> None:
    answer = live.post(query)
    assert answer.status_code in (200, 400)
    assert "internal error" not in answer.text
    assert "Did you mean" not in answer.text
    if answer.status_code == 200:
        assert answer.json()["errors"]


def test_a_list_length_may_stand_in_a_variable(live: Live) -> None:
    query = """query ($n: Int = 100) { documents(first: $n) { ... on SourceConnection { nodes {
        chunks(first: $n) { ... on ChunkConnection { nodes { id text start end } } } } } } }"""
    assert live.errors(query)[0]["extensions"]["code"] == "QUERY_TOO_COMPLEX"
    assert live.errors(query, {"n": 100})[0]["extensions"]["code"] == "QUERY_TOO_COMPLEX"
    assert live.ask(query, {"n": 5})["documents"]["nodes"]


def test_no_introspection_and_no_suggestions(live: Live) -> None:
    assert "introspection" in live.errors("{ __schema { types { name } } }")[0]["message"]
    assert live.ask("{ __typename }") == {"__typename": "Query"}
    for query in (
        "{ statz { __typename } }",
        "{ stats { ... on Statz { chunks } } }",
        "{ documents(frist: 1) { __typename } }",
        "{ documents(kinds: [DOCUMENTS]) { __typename } }",
    ):
        assert "Did you mean" not in str(live.errors(query))
    query = "query ($k: [SourceKind!]) { documents(kinds: $k) { __typename } }"
    assert "Did you mean" not in str(live.errors(query, {"k": ["DOCUMENTS"]}))
    query = "query ($i: SearchInput!) { search(input: $i) { __typename } }"
    assert "Did you mean" not in str(live.errors(query, {"i": {"querry": "x"}}))


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Live]:
    with live_server(tmp_path, dev=True) as server:
        yield server


def test_dev_lets_clients_look(dev: Live) -> None:
    from graphql import get_introspection_query

    assert dev.ask(get_introspection_query())["__schema"]["types"]
    assert "Did you mean" in str(dev.errors("{ statz { __typename } }"))
    assert dev.client.get("/graphql", params={"query": "{ __typename }"}).json()["data"] == {"__typename": "Query"}
    mutation = 'mutation { deleteSource(id: "d") { __typename } }'
    assert dev.client.get("/graphql", params={"query": mutation}).status_code == 400
    assert dev.client.get("/graphql", headers={"Accept": "text/html"}).status_code == 404


def test_long_texts_go_into_variables(live: Live) -> None:
    query = "query ($n: String!) { entities(match: $n) { ... on EntityConnection { nodes { id } } } }"
    assert live.ask(query, {"n": "x" * 500_000})["entities"]["nodes"] == []
    assert live.errors(query + " " * 100_000)


def test_unusual_variables_do_no_harm(live: Live) -> None:
    query = "query ($n: Int) { documents(first: $n) { __typename } }"
    for variables in ({"n": None}, {"n": "5"}, {"n": [1]}, {"n": {}}, {"n": True}, {"n": 1e300}, {"m": 3}):
        assert "internal" not in live.post(query, variables).text
    query = "query ($i: SearchInput!) { search(input: $i) { ... on SearchResult { hits { score } } } }"
    for given in (None, 3, [], {"first": 10**12}, {"query": "x", "first": "3"}, {"query": "x", "first": None}):
        assert "internal" not in live.post(query, {"i": given}).text
