"""How values are kept, the same in every engine: times, texts, folded words, packed vectors."""

from __future__ import annotations

import json
import unicodedata
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from kgmem.ids import to_json
from kgmem.model import Ref, Turn, Vectors

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(time: datetime | None) -> int | None:
    return None if time is None else (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int | None) -> datetime | None:
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def pack_turns(turns: Iterable[Turn]) -> str:
    """JSON list of [start, end, speaker, microseconds, metadata]."""
    return to_json([(t.start, t.end, t.speaker, to_micros(t.timestamp), dict(t.metadata)) for t in turns])


def unpack_turns(packed: str) -> tuple[Turn, ...]:
    return tuple(
        Turn(start, end, speaker, from_micros(time), metadata)
        for start, end, speaker, time, metadata in json.loads(packed)
    )


def fold(text: str) -> str:
    """For comparing words of any script whatever their case and width, as entity keys are."""
    return unicodedata.normalize("NFKC", text).casefold()


def pack_text(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8"), 1)


def unpack_text(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8")


def pack_unit(vectors: Vectors) -> bytes:
    """Unit vectors as int8 codes, each row scaled to its own largest component; the length is known to be 1."""
    peak = np.abs(vectors).max(axis=1, keepdims=True) if vectors.size else np.ones((0, 1), np.float32)
    return np.rint(vectors / np.where(peak == 0, 1, peak) * 127).astype(np.int8).tobytes()


def unpack_unit(data: bytes | Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """The vectors of one packed value, or of several one after the other: (n, dimension), unit length again."""
    joined = data if isinstance(data, bytes) else b"".join(data)
    vectors = np.frombuffer(joined, dtype=np.int8).reshape(-1, dimension).astype(np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    length[length == 0] = 1
    vectors /= length
    return vectors


def own_vectors(packed: Mapping[Ref, bytes], dimension: int) -> dict[Ref, Vectors]:
    """The first vector (dimension,) of each packed value: a chunk's own stands before its sentences'."""
    first = unpack_unit([codes[:dimension] for codes in packed.values()], dimension)
    return dict(zip(packed, first, strict=True))


def unit_cosines(packed: Iterable[bytes], vector: Vectors) -> NDArray[np.float32]:
    """The cosine of every packed vector, in order, with a unit vector (dim,)."""
    codes = np.frombuffer(b"".join(packed), dtype=np.int8).reshape(-1, len(vector)).astype(np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", codes, codes))
    length[length == 0] = 1
    found: NDArray[np.float32] = (codes @ np.asarray(vector, np.float32)) / length
    return found
