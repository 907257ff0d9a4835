"""The embeddings endpoint, against a real server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kgmem import Kgmem
from kgmem.errors import EncoderError, UsageError
from kgmem.ingest.encode import Passage
from kgmem.ingest.endpoint import EndpointEncoder

KEY = "sk-very-secret"


class Handler(BaseHTTPRequestHandler):
    """Answers as an embeddings endpoint; `server.fail` first answers are errors."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append((self.path, self.headers.get("Authorization"), body))
        if server.fail:
            self._answer(server.fail.pop(0), {"error": "no"})
            return
        rows = [
            {"index": i, "embedding": [len(t), t.count("a") + 1, t.count("e")]} for i, t in enumerate(body["input"])
        ]
        self._answer(200, server.answer or {"data": rows[::-1]})

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[Any]:
    running: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.seen, running.fail, running.answer = [], [], None
    running.url = f"http://127.0.0.1:{running.server_port}/v1"
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def test_chunks_and_sentences_come_in_the_order_asked(server: Any) -> None:
    encoder = EndpointEncoder(server.url, "m", KEY)
    first, second = encoder.encode([Passage("T", "aa. e.", ((0, 3), (4, 6))), Passage("", "b")])
    assert first.vector.tolist() == pytest.approx((encoder.encode_query("T\naa. e.")).tolist())
    assert first.sentences.shape == (2, 3)
    assert second.sentences.shape == (0, 3)
    path, authorization, body = server.seen[0]
    assert (path, authorization, body["model"]) == ("/v1/embeddings", f"Bearer {KEY}", "m")
    assert encoder.fingerprint.dimension == 3


def test_a_busy_endpoint_is_asked_again_and_a_refusal_is_not(server: Any) -> None:
    encoder = EndpointEncoder(server.url, "m", KEY, pause=0.0)
    server.fail = [503, 429]
    assert encoder.encode_query("x").shape == (3,)
    server.fail, server.seen = [401], []
    with pytest.raises(EncoderError, match="status 401") as caught:
        encoder.encode_query("x")
    assert len(server.seen) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("answer", [{"data": []}, {"nothing": 1}, {"data": [{"index": 0, "embedding": "no"}]}])
def test_nonsense_is_named(server: Any, answer: object) -> None:
    server.answer = answer
    with pytest.raises(EncoderError, match="did not answer"):
        EndpointEncoder(server.url, "m").encode_query("x")


def test_nobody_there(server: Any) -> None:
    url = server.url
    server.shutdown()
    server.server_close()
    with pytest.raises(EncoderError, match="ConnectError"):
        EndpointEncoder(url, "m", pause=0.0).encode_query("x")


@pytest.mark.parametrize("url", ["ftp://x", "http://user:pw@host/v1", "nonsense"])
def test_addresses_that_can_not_be(url: str) -> None:
    with pytest.raises(UsageError, match="encoder_url"):
        EndpointEncoder(url, "m")


def test_a_store_can_be_built_on_it(server: Any, tmp_path: Path) -> None:
    with Kgmem(
        store=f"sqlite:///{tmp_path / 'e.db'}", encoder="m", encoder_url=server.url, encoder_key=KEY, processes=0
    ) as kg:
        assert kg.ingest_text("Orla Fenwick lives in Turin.", title="Orla Fenwick").added == 1
        assert kg.search("Who lives in Turin?")[0].source.title == "Orla Fenwick"
        assert KEY not in repr(kg.settings)
