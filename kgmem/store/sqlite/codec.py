"""How the spans of sentences are kept in a column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def pack_spans(spans: Sequence[tuple[int, int]]) -> bytes:
    return np.asarray(spans, dtype="<i4").tobytes()


def unpack_spans(data: bytes) -> tuple[tuple[int, int], ...]:
    return tuple((int(a), int(b)) for a, b in np.frombuffer(data, dtype="<i4").reshape(-1, 2))
