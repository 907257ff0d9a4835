"""Linking names known from elsewhere: which chunks are to be searched, and writing what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kgmem.model import Ref
from kgmem.store.contract import Link, PendingChunk
from kgmem.store.handles import namespace_range, within
from kgmem.store.neo4j.codec import pairs
from kgmem.store.neo4j.connection import Transaction
from kgmem.store.neo4j.lucene import every_word
from kgmem.store.neo4j.write import Change, Changes, Writer, mention_row, names_row
from kgmem.terms import spelled

_SCAN_INSTEAD = 4
"""Seeking a name costs about a quarter of searching a chunk again, so many names against few chunks mark them all."""
_QUERIES = 1000


class Linker(Writer):
    def pending_names(self, limit: int) -> list[str]:
        keys: list[str] = self.db.read("pending_keys", namespace=self.namespace, limit=limit)[0][0]
        return keys

    def seek_names(self, keys: Sequence[str]) -> int:
        def work(tx: Transaction) -> int:
            number = self._lock(tx)
            if number is None:
                return 0
            chunks, before = tx.rows("count_pending", namespace=self.namespace)[0]
            # Chunks that are pending already are marked anew too: another process may be searching them right now.
            mark = self._mark(tx)
            if len(keys) > _SCAN_INSTEAD * (chunks - before):
                tx.run("mark_all_chunks", namespace=self.namespace, mark=mark)
            else:
                queries = [every_word(number, words) for key in keys if (words := spelled(key))]
                for start in range(0, len(queries), _QUERIES):
                    some = queries[start : start + _QUERIES]
                    tx.run("mark_spelling_chunks", namespace=self.namespace, queries=some, mark=mark)
            tx.run("unmark_entities", namespace=self.namespace, keys=sorted(set(keys)))
            after = tx.rows("count_pending", namespace=self.namespace)[0][1]
            return int(after - before)

        return self.db.write(work)

    def pending_chunks(self, limit: int) -> list[PendingChunk]:
        return [
            PendingChunk(ref, mark, text, pairs(spans), tuple((start, end) for start, end in taken))
            for ref, mark, text, spans, taken in self.db.read("pending_chunks", namespace=self.namespace, limit=limit)
        ]

    def known(self, keys: Iterable[str]) -> set[str]:
        return set(self.db.read("entity_refs", namespace=self.namespace, keys=sorted(set(keys)))[0][0])

    def known_by_head(self, heads: Iterable[str]) -> dict[str, list[str]]:
        wanted = sorted(set(heads))
        if not wanted:
            return {}
        return dict(map(tuple, self.db.read("keys_by_head", namespace=self.namespace, heads=wanted)))

    def link(self, found: Sequence[tuple[PendingChunk, Sequence[Link]]]) -> None:
        self.db.write(lambda tx: self._link(tx, found))

    def _link(self, tx: Transaction, found: Sequence[tuple[PendingChunk, Sequence[Link]]]) -> None:
        number = self._lock(tx)
        if number is None:
            return
        own = within(namespace_range(number), (chunk.ref for chunk, _ in found))
        marks = dict(zip(*tx.rows("chunk_marks", chunks=own)[0], strict=True))
        current = {chunk.ref: (chunk, links) for chunk, links in found if marks.get(chunk.ref) == chunk.mark}
        if not current:
            return
        keys = sorted({link.key for _, links in current.values() for link in links})
        refs = dict(zip(*tx.rows("entity_refs", namespace=self.namespace, keys=keys)[0], strict=True))
        chunks = sorted(ref for ref in current if isinstance(ref, int))
        tx.run("delete_links", chunks=chunks)
        changes = Changes(Change)
        mentions, written, gone = [], [], []
        for chunk, there, edges in tx.rows("chunk_names", chunks=chunks):
            pending, links = current[chunk]
            sentences: dict[int, list[int]] = defaultdict(list)
            places = set()
            for entity, sentence, start, end in there:
                sentences[entity].append(sentence)
                places.add((start, end, entity))
            for link in links:
                entity = refs.get(link.key)
                if entity is not None and (link.start, link.end, entity) not in places:
                    places.add((link.start, link.end, entity))
                    sentences[entity].append(link.sentence)
                    surface = pending.text[link.start : link.end]
                    mentions.append(
                        mention_row(chunk, entity, link.sentence, link.start, link.end, surface, "gazetteer")
                    )
            old = {edge[0]: edge[1:] for edge in edges}
            for entity in sorted(old.keys() | sentences.keys()):
                count, own_page, before = old.get(entity, (0, False, None))
                if entity not in sentences and not own_page:
                    gone.append([chunk, entity])
                    changes[entity].chunks -= 1
                    continue
                row = names_row(chunk, entity, sentences.get(entity, []), own_page)
                if row["properties"]["mentions"] != count or row["properties"]["sentences"] != before:
                    written.append(row)
                    if entity not in old:
                        changes[entity].chunks += 1
        tx.run_rows("create_mentions", mentions, 2000)
        tx.run_rows("delete_names", gone, 2000)
        tx.run_rows("write_names", written, 2000)
        self._settle(tx, changes)
        done: list[Ref] = [ref for ref, (_, links) in current.items() if all(link.key in refs for link in links)]
        tx.run("unmark_chunks", chunks=done)
