"""Texts and files taken in, each failing alone, and none in a query's way."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from api_help import JOB, Live, ingest, job, until

FILES = f"""mutation ($files: [Upload!]!, $tags: [String!]) {{
    ingestFiles(files: $files, tags: $tags, wait: true) {{ {JOB} }} }}"""


def upload(live: Live, files: list[tuple[str, bytes]], **headers: str) -> Any:
    variables = {"files": [None] * len(files), "tags": ["up"]}
    parts: list[tuple[str, Any]] = [
        ("operations", (None, json.dumps({"query": FILES, "variables": variables}))),
        ("map", (None, json.dumps({str(i): [f"variables.files.{i}"] for i in range(len(files))}))),
        *((str(i), file) for i, file in enumerate(files)),
    ]
    return live.client.post("/graphql", files=parts, headers={"GraphQL-Preflight": "1", **headers})


def test_a_text_becomes_a_source(own: Live) -> None:
    done = ingest(
        own,
        text="Grace Hopper wrote a compiler.\ud800",
        uri="notes/hopper",
        title="Grace Hopper",
        tags=["t"],
        metadata={"a": [1, {"b": None}]},
        timestamp="1952-05-01T00:00:00+02:00",
    )
    assert done["state"] == "DONE"
    assert done["counts"]["added"] == 1
    (source,) = done["sources"]
    assert source == {
        "id": source["id"],
        "title": "Grace Hopper",
        "uri": "notes/hopper",
        "tags": ["t"],
        "metadata": {"a": [1, {"b": None}]},
        "text": "Grace Hopper wrote a compiler.\ufffd",
    }
    again = ingest(
        own,
        text="Grace Hopper wrote a compiler.\ud800",
        uri="notes/hopper",
        title="Grace Hopper",
        tags=["t"],
        metadata={"a": [1, {"b": None}]},
        timestamp="1952-05-01T00:00:00+02:00",
    )
    assert again["counts"]["unchanged"] == 1
    assert again["sourceIds"] == done["sourceIds"]
    found = own.ask("""{ search(input: {query: "Who wrote a compiler?", first: 1}) {
        ... on SearchResult { hits { source { id } } } } }""")
    assert found["search"]["hits"][0]["source"]["id"] == source["id"]
    delete = """mutation ($id: ID!) { deleteSource(id: $id) {
        ... on DeletedSource { id } ... on Error { code } } }"""
    assert own.ask(delete, {"id": source["id"]})["deleteSource"] == {"id": source["id"]}
    assert own.ask(delete, {"id": source["id"]})["deleteSource"] == {"code": "NOT_FOUND"}
    assert own.ask(delete, {"id": "c0"})["deleteSource"] == {"code": "USAGE"}
    assert job(own, done["id"])["sources"] == []


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"text": " \n"}, "DOCUMENT_EMPTY"),
        ({"text": "x", "timestamp": "2026-01-01T00:00:00"}, "USAGE"),
        ({"text": "x", "timestamp": "0001-01-01T00:00:00Z"}, "USAGE"),
        ({"text": "x", "metadata": [1]}, "USAGE"),
        ({"text": "x", "tags": ["t"] * 101}, "USAGE"),
        ({"text": "x", "uri": "u" * 5000}, "USAGE"),
    ],
)
def test_bad_texts_are_data(live: Live, given: dict[str, Any], code: str) -> None:
    assert ingest(live, **given)["code"] == code


def test_a_slow_ingest_is_in_no_ones_way(own: Live) -> None:
    own.encoder.encoding.clear()
    own.encoder.gate.clear()
    try:
        first = ingest(own, wait=False, text="Alan Turing proposed a machine.", uri="turing")
        second = ingest(own, wait=False, text="Kurt Gödel proved a theorem.", uri="goedel")
        assert own.encoder.encoding.wait(30)
        assert job(own, first["id"])["state"] == "RUNNING"
        assert job(own, second["id"])["state"] == "QUEUED"
        taken = []
        for _ in range(20):
            begun = time.perf_counter()
            assert own.client.get("/healthz").status_code == 200
            taken.append(time.perf_counter() - begun)
        assert sorted(taken)[10] < 0.1
        found = own.ask('{ search(input: {query: "Newton"}) { ... on SearchResult { hits { score } } } }')
        assert found["search"]["hits"]
        assert own.ask("{ stats { ... on Stats { jobsWaiting } } }")["stats"] == {"jobsWaiting": 1}
        newest = own.ask("{ jobs(first: 2) { ... on IngestJobConnection { nodes { id } } } }")["jobs"]["nodes"]
        assert [one["id"] for one in newest] == [second["id"], first["id"]]
    finally:
        own.encoder.gate.set()
    until(lambda: job(own, second["id"])["state"] == "DONE")
    assert job(own, first["id"])["finishedAt"] <= job(own, second["id"])["startedAt"]
    states = own.ask(
        """query ($id: ID!) {
        a: jobs(state: DONE, first: 1) { ... on IngestJobConnection { nodes { id } pageInfo { endCursor } } }
        b: jobs(state: FAILED) { ... on IngestJobConnection { nodes { id } } }
        c: jobs(after: "x") { ... on Error { code } }
        d: node(id: $id) { ... on IngestJob { state } } }""",
        {"id": first["id"]},
    )
    assert states["a"]["nodes"] == [{"id": second["id"]}]
    assert states["b"]["nodes"] == []
    assert states["c"] == {"code": "QUERY_INVALID"}
    assert states["d"] == {"state": "DONE"}
    after = states["a"]["pageInfo"]["endCursor"]
    older = "query ($a: String) { jobs(after: $a) { ... on IngestJobConnection { nodes { id } } } }"
    rest = own.ask(older, {"a": after})
    assert rest["jobs"]["nodes"] == [{"id": first["id"]}]


def test_uploads_fail_each_alone(own: Live) -> None:
    answer = upload(
        own,
        [
            ("../../etc/hopper.md", b"# Grace Hopper\n\nGrace Hopper wrote a compiler."),
            ("empty.txt", b" "),
            ("broken.pdf", b"%PDF-1.7 nothing"),
            ("noise.bin", bytes(range(256))),
            ("女.txt", "北京大学在北京。".encode()),
        ],
    ).json()["data"]["ingestFiles"]
    assert answer["state"] == "DONE"
    assert answer["total"] == 5
    assert answer["counts"]["added"] == 2
    assert answer["counts"]["failed"] == 3
    assert {item["uri"]: item["code"] for item in answer["failed"]} == {
        "upload:empty.txt": "DOCUMENT_EMPTY",
        "upload:broken.pdf": "LOAD_FAILED",
        "upload:noise.bin": "DOCUMENT_UNSUPPORTED",
    }
    sources = {source["uri"]: source for source in answer["sources"]}
    assert set(sources) == {"upload:../../etc/hopper.md", "upload:女.txt"}
    assert sources["upload:../../etc/hopper.md"]["title"] == "Grace Hopper"
    assert "up" in sources["upload:女.txt"]["tags"]


def test_an_upload_of_json_lines_holds_many_documents(own: Live) -> None:
    lines = [json.dumps({"id": i, "text": f"Note {i} about Lyon."}) for i in range(3)]
    sent = "\n".join([*lines, "{"]).encode()
    answer = upload(own, [("notes.jsonl", sent)]).json()["data"]["ingestFiles"]
    assert (answer["counts"]["added"], answer["counts"]["failed"]) == (3, 1)
    assert {source["uri"] for source in answer["sources"]} == {f"upload:notes.jsonl#{i}" for i in range(3)}
    again = upload(own, [("notes.jsonl", "\n".join(lines[:1]).encode())]).json()["data"]["ingestFiles"]
    assert again["counts"]["unchanged"] == 1
    assert len(own.kg.store.sources(uri_prefix="upload:notes.jsonl")) == 1


def test_an_upload_of_nothing_readable_fails(own: Live) -> None:
    answer = upload(own, [("empty.txt", b"")]).json()["data"]["ingestFiles"]
    assert answer["state"] == "FAILED"
    assert answer["error"]["code"] == "DOCUMENT_EMPTY"


def test_bad_uploads_are_told_so(own: Live) -> None:
    assert upload(own, [("a.txt", b"x"), ("a.txt", b"y")]).json()["data"]["ingestFiles"]["code"] == "USAGE"
    assert upload(own, [("a.txt", b"x")], **{"GraphQL-Preflight": ""}).status_code == 403
    for files in ([], ["text"], [None], [{}]):
        answer = own.post(FILES, {"files": files})
        assert "internal" not in answer.text
    for operations, mapped in (
        ("[]", "{}"),
        ("{", "{}"),
        ("{}", "[]"),
        ('{"query": "x"}', '{"0": ["variables.files.0"]}'),
        ("{}", '{"9": ["a"]}'),
        ("{}", '{"0": 3}'),
        ('"x"', '{"0": ["a.b.c"]}'),
    ):
        parts: list[tuple[str, Any]] = [
            ("operations", (None, operations)),
            ("map", (None, mapped)),
            ("0", ("a.txt", b"x")),
        ]
        answer = own.client.post("/graphql", files=parts, headers={"GraphQL-Preflight": "1"})
        assert answer.status_code == 400, (operations, mapped)
    answer = own.client.post(
        "/graphql",
        content=b"no parts",
        headers={"GraphQL-Preflight": "1", "Content-Type": "multipart/form-data; boundary=x"},
    )
    assert answer.status_code == 400
