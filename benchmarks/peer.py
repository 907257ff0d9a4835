"""The peer that searches are measured beside: the hybrid retrievers of neo4j-graphrag, over kgmem's own data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
from neo4j_graphrag.retrievers import HybridCypherRetriever, HybridRetriever
from neo4j_graphrag.types import RetrieverResult, RetrieverResultItem
from neo4j_scratch import Scratch

VECTORS = "chunk_embedding"
TEXTS = "peer_text"
TOP = 10
HUB = 50
NEIGHBOURS = 2 * TOP

# The titles too, as kgmem's own index has them: without them the peer finds less.
_MAKE = f"""
CREATE FULLTEXT INDEX {TEXTS} IF NOT EXISTS FOR (n:Chunk) ON EACH [n.context, n.text]
OPTIONS {{indexConfig: {{`fulltext.analyzer`: 'standard'}}}}
"""
_CAP = f"WHERE entity.chunk_count <= {HUB}"
# One record a question, since records are what takes the driver's time.
_TWO_HOPS = f"""
WITH collect({{node: node, score: score}}) AS found
UNWIND found AS hit
WITH found, hit, hit.node AS node
OPTIONAL MATCH (node)-[:NAMES]->(entity:Entity)<-[:NAMES]-(near:Chunk)
{_CAP}
WITH found, near, count(entity) AS shared, max(hit.score) AS score
ORDER BY shared DESC, score DESC LIMIT {NEIGHBOURS}
RETURN [hit IN found | [hit.node.id, hit.score]] AS hits, collect(near.id) AS near
"""

_REFUSED = re.compile(r'[+\-&|!(){}\[\]^"~*?:\\/]')
_OPERATORS = re.compile(r"\b(AND|OR|NOT)\b")


def lucene(question: str) -> str:
    """The question as the peer can take it.

    It hands its text to Lucene's query parser as it is, and raises where that finds a quote, a bracket or a slash left
    open, or AND without a word on either side. So these go; the analyzer would drop them anyway.
    """
    return _OPERATORS.sub(lambda found: found[0].lower(), _REFUSED.sub(" ", question))


@contextmanager
def text_index(scratch: Scratch) -> Iterator[None]:
    """The full-text index that the peer needs, while it is needed."""
    scratch.rows(_MAKE)
    try:
        scratch.settle()
        yield
    finally:
        scratch.rows(f"DROP INDEX {TEXTS} IF EXISTS")


class Peer:
    """Its retrievers as its documentation shows them, with the vector given and nothing but ids coming back."""

    def __init__(self, scratch: Scratch) -> None:
        given = (scratch.driver, VECTORS, TEXTS)
        self._hybrid = HybridRetriever(
            *given, return_properties=["id"], result_formatter=_of_node, neo4j_database=scratch.database
        )
        self._two_hops, self._no_hubs = (
            HybridCypherRetriever(
                *given, _TWO_HOPS.replace(_CAP, cap), result_formatter=_whole, neo4j_database=scratch.database
            )
            for cap in ("", _CAP)
        )

    def hybrid(self, text: str, vector: list[float]) -> RetrieverResult:
        return self._hybrid.search(query_text=text, query_vector=vector, top_k=TOP)

    def two_hops(self, text: str, vector: list[float]) -> RetrieverResult:
        return self._two_hops.search(query_text=text, query_vector=vector, top_k=TOP)

    def two_hops_without_hubs(self, text: str, vector: list[float]) -> RetrieverResult:
        return self._no_hubs.search(query_text=text, query_vector=vector, top_k=TOP)


def hit_order(result: RetrieverResult) -> list[str]:
    return [item.content for item in result.items]


def hits_first(result: RetrieverResult) -> list[str]:
    """The hits in their order, then the neighbours by the entities they share with them."""
    hits, near = result.items[0].content.values()
    return list(dict.fromkeys([id for id, _ in hits] + near))


def shared_first(result: RetrieverResult) -> list[str]:
    """All by the entities they share with the hits, hits among them; then what hits are left."""
    hits, near = result.items[0].content.values()
    return list(dict.fromkeys(near + [id for id, _ in hits]))


def _of_node(record: neo4j.Record) -> RetrieverResultItem:
    return RetrieverResultItem(content=record["node"]["id"])


def _whole(record: neo4j.Record) -> RetrieverResultItem:
    return RetrieverResultItem(content=record)
