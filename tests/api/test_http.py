"""What reaches the server, and from where; health; bugs are masked and take nothing down."""

from __future__ import annotations

import json
import logging
import socket
import threading
from pathlib import Path

import httpx
import pytest
from api_help import Live, WordEncoder, live_server, serving, until

from kgmem import errors
from kgmem.api import server
from kgmem.api.app import create_app
from kgmem.api.failures import ErrorCode, code_of
from kgmem.api.guard import host_name
from kgmem.service import Kgmem
from kgmem.settings import load_settings

TYPENAME = {"query": "{ __typename }"}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "",
        "a/localhost",
        "localhost@evil.example",
        "0.0.0.0",
        "[::2]",
        "127.0.0.1:x",
    ],
)
def test_other_hosts_are_refused(live: Live, host: str) -> None:
    answer = live.client.post("/graphql", json=TYPENAME, headers={"Host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:80"])
def test_own_hosts_are_served(live: Live, host: str) -> None:
    assert live.client.post("/graphql", json=TYPENAME, headers={"Host": host}).status_code == 200


def test_host_names() -> None:
    assert host_name("[::1]:80") == "::1"
    assert host_name("Localhost:80") == "localhost"
    assert host_name("[") == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_pages_of_other_sites_are_refused(live: Live, headers: dict[str, str]) -> None:
    assert live.client.post("/graphql", json=TYPENAME, headers=headers).status_code == 403


