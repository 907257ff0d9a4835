"""Writing and removing whole sources, each call in one transaction that holds the namespace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from neo4j.vector import Vector

from kgmem import errors, graph, ids, names
from kgmem.ids import to_json
from kgmem.model import Chunk, EntityType, Fact, Mention, PreparedSource, Source, Vectors
from kgmem.store.codec import fold, pack_text, pack_turns, pack_unit
from kgmem.store.contract import PutResult
from kgmem.store.handles import NAMESPACE_BITS, called
from kgmem.store.neo4j.base import Base, counts_taken
from kgmem.store.neo4j.codec import flat, pack_forms, unpack_forms
from kgmem.store.neo4j.connection import Transaction
from kgmem.store.neo4j.statements import facets

_LABELS = {"document": ["Document"], "conversation": ["Document", "Conversation"], "memory": ["Memory"]}


@dataclass(slots=True)
class Change:
    """What a transaction adds to an entity's counts and forms; taken away where negative."""

    own: int = 0
    chunks: int = 0
    forms: Counter[tuple[str, EntityType]] = field(default_factory=Counter)


Changes = defaultdict[int, Change]


class Writer(Base):
    def put(self, sources: Sequence[PreparedSource]) -> list[PutResult]:
        encoder = self._encoder()
        if encoder is None:
            raise errors.StoreError(f"{self.db.where} has no encoder yet; open it with one to write to it.")
        for dimension in {p.vectors.shape[1] for p in sources if len(p.chunks)} - {encoder.dimension}:
            raise errors.EncoderMismatch(
                f"{self.db.where} was encoded with {encoder}, but vectors of {dimension} dimensions were to be "
                "written; choose that encoder again, or run `kgmem reindex` to encode everything anew."
            )
        return self.db.write(lambda tx: self._put(tx, sources))

    def _put(self, tx: Transaction, sources: Sequence[PreparedSource]) -> list[PutResult]:
        number = self._lock_or_create(tx)
        present = {row[0]: row[1:] for row in tx.rows("find_sources", ids=sorted({p.source.id for p in sources}))}
        hashes: dict[str, str] = {}
        replaced: set[int] = set()
        written: dict[str, PreparedSource] = {}
        results: list[PutResult] = []
        for prepared in sources:
            source = prepared.source
            ref, hashed, namespace = present.get(source.id, (None, None, self.namespace))
            if namespace != self.namespace:
                raise errors.StoreError(f"Source {source.id} belongs to another namespace than {self.namespace}.")
            before = hashes.get(source.id, hashed)
            results.append("added" if before is None else "unchanged" if before == source.content_hash else "replaced")
            if results[-1] == "unchanged":
                continue
            hashes[source.id] = source.content_hash
            written[source.id] = prepared
            if ref is not None:
                replaced.add(ref)
        changes = Changes(Change)
        if replaced:
            self._remove(tx, sorted(replaced), changes)
        if written:
            _Insertion(self.namespace, number, list(written.values()), changes).run(tx)
        self._settle(tx, changes)
        return results

    def delete(self, source_ids: Iterable[str]) -> int:
        wanted = sorted(set(source_ids))

        def work(tx: Transaction) -> int:
            if self._lock(tx) is None:
                return 0
            refs = [ref for _, ref, _, namespace in tx.rows("find_sources", ids=wanted) if namespace == self.namespace]
            if refs:
                changes = Changes(Change)
                self._remove(tx, refs, changes)
                self._settle(tx, changes)
            return len(refs)

        return self.db.write(work)

    def _remove(self, tx: Transaction, sources: list[int], changes: Changes) -> None:
        for entity, own, chunks, forms in tx.rows("source_contribution", sources=sources):
            change = changes[entity]
            change.own -= own
            change.chunks -= chunks
            for packed in forms:
                change.forms.subtract(unpack_forms(packed))
        tx.run("delete_facts", sources=sources)
        tx.run("delete_sources", sources=sources)

    def _settle(self, tx: Transaction, changes: Changes) -> None:
        """Write entities' new counts and names. Those that no source names by itself any more go.

        The chunks that lose a link to such a one are searched again: a shorter name may fit there now.
        """
        if not changes:
            return
        rows, orphans = [], []
        for ref, packed in zip(*tx.rows("entity_forms", refs=sorted(changes))[0], strict=True):
            change = changes[ref]
            row: dict[str, Any] = {"ref": ref, "own": change.own, "chunks": change.chunks}
            if any(change.forms.values()):
                forms = Counter(unpack_forms(packed))
                forms.update(change.forms)
                forms = +forms
                if not forms:
                    orphans.append(ref)
                    continue
                name, kind, aliases = called(forms)
                row |= {"forms": pack_forms(forms), "name": name, "type": kind, "aliases": list(aliases)}
            rows.append(row)
        tx.run_rows("update_entities", rows)
        if orphans:
            chunks = tx.rows("orphan_chunks", entities=orphans)[0][0]
            if chunks:
                tx.run("mark_chunks", chunks=chunks, mark=self._mark(tx))
            tx.run("delete_entities", entities=orphans)


