"""Linking: known names that a chunk's own recogniser missed, found in new chunks and, backwards, in old ones.

The graph does not depend on the order in which documents came: a chunk is
searched when it is new and again whenever a name that its words could spell
becomes known. What is left to do stands in the store, so an interrupted run is
taken up by the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgmem import names
from kgmem.ingest.resolve import sentence_at
from kgmem.names import Span
from kgmem.store.contract import Link, PendingChunk, Store

_CHUNKS = 256
_NAMES = 20_000


def link_pending(store: Store) -> int:
    """Do all the linking that is left. Returns how many chunks were searched."""
    searched = 0
    while True:
        while keys := store.pending_names(_NAMES):
            store.seek_names(keys)
        chunks = store.pending_chunks(_CHUNKS)
        if not chunks:
            return searched
        store.link(list(zip(chunks, find_links(store, chunks), strict=True)))
        searched += len(chunks)


def find_links(store: Store, chunks: Sequence[PendingChunk]) -> list[list[Link]]:
    """The known names in each chunk's text: the longest first, none within a recognised name."""
    spans = [list(names.candidates(chunk.text)) for chunk in chunks]
    known = {key for key in store.known({s.key for found in spans for s in found}) if names.linkable(key)}
    longer = store.known_by_head({s.key for found in spans for s in found if s.head})
    return [
        _links(chunk, _fitting(chunk.text, found, known, longer)) for chunk, found in zip(chunks, spans, strict=True)
    ]


def _fitting(text: str, spans: Sequence[Span], known: set[str], longer: dict[str, list[str]]) -> list[Span]:
    fitting = [s for s in spans if s.key in known]
    fitting += [
        whole
        for s in spans
        if s.head and s.key in longer and (whole := names.extend(text, s, longer[s.key])) is not None
    ]
    return fitting


def _links(chunk: PendingChunk, spans: Sequence[Span]) -> list[Link]:
    return [
        Link(s.start, s.end, sentence_at(chunk.sentences, s.start), s.key)
        for s in names.longest_first(spans, chunk.taken)
    ]
