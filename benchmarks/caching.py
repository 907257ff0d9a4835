"""An encoder that remembers what it has encoded, by content, in a file."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import apsw
import numpy as np
from tokenizers import Tokenizer

from kgmem.ingest.encode import Encoded, Encoder, Passage
from kgmem.model import Vectors
from kgmem.store.contract import EncoderFingerprint


class CachingEncoder:
    """Wraps an encoder; a passage or question that was seen before is read from `path`."""

    def __init__(self, inner: Encoder, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._lock = threading.Lock()
        self._db = apsw.Connection(str(path))
        for setting in ("journal_mode=WAL", "synchronous=OFF"):
            self._db.pragma(*setting.split("="))
        self._db.execute("CREATE TABLE IF NOT EXISTS encoded (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    @property
    def fingerprint(self) -> EncoderFingerprint:
        return self._inner.fingerprint

    @property
    def tokenizer(self) -> Tokenizer:
        return self._inner.tokenizer

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    def known_share(self, text: str) -> float:
        return self._inner.known_share(text)

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]:
        keys = [self._key("passage", p.context, p.text, str(p.sentences)) for p in passages]
        found = [self._get(key) for key in keys]
        missing = [i for i, value in enumerate(found) if value is None]
        dimension = self.fingerprint.dimension
        if missing:
            for i, encoded in zip(missing, self._inner.encode([passages[i] for i in missing]), strict=True):
                value = np.vstack([encoded.vector[None], encoded.sentences]).astype(np.float32)
                found[i] = bytes([encoded.truncated]) + value.tobytes()
                self._put(keys[i], found[i])
        result = []
        for packed in found:
            assert packed is not None
            vectors = np.frombuffer(packed[1:], np.float32).reshape(-1, dimension)
            result.append(Encoded(vectors[0], vectors[1:], bool(packed[0])))
        return result

    def encode_query(self, text: str) -> Vectors:
        key = self._key("query", text)
        value = self._get(key)
        if value is None:
            value = self._inner.encode_query(text).tobytes()
            self._put(key, value)
        return np.frombuffer(value, np.float32)

    def _key(self, *parts: str) -> bytes:
        return sha256("\0".join((str(self.fingerprint), *parts)).encode("utf-8", "surrogatepass")).digest()

    def _get(self, key: bytes) -> bytes | None:
        with self._lock:
            row = self._db.execute("SELECT value FROM encoded WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def _put(self, key: bytes, value: bytes | None) -> None:
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO encoded VALUES (?,?)", (key, value))
