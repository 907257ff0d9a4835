"""The chunks nearest to a vector: by the vector index, or one by one where a filter leaves too few of what that gives.

The index is approximate (HNSW over quantised vectors), but the scores of what
it gives are exact; so it is asked for more than is wanted. It looks at
namespace, kind and time by itself. Any other filter is applied to what it
gave, to more of that when it was not enough, and in the end to all there is.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np
from neo4j.vector import Vector

from kgmem import ids
from kgmem.model import Filter, Ref, SourceKind, Vectors
from kgmem.store.neo4j.base import Base

MAX_K = 4096
_LOOK_AT = 60
_LOOK_AT_TIMES_K = 3
_FILTERED = 2
"""How many times as much is looked at where there is a filter: the index finds less of what is scattered."""
_GROWTH = 4
_MOST = 4096
"""Neighbours to which a filter is applied; beyond that all that it lets through is looked at one by one."""
_EVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)

Found = tuple[list[Ref], list[float]]


class VectorSearcher(Base):
    def vector_search(self, vector: Vectors, k: int, where: Filter) -> list[tuple[Ref, float]]:
        if k < 1 or self._encoder() is None or not np.any(vector):
            return []
        k = min(k, MAX_K)
        refs, scores = self._nearest(Vector(np.ascontiguousarray(vector, np.float32)), k, where)
        return [(ref, 2.0 * score - 1.0) for ref, score in zip(refs, scores, strict=True)]

    def _nearest(self, vector: Vector, k: int, where: Filter) -> Found:
        values: dict[str, Any] = {"namespace": self.namespace, "vector": vector, "k": k}
        if where.uris:
            sources = [ids.source_id(self.namespace, uri) for uri in dict.fromkeys(where.uris)]
            return self._found("nearest_chunks_of_sources", where, values | {"sources": sources})
        limit = max(_LOOK_AT, _LOOK_AT_TIMES_K * k) * (_FILTERED if where else 1)
        if where.uri_prefix or where.tags or where.metadata:
            return self._let_through(values, k, limit, where) or self._found("nearest_chunks_exactly", where, values)
        if not where:
            return self._found("nearest_chunks", where, values | {"limit": limit})
        values |= {"limit": limit, "kinds": list(where.kinds or get_args(SourceKind))}
        if where.since or where.until:
            since, until = where.since or _EVER[0], where.until or _EVER[1]
            values |= {"since": since.astimezone(UTC), "until": until.astimezone(UTC)}
            return self._found("nearest_chunks_between", Filter(), values)
        return self._found("nearest_chunks_of_kinds", Filter(), values)

    def _let_through(self, values: dict[str, Any], k: int, limit: int, where: Filter) -> Found | None:
        """What the filter leaves of the nearest, of more and more of them; None where that would hardly be enough.

        Of what the index gives, the farther half may have gaps, so twice `k` are enough.
        """
        enough = _FILTERED * k
        while limit <= _MOST:
            refs, scores = self._found("nearest_chunks_let_through", where, values | {"limit": limit, "k": enough})
            if len(refs) == enough:
                return refs[:k], scores[:k]
            if len(refs) * _MOST < enough * limit:
                return None
            limit *= _GROWTH
        return None

    def _found(self, name: str, where: Filter, values: dict[str, Any]) -> Found:
        refs, scores = self.db.read(name, where, **values)[0]
        return refs, scores