def test_a_page_of_its_own_is_served(live: Live) -> None:
    assert live.client.post("/graphql", json=TYPENAME, headers={"Origin": live.url}).status_code == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/plain; application/json"]
)
def test_what_forms_send_is_refused(live: Live, kind: str) -> None:
    answer = live.client.post("/graphql", content=json.dumps(TYPENAME), headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_get_is_refused(live: Live) -> None:
    assert live.client.get("/graphql", params={"query": "{ __typename }"}).status_code == 405
    assert live.client.get("/graphql", headers={"Accept": "text/html"}).status_code == 405
    assert live.client.put("/graphql", json=TYPENAME).status_code == 405


def test_large_bodies_are_refused(live: Live) -> None:
    query = {"query": "{ __typename } #" + "x" * 1_000_000}
    assert live.client.post("/graphql", json=query).status_code == 413

    def endless() -> object:
        for _ in range(20):
            yield b"x" * 100_000

    chunked = live.client.post("/graphql", content=endless(), headers={"Content-Type": "application/json"})  # type: ignore[arg-type]
    assert chunked.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"3",
        b"null",
        b"[{}]",
        b"\xff\xfe\xff",
        b"[" * 100_000,
        b'{"query": 3}',
        b'{"query": "{ __typename }", "variables": []}',
        b'{"query": "{ __typename }", "variables": {"a": NaN}}',
        b'{"query": "{ __typename }", "variables": {"a": ' + b"9" * 5000 + b"}}",
        b'{"variables": {}}',
        b'{"query": "{ __typename }", "operationName": "Nope"}',
        b'{"query": "{ __typename }", "operationName": {"a": 1}}',
        b'{"query": "\\ud800"}',
    ],
)
def test_bad_bodies_are_told_so(live: Live, body: bytes) -> None:
    answer = live.client.post("/graphql", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert answer.json()["errors"]
        assert "internal" not in answer.text


def test_bugs_are_masked_and_logged(
    own: Live, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(type(own.kg.store), "counts", broken)
    with caplog.at_level(logging.ERROR):
        answer = own.post("{ stats { ... on Stats { chunks } } }")
    (error,) = answer.json()["errors"]
    assert "secret" not in answer.text
    assert error["extensions"] == {"code": "INTERNAL"}
    assert error["message"].startswith("internal error ")
    record = next(record for record in caplog.records if error["message"] in record.getMessage())
    assert record.exc_info is not None
    assert "secret" in str(record.exc_info[1])


def test_what_the_store_can_not_do_is_data(own: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object, **__: object) -> None:
        raise errors.StoreBusy("Held by others; try again.")

    monkeypatch.setattr(type(own.kg.store), "counts", busy)
    monkeypatch.setattr(type(own.kg.store), "neighbours", busy)
    got = own.ask("{ stats { ... on Error { code message } } }")["stats"]
    assert got == {"code": "STORE_BUSY", "message": "Held by others; try again."}
    # A field with no union of its own tells its code in the errors.
    hidden = own.errors('{ search(input: {query: "Newton"}) { ... on SearchResult { hits { neighbours { id } } } } }')
    assert {error["extensions"]["code"] for error in hidden} == {"STORE_BUSY"}


def test_every_code_is_in_the_schema() -> None:
    def below(kind: type[errors.KgmemError]) -> set[type[errors.KgmemError]]:
        return {kind}.union(*(below(sub) for sub in kind.__subclasses__()))

    own = {kind for kind in below(errors.KgmemError) if kind.__module__ == "kgmem.errors"}
    assert {kind.code for kind in own} | {"BUSY", "TIMEOUT"} == {code.value for code in ErrorCode}

    class Newer(errors.StoreFull):
        code = "STORE_SOMEHOW"

    assert code_of(Newer("x")) is ErrorCode.STORE_FULL


def test_a_slow_operation_is_given_up_as_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    with live_server(tmp_path, timeout=0.2) as own:
        kind = type(own.kg.store)
        counts = kind.counts
        monkeypatch.setattr(kind, "counts", lambda store: (release.wait(30), counts(store))[1])
        try:
            assert own.ask("{ stats { ... on Error { code } } }")["stats"] == {"code": "TIMEOUT"}
            assert own.client.get("/healthz").status_code == 200
        finally:
            release.set()


def test_ready_once_the_encoder_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def slow(*_: object, **__: object) -> WordEncoder:
        assert release.wait(30)
        return WordEncoder()

    monkeypatch.setattr("kgmem.service.load_encoder", slow)
    settings = load_settings(store=f"sqlite:///{tmp_path / 'kg.db'}", processes=0)
    with Kgmem(settings) as kg, serving(create_app(kg)) as url, httpx.Client(base_url=url) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        waiting = client.get("/readyz")
        assert waiting.status_code == 503
        assert waiting.json()["missing"]["encoder"]
        release.set()
        until(lambda: client.get("/readyz").status_code == 200)
        assert client.get("/readyz").json() == {"status": "ok"}


def test_not_ready_without_an_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise errors.EncoderError("There is nothing to load.")

    monkeypatch.setattr("kgmem.service.load_encoder", missing)
    settings = load_settings(store=f"sqlite:///{tmp_path / 'kg.db'}", processes=0)
    with Kgmem(settings) as kg, serving(create_app(kg)) as url, httpx.Client(base_url=url, timeout=60) as client:
        ask = {"query": '{ stats { ... on Stats { chunks } } search(input: {query: "x"}) { ... on Error { code } } }'}
        assert client.post("/graphql", json=ask).json()["data"] == {
            "stats": {"chunks": 0},
            "search": {"code": "ENCODER_FAILED"},
        }
        assert "nothing" in client.get("/readyz").json()["missing"]["encoder"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "::", "example.org", "", "localhost.example.org"])
def test_only_loopback_is_served(tmp_path: Path, host: str) -> None:
    settings = load_settings(store=f"sqlite:///{tmp_path / 'kg.db'}", host=host)
    with pytest.raises(errors.UsageError, match="no token"):
        server.serve(settings)
    assert not (tmp_path / "kg.db").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "::", "127.0.0.1", "localhost"])
def test_other_addresses_are_served_where_that_is_allowed(host: str) -> None:
    family = server.check_host(host, allow_remote=True)
    assert family == (socket.AF_INET6 if ":" in host else socket.AF_INET)


@pytest.mark.parametrize("host", ["example.org", "", "localhost.example.org"])
def test_names_are_not_looked_up_even_there(host: str) -> None:
    with pytest.raises(errors.UsageError, match="no IP address"):
        server.check_host(host, allow_remote=True)


def test_a_port_in_use_is_told(live: Live, tmp_path: Path) -> None:
    port = int(live.url.rpartition(":")[2])
    with pytest.raises(errors.UsageError, match="another port"):
        server.serve(load_settings(store=f"sqlite:///{tmp_path / 'kg.db'}", port=port))
