"""A fast encoder, a small store, and a live server over it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import uvicorn
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from kgmem.api.app import create_app
from kgmem.ingest.encode import Encoded, Passage, unit
from kgmem.model import Vectors
from kgmem.search.rerank import Reranker
from kgmem.service import Kgmem
from kgmem.settings import load_settings
from kgmem.store.contract import EncoderFingerprint

TEXTS = {
    "notes/ada.md": (
        "Ada Lovelace",
        "Ada Lovelace wrote notes on the Analytical Engine in 1843. Mary Somerville introduced Ada Lovelace to "
        "Charles Babbage. She translated a paper by Luigi Menabrea.",
    ),
    "notes/babbage.md": (
        "Charles Babbage",
        "Charles Babbage designed the Analytical Engine. Charles Babbage was a professor at the University of "
        "Cambridge. He never finished the machine.",
    ),
    "notes/cambridge.md": (
        "University of Cambridge",
        "The University of Cambridge was founded in 1209. Isaac Newton taught at the University of Cambridge.",
    ),
    "notes/newton.md": ("Isaac Newton", "Isaac Newton was born in Woolsthorpe. Isaac Newton wrote the Principia."),
}
DIMENSION = 32


@dataclass
class WordEncoder:
    """Satisfies `kgmem.ingest.encode.Encoder`: a text's vector is the sum of its words', each a hash.

    While `gate` is closed, encoding passages waits for it; `encoding` tells that it does.
    """

    gate: threading.Event = field(default_factory=threading.Event)
    encoding: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.gate.set()
        self._tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        self._tokenizer.pre_tokenizer = Whitespace()

    @property
    def fingerprint(self) -> EncoderFingerprint:
        return EncoderFingerprint("words", "0" * 64, DIMENSION)

    @property
    def tokenizer(self) -> Tokenizer:
        return self._tokenizer

    @property
    def max_tokens(self) -> int:
        return 256

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]:
        self.encoding.set()
        assert self.gate.wait(60)
        return [
            Encoded(
                self.encode_query(passage.whole),
                np.stack([self.encode_query(passage.text[a:b]) for a, b in passage.sentences])
                if passage.sentences
                else np.zeros((0, DIMENSION), np.float32),
                False,
            )
            for passage in passages
        ]

    def encode_query(self, text: str) -> Vectors:
        vector = np.zeros(DIMENSION, np.float32)
        for word in text.lower().replace(".", " ").replace("?", " ").split():
            vector += np.frombuffer(hashlib.blake2b(word.encode(), digest_size=DIMENSION).digest(), np.uint8) - 127.5
        return unit(vector[None])[0]

    def known_share(self, text: str) -> float:
        return 1.0


@dataclass
class Live:
    """A server on a port of its own. `ask` gives a query's data and asserts that there are no errors."""

    url: str
    kg: Kgmem
    encoder: WordEncoder
    client: httpx.Client

    def post(self, query: str, variables: dict[str, Any] | None = None, **more: Any) -> httpx.Response:
        # As JSON in ASCII, so that any string can be sent.
        body = json.dumps({"query": query, "variables": variables or {}, **more})
        return self.client.post("/graphql", content=body, headers={"Content-Type": "application/json"})

    def ask(self, query: str, variables: dict[str, Any] | None = None, **more: Any) -> Any:
        answer = self.post(query, variables, **more).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def errors(self, query: str, variables: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        answer = self.post(query, variables).json()
        assert answer.get("errors"), answer
        return list(answer["errors"])


@contextmanager
def serving(app: Any) -> Iterator[str]:
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_level="warning", access_log=False, ws="websockets-sansio", lifespan="on")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(60)


def until(true: Callable[[], Any], seconds: float = 30) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


@contextmanager
def live_server(
    folder: Path, *, dev: bool = False, timeout: float = 30, reranker: Reranker | None = None, **settings: Any
) -> Iterator[Live]:
    encoder = WordEncoder()
    given = load_settings(store=f"sqlite:///{folder / 'store.db'}", processes=0, **settings)
    with Kgmem(given, encoder=encoder, reranker=reranker) as kg:
        for uri, (title, text) in TEXTS.items():
            assert kg.ingest_text(text, uri=uri, title=title, tags=["notes"], metadata={"year": 1843}).added == 1
        with serving(create_app(kg, dev=dev, timeout=timeout)) as url, httpx.Client(base_url=url, timeout=60) as client:
            yield Live(url, kg, encoder, client)


JOB = """... on IngestJob { id state total counts { added replaced unchanged failed chunks } error { code message }
    failed { uri code message } sourceIds sources { id title uri tags metadata text } createdAt startedAt finishedAt }
    ... on Error { code message }"""
INGEST = f"""mutation ($input: IngestTextInput!, $wait: Boolean!) {{
    ingestText(input: $input, wait: $wait) {{ {JOB} }} }}"""


def ingest(live: Live, wait: bool = True, **given: Any) -> Any:
    return live.ask(INGEST, {"input": given, "wait": wait})["ingestText"]


def job(live: Live, job_id: str) -> Any:
    return live.ask(f"query ($id: ID!) {{ job(id: $id) {{ {JOB} }} }}", {"id": job_id})["job"]