@dataclass(slots=True)
class _Insertion:
    """The rows of some sources that are new, statement by statement."""

    namespace: str
    number: int
    sources: Sequence[PreparedSource]
    changes: Changes
    entities: dict[str, int] = field(default_factory=dict)
    rows: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def run(self, tx: Transaction) -> None:
        low = self.number << NAMESPACE_BITS
        forms = [_forms(p) for p in self.sources]
        self._find_entities(tx, sorted({key for some in forms for key, _, _ in some}))
        counts = {
            "sources": len(self.sources),
            "chunks": sum(len(p.chunks) for p in self.sources),
            "facts": sum(len(p.facts) for p in self.sources),
        }
        source, chunk, _, fact, _ = tx.rows("take_refs", **counts_taken(self.namespace, **counts))[0]
        source, chunk, fact = (
            low + last - taken + 1 for last, taken in zip((source, chunk, fact), counts.values(), strict=True)
        )
        for prepared, written in zip(self.sources, forms, strict=True):
            self._add_source(source, chunk, prepared, written)
            self._add_facts(chunk, fact, prepared)
            source += 1
            chunk += len(prepared.chunks)
            fact += len(prepared.facts)
        tx.run_rows("create_sources", self.rows["sources"])
        tx.run_rows("create_chunks", self.rows["chunks"])
        tx.run_rows("chain_chunks", self.rows["next"], 2000)
        for start in range(0, len(self.rows["sentences"]), 1000):
            tx.run("create_sentences", namespace=self.namespace, rows=self.rows["sentences"][start : start + 1000])
        tx.run_rows("create_mentions", self.rows["mentions"], 2000)
        tx.run_rows("write_names", self.rows["names"], 2000)
        tx.run_rows("create_forms", self.rows["forms"], 2000)
        tx.run_rows("create_about", self.rows["about"], 2000)
        tx.run_rows("create_facts", self.rows["facts"])

    def _find_entities(self, tx: Transaction, keys: list[str]) -> None:
        """The handle of each entity that the sources name by themselves, made where it is new."""
        found = tx.rows("entity_refs", namespace=self.namespace, keys=keys)[0]
        self.entities = dict(zip(*found, strict=True))
        missing = [key for key in keys if key not in self.entities]
        if not missing:
            return
        last = tx.rows("take_refs", **counts_taken(self.namespace, entities=len(missing)))[0][2]
        first = (self.number << NAMESPACE_BITS) + last - len(missing) + 1
        self.entities |= {key: first + i for i, key in enumerate(missing)}
        rows = [
            {
                "ref": self.entities[key],
                "id": ids.entity_id(self.namespace, key),
                "key": key,
                "head": names.key_head(key),
                "pending": True if names.linkable(key) else None,
            }
            for key in missing
        ]
        for start in range(0, len(rows), 2000):
            tx.run("create_entities", namespace=self.namespace, rows=rows[start : start + 2000])

    def _add_source(self, ref: int, first: int, p: PreparedSource, forms: Counter[tuple[str, str, EntityType]]) -> None:
        s = p.source
        self.rows["sources"].append(
            {
                "labels": _LABELS[s.kind],
                "text": pack_text(p.text),
                "properties": {
                    "ref": ref,
                    "id": s.id,
                    "namespace": self.namespace,
                    "kind": s.kind,
                    "uri": s.uri,
                    "title": s.title,
                    "media_type": s.media_type,
                    "content_hash": s.content_hash,
                    "time": s.timestamp,
                    "ingested_at": s.ingested_at,
                    "tags": list(s.tags),
                    "metadata": to_json(dict(s.metadata)),
                    "facets": facets(dict(s.metadata)),
                    "pages": list(p.pages),
                    "turns": pack_turns(p.turns),
                    "chunk_count": len(p.chunks),
                },
            }
        )
        own = {self.entities[t.key] for t in p.titles}
        self.rows["about"] += [[ref, entity] for entity in sorted(own)]
        by_entity: dict[int, dict[tuple[str, EntityType], int]] = defaultdict(dict)
        for (key, surface, kind), count in forms.items():
            by_entity[self.entities[key]][surface, kind] = count
        for entity, written in sorted(by_entity.items()):
            self.changes[entity].forms.update(written)
            self.rows["forms"].append({"source": ref, "entity": entity, "forms": pack_forms(written)})
        mentions: dict[int, list[Mention]] = defaultdict(list)
        for mention in {(m.ordinal, m.start, m.end, m.key): m for m in p.mentions}.values():
            mentions[mention.ordinal].append(mention)
        for i, (chunk, *encoded) in enumerate(zip(p.chunks, p.vectors, p.sentence_vectors, p.terms, strict=True)):
            self._add_chunk(ref, first + i, p.source, chunk, *encoded)
            self._add_mentions(first + i, mentions[chunk.ordinal], own)
            if i:
                self.rows["next"].append([first + i - 1, first + i])

    def _add_chunk(
        self,
        source_ref: int,
        ref: int,
        source: Source,
        chunk: Chunk,
        vector: Vectors,
        of_sentences: Vectors,
        terms: str,
    ) -> None:
        codes = pack_unit(np.concatenate([vector[None], of_sentences]))
        size = len(vector)
        self.rows["chunks"].append(
            {
                "source": source_ref,
                "vector": Vector(np.ascontiguousarray(vector, np.float32)) if vector.any() else None,
                "properties": {
                    "ref": ref,
                    "id": chunk.id,
                    "namespace": self.namespace,
                    "partition": f"n{self.number}",
                    "kind": source.kind,
                    "ordinal": chunk.ordinal,
                    "start": chunk.start,
                    "end": chunk.end,
                    "time": chunk.timestamp or source.timestamp,
                    "text": chunk.text,
                    "context": chunk.context,
                    "speaker": chunk.speaker,
                    "spoken_at": chunk.timestamp,
                    "truncated": chunk.truncated,
                    "metadata": to_json(dict(chunk.metadata)),
                    "terms": terms,
                    "spans": flat(chunk.sentences),
                    "codes": codes,
                    "pending": 0,
                },
            }
        )
        self.rows["sentences"] += [
            {
                "chunk": ref,
                "id": sentence_id(chunk.id, ordinal),
                "ordinal": ordinal,
                "start": start,
                "end": end,
                "text": chunk.text[start:end],
                "embedding": codes[size * (ordinal + 1) : size * (ordinal + 2)],
            }
            for ordinal, (start, end) in enumerate(chunk.sentences)
        ]

    def _add_mentions(self, chunk: int, mentions: Sequence[Mention], own: set[int]) -> None:
        named: dict[int, list[int]] = {entity: [] for entity in own}
        for m in mentions:
            entity = self.entities[m.key]
            named.setdefault(entity, []).append(m.sentence)
            self.rows["mentions"].append(mention_row(chunk, entity, m.sentence, m.start, m.end, m.surface, m.origin))
        for entity, sentences in sorted(named.items()):
            self.rows["names"].append(names_row(chunk, entity, sentences, entity in own))
            change = self.changes[entity]
            change.own += entity in own
            change.chunks += 1

    def _add_facts(self, first_chunk: int, first: int, p: PreparedSource) -> None:
        seen: dict[str, Fact] = {}
        for fact in p.facts:
            chunk_id = p.chunks[fact.ordinal].id
            seen.setdefault(ids.fact_id(chunk_id, fact.sentence, fact.subject, fact.predicate, fact.objects), fact)
        for i, (fact_id, fact) in enumerate(seen.items()):
            self.rows["facts"].append(
                {
                    "chunk": first_chunk + fact.ordinal,
                    "subject": self.entities.get(fact.subject_key or ""),
                    "object": self.entities.get(fact.object_key or ""),
                    "sentence": sentence_id(p.chunks[fact.ordinal].id, fact.sentence),
                    "recorded_at": p.source.ingested_at,
                    "properties": {
                        "ref": first + i,
                        "id": fact_id,
                        "namespace": self.namespace,
                        "sentence": fact.sentence,
                        "subject": fact.subject,
                        "predicate": fact.predicate,
                        "objects": list(fact.objects),
                        "confidence": fact.confidence,
                        "negated": fact.negated,
                        "folded_subject": fold(fact.subject),
                        "folded_predicate": fold(fact.predicate),
                        "folded_objects": [fold(o) for o in fact.objects],
                    },
                }
            )


def _forms(p: PreparedSource) -> Counter[tuple[str, str, EntityType]]:
    """How a source itself writes names: (key, surface, type)."""
    forms = Counter((m.key, m.surface if m.origin == "acronym" else m.name, m.type) for m in p.mentions)
    forms.update((t.key, t.name, t.type) for t in p.titles)
    return forms


def sentence_id(chunk_id: str, ordinal: int) -> str:
    return f"{chunk_id}.{ordinal}"


def mention_row(chunk: int, entity: int, sentence: int, start: int, end: int, surface: str, origin: str) -> Any:
    return {
        "chunk": chunk,
        "entity": entity,
        "sentence": sentence,
        "start": start,
        "end": end,
        "surface": surface,
        "origin": origin,
    }


def names_row(chunk: int, entity: int, sentences: Sequence[int], own: bool) -> Any:
    """The edge between a chunk and an entity named once for each of `sentences`."""
    weight = graph.edge_weight(len(sentences), own)
    return {
        "chunk": chunk,
        "entity": entity,
        "properties": {
            "chunk": chunk,
            "entity": entity,
            "mentions": len(sentences),
            "own": own,
            "weight": weight,
            "rank": -weight,
            "sentences": sorted(set(sentences)),
        },
    }
