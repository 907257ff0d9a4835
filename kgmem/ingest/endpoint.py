"""An encoder behind an OpenAI-compatible embeddings endpoint. Sentences are encoded in a second batch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from kgmem import errors
from kgmem.ingest.encode import Encoded, Passage, packaged_tokenizer, unit
from kgmem.model import Vectors
from kgmem.store.contract import EncoderFingerprint

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 64
_ATTEMPTS = 4
_TIMEOUT = 60.0
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))


class EndpointEncoder:
    """`POST url/embeddings` with `{"model", "input"}`. Tokens are counted by the default model's tokenizer, so a
    chunk's size is an estimate; the key goes in a header and into no message."""

    max_tokens = 512

    def __init__(self, url: str, model: str, key: str = "", *, pause: float = 1.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
            raise errors.UsageError(
                "encoder_url must be an http(s) address without a password in it, such as http://127.0.0.1:8080/v1."
            )
        self._url = url.rstrip("/") + "/embeddings"
        self._shown = f"{parts.scheme}://{parts.hostname}"
        self._model = model
        self._pause = pause
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=_TIMEOUT, headers=headers)

    @cached_property
    def fingerprint(self) -> EncoderFingerprint:
        return EncoderFingerprint(f"{self._model} at {self._shown}", "", len(self._embed(["dimension"])[0]))

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return packaged_tokenizer()

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]:
        whole = self._embed([p.whole for p in passages])
        sentences = [p.text[start:end] for p in passages for start, end in p.sentences]
        apart = self._embed(sentences) if sentences else np.zeros((0, whole.shape[1]), np.float32)
        found, position = [], 0
        for i, passage in enumerate(passages):
            count = len(passage.sentences)
            found.append(Encoded(whole[i], apart[position : position + count], False))
            position += count
        return found

    def encode_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([text])[0]
        return vector

    def known_share(self, text: str) -> float:
        # What the model behind the endpoint knows can't be told from here.
        return 1.0

    def _embed(self, texts: Sequence[str]) -> Vectors:
        rows: list[Any] = []
        for start in range(0, len(texts), _BATCH):
            rows += self._post(texts[start : start + _BATCH])
        try:
            vectors = np.asarray(rows, np.float32)
        except (TypeError, ValueError):
            vectors = np.zeros(0, np.float32)
        if vectors.ndim != 2 or vectors.shape[0] != len(texts) or not np.isfinite(vectors).all():
            raise errors.EncoderError(f"{self._shown} did not answer with one vector a text; check model and address.")
        return unit(vectors)

    def _post(self, texts: Sequence[str]) -> list[Any]:
        reason = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(self._pause * 2 ** (attempt - 1))
            try:
                answer = self._client.post(self._url, json={"model": self._model, "input": list(texts)})
            except httpx.HTTPError as error:
                reason = type(error).__name__
                continue
            if answer.status_code == 200:
                return self._rows(answer)
            reason = f"status {answer.status_code}"
            if answer.status_code not in _AGAIN:
                break
        raise errors.EncoderError(
            f"The embeddings endpoint {self._shown} failed ({reason}); check encoder_url, the "
            "model's name and encoder_key."
        )

    def _rows(self, answer: httpx.Response) -> list[Any]:
        try:
            data = sorted(answer.json()["data"], key=lambda row: row["index"])
            return [row["embedding"] for row in data]
        except (ValueError, KeyError, TypeError):
            raise errors.EncoderError(
                f"{self._shown} did not answer as an embeddings endpoint does; check encoder_url."
            ) from None
