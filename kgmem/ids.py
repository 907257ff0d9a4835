"""Deterministic ids: the same thing written twice gets the same id, in any process."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

# A letter in front tells what an id is of, so that one `node(id)` can serve them all.
SOURCE, CHUNK, ENTITY, FACT = "d", "c", "e", "f"


def digest(*parts: str) -> str:
    """96 bits of BLAKE2b as 24 hex digits. Parts are length-prefixed, so ("ab", "c") differs from ("a", "bc")."""
    h = blake2b(digest_size=12)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()


def to_json(value: Any) -> str:
    """The one JSON text of a value: keys sorted, so that equal values give equal texts and hashes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def source_id(namespace: str, uri: str) -> str:
    return SOURCE + digest(namespace, uri)


def chunk_id(source: str, content: str, ordinal: int) -> str:
    return CHUNK + digest(source, content, str(ordinal))


def entity_id(namespace: str, key: str) -> str:
    return ENTITY + digest(namespace, key)


def fact_id(chunk: str, sentence: int, subject: str, predicate: str, objects: tuple[str, ...]) -> str:
    return FACT + digest(chunk, str(sentence), subject, predicate, *objects)
