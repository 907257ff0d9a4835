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
    """The known names in each chunk's text, the longest first. See `_may_be_linked` for those at recognised names."""
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
    taken = [(start, end) for start, end in chunk.taken if start < end]
    fitting = [s for s in spans if all(_may_be_linked(s, place, chunk.text) for place in taken)]
    return [Link(s.start, s.end, sentence_at(chunk.sentences, s.start), s.key) for s in names.longest_first(fitting)]


def _may_be_linked(span: Span, recognised: tuple[int, int], text: str) -> bool:
    """Whether a known name may be linked beside a recognised one: outside it, around it, or as what it ends with.

    The recogniser often takes a part of a name for the whole, so a known name that covers it is linked. Of the
    names within it only the one that it ends with is, since that is what it is mostly about (`State of Mississippi`,
    `north-west Iowa`), and no single word of a name all in capitals: it is mostly a family name, which many share.
    """
    start, end = recognised
    if span.end <= start or span.start >= end:
        return True
    if (span.start, span.end) == recognised:
        return span.key != names.entity_key(text[start:end])  # another reading of it, as `AdaLovelace` has
    if span.start <= start and span.end >= end:
        return True
    before = text[start : span.start].split()
    return span.start > start and span.end == end and (" " in span.key or any(word[0].islower() for word in before))
