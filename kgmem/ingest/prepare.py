"""A document's chunks, and everything a store needs once they are analysed and encoded. Pure functions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b

import numpy as np

from kgmem import ids
from kgmem.ids import to_json
from kgmem.ingest.analysis import Analysis
from kgmem.ingest.encode import Encoded, Passage
from kgmem.ingest.resolve import resolve_facts, resolve_mentions, title_entities
from kgmem.ingest.split import Headings, Splitter
from kgmem.model import Chunk, Document, PreparedSource, Source
from kgmem.terms import terms

PIPELINE_VERSION = "5"
"""Part of every content hash: raised when the same document would be prepared otherwise than before."""
_CONTEXT_TOKENS = 48
_VOLATILE = ("modified",)


def content_hash(document: Document, recipe: str) -> str:
    """What makes a document another one: its text and all that is kept with it, and how it is prepared (`recipe`)."""
    h = blake2b(digest_size=16)
    metadata = {k: v for k, v in document.metadata.items() if k not in _VOLATILE}
    turns = [(t.start, t.end, t.speaker, t.timestamp, dict(t.metadata)) for t in document.turns]
    for part in (
        PIPELINE_VERSION,
        recipe,
        document.kind,
        document.title,
        document.media_type,
        str(document.timestamp),
        to_json(document.tags),
        to_json(metadata),
        to_json(document.pages),
        to_json(turns),
        document.text,
    ):
        data = part.encode("utf-8", "surrogatepass")
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()


def make_chunks(document: Document, source_id: str, splitter: Splitter) -> list[Chunk]:
    """The chunks of a document, their sentences still to be found: one a turn in a conversation, else by size."""
    if document.turns:
        return _turn_chunks(document, source_id, splitter)
    text = document.text
    headings = Headings(text)
    contexts = {path: _context(splitter, document.title, path) for path in {(), *headings.paths}}
    room = splitter.leaving(max(splitter.size(context) + 1 if context else 0 for context in contexts.values()))
    chunks = []
    for ordinal, piece in enumerate(room.split(text)):
        path = headings.above(piece.start)
        head = contexts[path]
        context = "\n".join(part for part in (head, piece.header.rstrip("\n")) if part)
        metadata: dict[str, object] = {}
        if path:
            metadata["headings"] = list(path)
        if document.pages:
            metadata["page"] = bisect_right(document.pages, piece.start)
        body = text[piece.start : piece.end]
        chunks.append(
            Chunk(
                ids.chunk_id(source_id, context + "\n" + body, ordinal),
                ordinal,
                piece.start,
                piece.end,
                body,
                context,
                metadata=metadata,
            )
        )
    return chunks


def _turn_chunks(document: Document, source_id: str, splitter: Splitter) -> list[Chunk]:
    chunks: list[Chunk] = []
    for turn in document.turns:
        # A long turn is several chunks of the same speaker and time.
        for piece in splitter.split(document.text[turn.start : turn.end]):
            start, end = turn.start + piece.start, turn.start + piece.end
            context = _within(splitter, [document.title, turn.speaker])
            body = document.text[start:end]
            chunks.append(
                Chunk(
                    ids.chunk_id(source_id, context + "\n" + body, len(chunks)),
                    len(chunks),
                    start,
                    end,
                    body,
                    context,
                    speaker=turn.speaker,
                    timestamp=turn.timestamp,
                    metadata=turn.metadata,
                )
            )
    return chunks


def _context(splitter: Splitter, title: str, path: Sequence[str]) -> str:
    return _within(splitter, [title, " > ".join(heading for heading in path if heading != title)])


def _within(splitter: Splitter, parts: Sequence[str]) -> str:
    """The parts that are there, a line each, cut so that a context never crowds out its text."""
    context = "\n".join(part for part in parts if part)
    while context and splitter.size(context) > min(_CONTEXT_TOKENS, splitter.capacity // 4):
        context = context[: len(context) * 3 // 4].rstrip()
    return context


def passages(chunks: Sequence[Chunk], analyses: Sequence[Analysis]) -> list[Passage]:
    return [Passage(c.context, c.text, a.sentences) for c, a in zip(chunks, analyses, strict=True)]


def assemble(
    document: Document,
    source_id: str,
    hashed: str,
    now: datetime,
    bare: Sequence[Chunk],
    analyses: Sequence[Analysis],
    encoded: Sequence[Encoded],
    min_confidence: float,
) -> PreparedSource:
    """Put a document's parts together for the store."""
    chunks = [
        Chunk(
            c.id,
            c.ordinal,
            c.start,
            c.end,
            c.text,
            c.context,
            a.sentences,
            c.speaker,
            c.timestamp,
            c.metadata,
            e.truncated,
        )
        for c, a, e in zip(bare, analyses, encoded, strict=True)
    ]
    # A conversation's title is a label; it is no page about what the label names.
    titles = title_entities(document.title) if document.kind == "document" else ()
    mentions = resolve_mentions(chunks, analyses, titles)
    facts = [f for f in resolve_facts(chunks, analyses, mentions) if f.confidence >= min_confidence]
    source = Source(
        source_id,
        document.kind,
        document.uri,
        document.title,
        document.media_type,
        hashed,
        document.timestamp,
        now,
        document.tags,
        document.metadata,
        len(chunks),
    )
    vectors = np.stack([e.vector for e in encoded]) if encoded else np.zeros((0, 0), np.float32)
    return PreparedSource(
        source,
        document.text,
        chunks,
        vectors,
        [e.sentences for e in encoded],
        [" ".join(terms(f"{c.context}\n{c.text}")) for c in chunks],
        mentions,
        facts,
        titles,
        document.pages,
        document.turns,
    )
