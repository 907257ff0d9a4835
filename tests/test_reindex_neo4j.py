"""Encoding a Neo4j store anew: by way of a file, and taken up where it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
import pytest
from tokenizers import Tokenizer

from kgmem import Kgmem, errors
from kgmem import reindex as module
from kgmem.ingest.encode import Encoded, Encoder, Passage
from kgmem.model import Vectors
from kgmem.reindex import reindex
from kgmem.settings import Settings, load_settings
from kgmem.store.contract import EncoderFingerprint


class Halved:
    """Another encoder: the first half of the default one's dimensions."""

    def __init__(self, inner: Encoder) -> None:
        self._inner = inner
        self.tokenizer: Tokenizer = inner.tokenizer
        self.max_tokens = inner.max_tokens
        self.fingerprint = EncoderFingerprint("halved", "half", inner.fingerprint.dimension // 2)

    def known_share(self, text: str) -> float:
        return self._inner.known_share(text)

    def encode(self, passages: list[Passage]) -> list[Encoded]:
        whole = self._inner.encode(passages)
        return [Encoded(self._half(e.vector), self._half(e.sentences), e.truncated) for e in whole]

    def encode_query(self, text: str) -> Vectors:
        return self._half(self._inner.encode_query(text))

    def _half(self, vectors: Vectors) -> Vectors:
        cut = vectors[..., : self.fingerprint.dimension]
        return (cut / np.linalg.norm(cut, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def settings(
    neo4j_urls: tuple[str, ...], tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    with neo4j.GraphDatabase.driver(neo4j_urls[0]) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    monkeypatch.chdir(tmp_path)
    chosen = load_settings(store=neo4j_urls[0], processes=0, encoder_threads=1)
    for namespace in ("default", "team"):
        with Kgmem(chosen.model_copy(update={"namespace": namespace}), encoder=encoder) as kg:
            kg.ingest_text(f"Orla Fenwick of {namespace} lives in Turin.", uri="a", title="Orla Fenwick", tags=["x"])
    original = Kgmem.__init__

    def with_another(self: Kgmem, given: Any = None, *, encoder: Any = None, **more: Any) -> None:
        original(self, given, encoder=encoder or Halved(load), **more)

    load = encoder
    with monkeypatch.context() as patched:
        patched.setattr(module.Kgmem, "__init__", with_another)
        yield chosen
    with neo4j.GraphDatabase.driver(neo4j_urls[0]) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")


def test_every_namespace_comes_through(settings: Settings, encoder: Encoder, tmp_path: Path) -> None:
    assert reindex(settings) == 2
    for namespace in ("default", "team"):
        with Kgmem(settings.model_copy(update={"namespace": namespace}), encoder=Halved(encoder)) as kg:
            hit = kg.search("Who lives in Turin?")[0]
            assert f"of {namespace}" in hit.chunk.text
            assert hit.source.tags == ("x",)
            assert kg.store.counts().pending == 0
    assert list(tmp_path.glob("*reindex*")) == []


def test_what_was_written_meanwhile_is_not_lost(settings: Settings, encoder: Encoder, tmp_path: Path) -> None:
    with Kgmem(settings, encoder=encoder) as other:
        other.store.counts()

        def slow(*args: Any) -> int:
            count = encode(*args)
            other.ingest_text("Quillon Marsh is new.", uri="b")
            return count

        encode = module._encode
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "_encode", slow)
            with pytest.raises(errors.StoreError, match="written to meanwhile"):
                reindex(settings)
        assert list(tmp_path.glob("*reindex*")) == []
        assert other.store.counts().sources == 2
        assert reindex(settings) == 3
        with pytest.raises(errors.EncoderMismatch, match="open it again"):
            other.ingest_text("Late words.", uri="c")


def test_an_interrupted_run_is_taken_up(settings: Settings, encoder: Encoder) -> None:
    def fail(*_: Any) -> int:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_fill", fail)
        with pytest.raises(KeyboardInterrupt):
            reindex(settings)
    with pytest.raises(errors.StoreBusy, match="kgmem reindex"):
        Kgmem(settings, encoder=encoder)
    assert reindex(settings) == 2
    with Kgmem(settings, encoder=Halved(encoder)) as kg:
        assert kg.search("Who lives in Turin?")


def test_a_store_that_is_being_filled_takes_no_writes(settings: Settings, encoder: Encoder) -> None:
    with Kgmem(settings, encoder=encoder) as other:

        def busy(*args: Any) -> int:
            with pytest.raises(errors.StoreBusy, match="encoded anew"):
                other.ingest_text("Lost words.", uri="b")
            return fill(*args)

        fill = module._fill
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "_fill", busy)
            assert reindex(settings) == 2


def test_nothing_to_encode_is_an_error(settings: Settings, neo4j_urls: tuple[str, ...]) -> None:
    with neo4j.GraphDatabase.driver(neo4j_urls[0]) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    with pytest.raises(errors.StoreError, match="nothing to encode"):
        reindex(settings)
