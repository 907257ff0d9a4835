"""Reading for people: sources, chunks, entities and facts by id, in keyset pages.

They are read in two steps: which ones, then what is in them. One that goes in
between is left out; so is one that goes while it is read, for then Neo4j gives
null in place of what is not there any more. Values that may be null anyway
come last in their row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from kgmem.model import Chunk, Document, Entity, Ref, Source
from kgmem.store.codec import fold, from_micros, unpack_text, unpack_turns
from kgmem.store.contract import Counts, StoredChunk, StoredFact
from kgmem.store.neo4j.base import Base
from kgmem.store.neo4j.codec import pairs


class Browser(Base):
    def source(self, source_id: str) -> Source | None:
        found = self._sources([source_id])
        return found[0] if found else None

    def sources(
        self, *, kinds: Sequence[str] = (), uri_prefix: str = "", after: str | None = None, limit: int = 100
    ) -> list[Source]:
        (found,) = self.db.read(
            "source_ids",
            namespace=self.namespace,
            after=after or "",
            kinds=list(kinds) or None,
            uri_prefix=uri_prefix,
            limit=limit,
        )[0]
        return self._sources(found)

    def _sources(self, source_ids: Sequence[str]) -> list[Source]:
        (rows,) = self.db.read("read_sources", namespace=self.namespace, ids=list(source_ids))[0]
        return [_source(row) for row in rows if _whole(row, optional=1)]

    def hashes(self, source_ids: Sequence[str]) -> dict[str, str]:
        found = self.db.read("source_hashes", namespace=self.namespace, ids=list(source_ids))[0]
        return dict(zip(*found, strict=True))

    def text(self, source_id: str) -> str | None:
        rows = self.db.read("source_text", namespace=self.namespace, id=source_id)
        return unpack_text(rows[0][0]) if rows and rows[0][0] is not None else None

    def chunks(self, refs: Sequence[Ref]) -> list[StoredChunk]:
        own = list(dict.fromkeys(self._own(refs)))
        if not own:
            return []
        found = stored_chunks(*self.db.read("read_chunks", refs=own)[0])
        return [found[ref] for ref in refs if ref in found]

    def chunk(self, chunk_id: str) -> StoredChunk | None:
        found = self._chunks_by("chunk_ref", chunk_id)
        return found[0] if found else None

    def source_chunks(self, source_id: str, *, after: int = -1, limit: int = 100) -> list[StoredChunk]:
        return self._chunks_by("chunk_refs_of_source", source_id, after=after, limit=limit)

    def neighbours(self, chunk_ids: Sequence[str], before: int, after: int) -> dict[str, list[StoredChunk]]:
        ids, refs = self.db.read(
            "chunk_refs_around",
            namespace=self.namespace,
            ids=list(dict.fromkeys(chunk_ids)),
            before=before,
            after=after,
        )[0]
        stored = {chunk.ref: chunk for chunk in self.chunks(refs)}
        found: dict[str, list[StoredChunk]] = {}
        for chunk_id, ref in zip(ids, refs, strict=True):
            if ref in stored:
                found.setdefault(chunk_id, []).append(stored[ref])
        return found

    def _chunks_by(self, name: str, id: str, **values: Any) -> list[StoredChunk]:
        return self.chunks(self.db.read(name, namespace=self.namespace, id=id, **values)[0][0])

    def entity(self, entity_id: str) -> Entity | None:
        found = self._entities(self.db.read("entity_ref", namespace=self.namespace, id=entity_id)[0][0])
        return found[0] if found else None

    def entities(self, match: str = "", *, after: str | None = None, limit: int = 100) -> list[Entity]:
        wanted = " ".join(fold(match).split())
        (refs,) = self.db.read(
            "entity_refs_from", namespace=self.namespace, after=after or "", match=wanted, limit=limit
        )[0]
        return self._entities(refs)

    def _entities(self, refs: Sequence[Ref]) -> list[Entity]:
        named = self.entity_names(refs)
        return [named[ref] for ref in refs if ref in named]

    def entity_names(self, refs: Sequence[Ref]) -> dict[Ref, Entity]:
        own = self._own(refs)
        return entities_of(self.db.read("entity_names", refs=own)[0][0]) if own else {}

    def entity_chunks(self, entity_id: str, limit: int) -> list[tuple[StoredChunk, int]]:
        refs, sentences = self.db.read("entity_chunks", namespace=self.namespace, id=entity_id, limit=limit)[0]
        first = dict(zip(refs, sentences, strict=True))
        return [(stored, first[stored.ref]) for stored in self.chunks(refs)]

    def entity_neighbours(self, entity_id: str, limit: int) -> list[tuple[Entity, int]]:
        refs, counts = self.db.read("entity_neighbours", namespace=self.namespace, id=entity_id, limit=limit)[0]
        named = self.entity_names(refs)
        return [(named[ref], shared) for ref, shared in zip(refs, counts, strict=True) if ref in named]

    def facts(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity_id: str = "",
        after: str | None = None,
        limit: int = 100,
    ) -> list[StoredFact]:
        words = {"subject": subject, "predicate": predicate, "object": object}
        values: dict[str, Any] = {part: list(dict.fromkeys(fold(text).split())) for part, text in words.items()}
        if entity_id:
            values["entity"] = entity_id
        (found,) = self.db.read(
            "fact_ids_of_entity" if entity_id else "fact_ids",
            namespace=self.namespace,
            after=after or "",
            limit=limit,
            **values,
        )[0]
        return self._facts(found)

    def fact(self, fact_id: str) -> StoredFact | None:
        found = self._facts([fact_id])
        return found[0] if found else None

    def _facts(self, fact_ids: Sequence[str]) -> list[StoredFact]:
        """Those of these facts that are there, in their order."""
        if not fact_ids:
            return []
        (rows,) = self.db.read("read_facts", namespace=self.namespace, ids=list(fact_ids))[0]
        found = {row[0]: _fact(row) for row in rows if _whole(row, optional=2)}
        return [found[fact_id] for fact_id in fact_ids if fact_id in found]

    def documents(self) -> Iterator[Document]:
        after = ""
        while rows := self.db.read("next_document", namespace=self.namespace, after=after):
            after, text, pages, turns = rows[0]
            source = self.source(after)
            if source is not None and _whole(rows[0]):
                yield _document(source, text, pages, turns)

    def counts(self) -> Counts:
        first, last = self._range()
        return Counts(*self.db.read("counts", namespace=self.namespace, first=first, last=last)[0])


def _whole(row: Sequence[Any], *, optional: int = 0) -> bool:
    return None not in row[: len(row) - optional]


def _source(row: Sequence[Any]) -> Source:
    source_id, kind, uri, title, media_type, content_hash, ingested_at, tags, metadata, chunk_count, time = row
    return Source(
        source_id,
        kind,
        uri,
        title,
        media_type,
        content_hash,
        from_micros(time),
        cast(datetime, from_micros(ingested_at)),
        tuple(tags),
        json.loads(metadata),
        chunk_count,
    )


def _document(source: Source, text: bytes, pages: Sequence[int], turns: str) -> Document:
    return Document(
        source.uri,
        unpack_text(text),
        source.title,
        source.media_type,
        source.timestamp,
        source.tags,
        source.metadata,
        source.kind,
        tuple(pages),
        unpack_turns(turns),
    )


def stored_chunks(chunks: Sequence[Sequence[Any]], sources: Sequence[Sequence[Any]]) -> dict[Ref, StoredChunk]:
    """Chunks by handle, from the rows of `read_chunks`; what has gone is left out."""
    return {
        chunk[0]: _chunk(chunk, source)
        for chunk, source in zip(chunks, sources, strict=True)
        if _whole(chunk, optional=1) and _whole(source, optional=1)
    }


def entities_of(rows: Sequence[Sequence[Any]]) -> dict[Ref, Entity]:
    """Entities by handle, from the rows of `entity_names`; what has gone is left out."""
    return {row[0]: _entity(row) for row in rows if _whole(row)}


def _chunk(row: Sequence[Any], source: Sequence[Any]) -> StoredChunk:
    ref, chunk_id, ordinal, start, end, text, context, spans, speaker, truncated, metadata, spoken_at = row
    chunk = Chunk(
        chunk_id,
        ordinal,
        start,
        end,
        text,
        context,
        pairs(spans),
        speaker,
        from_micros(spoken_at),
        json.loads(metadata),
        truncated,
    )
    return StoredChunk(ref, chunk, _source(source))


def _entity(row: Sequence[Any]) -> Entity:
    _, entity_id, key, name, kind, chunk_count, aliases = row
    return Entity(entity_id, key, name, kind, chunk_count, tuple(aliases))


def _fact(row: Sequence[Any]) -> StoredFact:
    (
        fact_id,
        subject,
        predicate,
        objects,
        confidence,
        negated,
        chunk_id,
        source_id,
        title,
        text,
        spans,
        sentence,
        subject_id,
        object_id,
    ) = row
    sentences = pairs(spans)
    start, end = sentences[sentence] if sentence < len(sentences) else (0, len(text))
    return StoredFact(
        fact_id,
        subject,
        predicate,
        tuple(objects),
        confidence,
        negated,
        subject_id,
        object_id,
        chunk_id,
        source_id,
        title,
        text[start:end],
    )
