"""Ingest: documents in, sources in the store, with a report of each.

Loading and splitting, analysing, encoding and writing overlap, with a bounded
number of chunks under way, so memory stays flat however long the input is.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from kgmem import errors, ids
from kgmem.ingest.analysis import Analysis
from kgmem.ingest.encode import Encoded
from kgmem.ingest.link import link_pending
from kgmem.ingest.prepare import assemble, content_hash, make_chunks, passages
from kgmem.ingest.report import Report
from kgmem.ingest.split import Splitter
from kgmem.ingest.workers import Workers
from kgmem.model import Chunk, Document, PreparedSource, Skipped
from kgmem.store.contract import Store

_log = logging.getLogger(__name__)
_BATCH = 64
"""Chunks analysed and encoded together; enough to sort by length, few enough to keep every worker busy."""
_AHEAD = 6
_LOOK_UP = 64
_PROCESSES_FROM = 4
"""Batches after which processes for analysis pay for their start."""

In = TypeVar("In")
Out = TypeVar("Out")
Progress = Callable[[Report], None]


@dataclass(slots=True)
class _Work:
    """A document on its way, and what is done of it."""

    document: Document
    source_id: str
    hashed: str
    chunks: list[Chunk]
    analyses: list[Analysis] = field(default_factory=list)
    encoded: list[Encoded] = field(default_factory=list)
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """Consecutive chunks of one document within a batch."""

    work: _Work
    chunks: list[Chunk]


Batch = list[_Part]
Part = tuple[int, int]
"""(k, n): the k-th, from 1, of n parts of a corpus that as many processes share."""
WHOLE: Part = (1, 1)


def in_part(source_id: str, part: Part) -> bool:
    """Whether a source is of this part; by its id, so that all processes agree."""
    k, n = part
    return int(source_id[1:], 16) % n == k - 1


class Pipeline:
    """Ingests into one store with one encoder. Not to be used from two threads at once."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        *,
        chunk_size: int,
        chunk_overlap: int = 0,
        min_confidence: float = 0.0,
        part: Part = WHOLE,
    ) -> None:
        self._store = store
        self._workers = workers
        encoder = workers.encoder
        self._splitter = Splitter(encoder.tokenizer, min(chunk_size, encoder.max_tokens), chunk_overlap)
        self._min_confidence = min_confidence
        self._part = part
        self._recipe = f"{chunk_size}/{chunk_overlap}/{min_confidence}"

    def run(self, documents: Iterable[Document | Skipped], progress: Progress | None = None) -> Report:
        """Ingest them all. A document that fails is reported and the rest goes on; a store that fails ends the run."""
        report = Report()
        analysed = _ahead(self._batches(documents, report), self._start_analysis, _AHEAD)
        encoded = _ahead(self._analysed(analysed), self._start_encoding, self._workers.encoder_threads + 1)
        for (batch, _), future in encoded:
            self._collect(batch, future)
            works = list({id(part.work): part.work for part in batch}.values())
            self._finish([w for w in works if w.error or len(w.encoded) == len(w.chunks)], report)
            if progress:
                progress(report)
        report.linked = link_pending(self._store)
        return report

    # Loading and splitting

    def _batches(self, documents: Iterable[Document | Skipped], report: Report) -> Iterator[Batch]:
        batch: Batch = []
        room, count = _BATCH, 0
        for work in self._works(documents, report):
            if not work.chunks:
                report.fail(work.document.uri, errors.EmptyDocument.code, "There is no text in it.")
                continue
            position = 0
            while position < len(work.chunks):
                part = work.chunks[position : position + room]
                batch.append(_Part(work, part))
                position += len(part)
                room -= len(part)
                if room == 0:
                    count += 1
                    if count == _PROCESSES_FROM:
                        self._workers.start_processes()
                    yield batch
                    batch, room = [], _BATCH
        if batch:
            yield batch

    def _works(self, documents: Iterable[Document | Skipped], report: Report) -> Iterator[_Work]:
        """Documents that are new or have changed, split. Looked up together, as long as no input is waited for."""
        seen: dict[str, str] = {}
        for page in _pages(iter(documents), _LOOK_UP, 1 << 20):
            found = []
            for item in page:
                source_id = ids.source_id(self._store.namespace, item.uri)
                if isinstance(item, Document):
                    report.seen.add(source_id)
                if not in_part(source_id, self._part):
                    continue
                if isinstance(item, Skipped):
                    report.skip(item)
                    continue
                found.append((item, source_id, content_hash(item, self._recipe)))
            present = self._store.hashes([source_id for _, source_id, _ in found])
            for document, source_id, hashed in found:
                if seen.get(source_id, present.get(source_id)) == hashed:
                    report.unchanged += 1
                    continue
                seen[source_id] = hashed
                try:
                    yield _Work(document, source_id, hashed, make_chunks(document, source_id, self._splitter))
                except Exception as error:
                    _log.debug("splitting %s failed", document.uri, exc_info=True)
                    report.fail(document.uri, errors.KgmemError.code, _reason(error))

    # Analysing and encoding

    def _start_analysis(self, batch: Batch) -> Future[list[Analysis]]:
        return self._workers.analyse([c.text for part in batch for c in part.chunks])

    def _analysed(
        self, batches: Iterable[tuple[Batch, Future[list[Analysis]]]]
    ) -> Iterator[tuple[Batch, list[Analysis]]]:
        for batch, future in batches:
            try:
                yield batch, future.result()
            except BrokenProcessPool:
                self._workers.restart()
                yield batch, self._analyse_singly(batch)
            except errors.EncoderError:
                raise  # a model that is not there fails every document alike
            except Exception:
                yield batch, self._analyse_singly(batch)

    def _analyse_singly(self, batch: Batch) -> list[Analysis]:
        found = []
        for part in batch:
            try:
                found += self._workers.analyse([c.text for c in part.chunks]).result()
            except Exception as error:
                _log.debug("analysing %s failed", part.work.document.uri, exc_info=True)
                part.work.error = error
                found += [Analysis((), (), ())] * len(part.chunks)
        return found

    def _start_encoding(self, item: tuple[Batch, list[Analysis]]) -> Future[list[Encoded]]:
        batch, analyses = item
        position = 0
        for part in batch:
            part.work.analyses += analyses[position : position + len(part.chunks)]
            position += len(part.chunks)
        return self._workers.encode(passages([c for part in batch for c in part.chunks], analyses))

    def _collect(self, batch: Batch, future: Future[list[Encoded]]) -> None:
        try:
            encoded = future.result()
        except errors.EncoderError:
            raise
        except Exception:
            self._encode_singly(batch)
            return
        position = 0
        for part in batch:
            part.work.encoded += encoded[position : position + len(part.chunks)]
            position += len(part.chunks)

    def _encode_singly(self, batch: Batch) -> None:
        for part in batch:
            start = part.chunks[0].ordinal
            analyses = part.work.analyses[start : start + len(part.chunks)]
            try:
                part.work.encoded += self._workers.encode(passages(part.chunks, analyses)).result()
            except Exception as error:
                _log.debug("encoding %s failed", part.work.document.uri, exc_info=True)
                part.work.error = error

    # Writing

    def _finish(self, works: Sequence[_Work], report: Report) -> None:
        ready = []
        for work in works:
            try:
                if work.error is None:
                    ready.append((work, self._assembled(work)))
            except Exception as error:
                _log.debug("assembling %s failed", work.document.uri, exc_info=True)
                work.error = error
        self._write(ready, report)
        for work in works:
            if work.error is not None and not report.has_failed(work.document.uri):
                code = getattr(work.error, "code", errors.KgmemError.code)
                report.fail(work.document.uri, code, _reason(work.error))

    def _write(self, ready: Sequence[tuple[_Work, PreparedSource]], report: Report) -> None:
        """Write them in one transaction, or each in its own where one of them can't be written."""
        if not ready:
            return
        try:
            for result, (_, prepared) in zip(self._store.put([p for _, p in ready]), ready, strict=True):
                report.count(result, prepared)
        except Exception as error:
            # A store that fails ends the run; a document that is too large for it does not.
            if isinstance(error, errors.StoreError) and not isinstance(error, errors.StoreTooLarge):
                raise
            work = ready[0][0]
            _log.debug("storing %s failed", work.document.uri, exc_info=True)
            if len(ready) == 1:
                work.error = error
                return
            for pair in ready:
                self._write([pair], report)

    def _assembled(self, work: _Work) -> PreparedSource:
        now = datetime.now(UTC)
        return assemble(
            work.document,
            work.source_id,
            work.hashed,
            now,
            work.chunks,
            work.analyses,
            work.encoded,
            self._min_confidence,
        )


def _reason(error: Exception) -> str:
    return (
        str(error) if isinstance(error, errors.KgmemError) else f"It could not be processed ({type(error).__name__})."
    )


def _ahead(items: Iterable[In], start: Callable[[In], Future[Out]], depth: int) -> Iterator[tuple[In, Future[Out]]]:
    """Start the work of up to `depth` items ahead of the one that is waited for; results in order."""
    waiting: deque[tuple[In, Future[Out]]] = deque()
    source = iter(items)
    while True:
        while len(waiting) < depth and (batch := list(islice(source, 1))):
            waiting.append((batch[0], start(batch[0])))
        if not waiting:
            return
        waiting[0][1].exception()
        yield waiting.popleft()


def _pages(items: Iterator[Document | Skipped], count: int, characters: int) -> Iterator[Sequence[Document | Skipped]]:
    """The items in pages of at most `count`, closed early once they hold so many characters."""
    page: list[Document | Skipped] = []
    size = 0
    for item in items:
        page.append(item)
        size += len(item.text) if isinstance(item, Document) else 0
        if len(page) >= count or size >= characters:
            yield page
            page, size = [], 0
    if page:
        yield page
