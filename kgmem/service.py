"""`Kgmem`: one store, one encoder, and what can be done with them. The faces (CLI, GraphQL) call this and no more."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from kgmem import errors, ids
from kgmem.ingest.encode import Encoder, load_encoder
from kgmem.ingest.link import link_pending
from kgmem.ingest.load import load_bytes, load_jsonl, load_paths
from kgmem.ingest.load.clean import clean_text
from kgmem.ingest.pipeline import WHOLE, Part, Pipeline, Progress
from kgmem.ingest.report import Report
from kgmem.ingest.workers import Workers
from kgmem.model import Document, Filter, Hit, Skipped
from kgmem.search.engine import NO_FILTER, Mode, search
from kgmem.search.options import NO_OPTIONS, SearchOptions
from kgmem.search.rerank import Reranker, load_reranker, no_reranker
from kgmem.settings import Settings, load_settings
from kgmem.store import open_store
from kgmem.store.contract import Store


class Kgmem:
    """A knowledge store that is open. Use it as a context manager, or `close` it.

    >>> with Kgmem(store="sqlite:///notes.db") as kg:
    ...     kg.ingest(["notes/"])
    ...     hits = kg.search("Who founded the university that she studied at?")

    Arguments are the settings (`kgmem.settings.Settings`). Methods may be
    called from any thread; ingests wait for each other. Raises `UsageError`,
    `StoreError` or `EncoderMismatch` when it opens.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        encoder: Encoder | str | None = None,
        reranker: Reranker | str | None = None,
        **given: Any,
    ) -> None:
        """Open the store that the settings name. `encoder` is a model's name or an encoder, `reranker` likewise."""
        if isinstance(encoder, str):
            given["encoder"], encoder = encoder, None
        if isinstance(reranker, str):
            given["reranker"], reranker = reranker, None
        self.settings = settings or load_settings(**given)
        self._given_encoder = encoder
        self._given_reranker = reranker
        self._lock = threading.Lock()
        self._encoder_lock = threading.Lock()
        self._reranker_lock = threading.Lock()
        self._workers: Workers | None = None
        # Opened without a fingerprint first, so that what needs no encoder does not wait for one to load.
        self._store = open_store(self.settings.store, self.settings.namespace, options=self.settings.neo4j)
        self._checked = False

    def __enter__(self) -> Kgmem:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None
        self._store.close()

    @property
    def store(self) -> Store:
        """The store for reading about; its vectors are checked against the encoder once one is needed."""
        return self._store

    @cached_property
    def _loaded_encoder(self) -> Encoder:
        if self.settings.encoder_url:
            from kgmem.ingest.endpoint import EndpointEncoder

            return EndpointEncoder(self.settings.encoder_url, self.settings.encoder, self.settings.encoder_key)
        return load_encoder(self.settings.encoder, precision=self.settings.precision)

    @property
    def encoder(self) -> Encoder:
        """The encoder, loaded on first use and checked to be the store's own. Raises `EncoderMismatch`."""
        with self._encoder_lock:
            encoder = self._given_encoder or self._loaded_encoder
            if not self._checked:
                self._store.adopt(encoder.fingerprint)
                self._checked = True
            return encoder

    @cached_property
    def _loaded_reranker(self) -> Reranker:
        return load_reranker(self.settings.reranker)

    @property
    def reranker(self) -> Reranker:
        """The reranker, loaded on first use. Raises `UsageError` where none is set, `EncoderError`."""
        with self._reranker_lock:
            if self._given_reranker is not None:
                return self._given_reranker
            if not self.settings.reranker:
                raise no_reranker()
            return self._loaded_reranker

    # Ingest

    def ingest(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        tags: Sequence[str] = (),
        prune: bool = False,
        part: Part = WHOLE,
        progress: Progress | None = None,
    ) -> Report:
        """Ingest files and folders. With `prune`, what is gone from a folder given is removed from the store too.

        `part` (k, n) leaves all but the k-th of n parts to other processes that are given the same paths.
        """
        documents = load_paths(paths, include=include, exclude=exclude, max_bytes=self.settings.max_bytes, tags=tags)
        report = self.ingest_documents(documents, progress, part=part)
        if prune:
            folders = [Path(p).resolve().as_uri() + "/" for p in paths if Path(p).is_dir()]
            # What the globs or this run left out is still there.
            report.pruned += self._prune(report, folders, spare=_on_disk)
        return report

    def ingest_jsonl(
        self,
        stream: IO[bytes] | str | os.PathLike[str],
        *,
        uri: str,
        tags: Sequence[str] = (),
        part: Part = WHOLE,
        progress: Progress | None = None,
    ) -> Report:
        """Ingest JSON lines from a file or a stream: documents, or turns of conversations. `part` as for `ingest`."""
        documents = load_jsonl(stream, uri=uri, max_bytes=self.settings.max_bytes, tags=tags)
        return self.ingest_documents(documents, progress, part=part)

    def ingest_text(
        self,
        text: str,
        *,
        uri: str = "",
        title: str = "",
        media_type: str = "text/plain",
        timestamp: datetime | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Report:
        """Ingest one text, named by its content without a `uri`. Raises `UsageError` for a time without a zone."""
        if timestamp is not None and timestamp.tzinfo is None:
            raise errors.UsageError("The timestamp has no time zone; give one, as in 2026-01-31T12:00:00+00:00.")
        text = clean_text(text)
        uri = uri or f"text:{ids.digest(title, text)}"
        document = Document(uri, text, clean_text(title), media_type, timestamp, tuple(tags), dict(metadata or {}))
        return self.ingest_documents([document])

    def ingest_bytes(
        self, data: bytes, *, uri: str = "", name: str = "", title: str = "", tags: Sequence[str] = ()
    ) -> Report:
        """Ingest one document's bytes, of whatever kind they are. Without a `uri` they are named by their content."""
        uri = uri or f"bytes:{sha256(data).hexdigest()[:24]}"
        try:
            document = load_bytes(data, uri=uri, name=name, max_bytes=self.settings.max_bytes, tags=tags)
        except errors.LoadError as error:
            return self.ingest_documents([Skipped(uri, error.code, str(error))])
        return self.ingest_documents([replace(document, title=title) if title else document])

    def ingest_documents(
        self, documents: Iterable[Document | Skipped], progress: Progress | None = None, *, part: Part = WHOLE
    ) -> Report:
        """Ingest documents as a loader gives them. What a changed file of many documents no longer holds is removed."""
        if not 1 <= part[0] <= part[1]:
            raise errors.UsageError(f"Part {part[0]} of {part[1]} can't be; give one from 1 to the number of parts.")
        settings = self.settings
        with self._lock:
            encoder = self.encoder
            if self._workers is None:
                self._workers = Workers(
                    encoder, settings.english, settings.chinese, settings.processes, settings.encoder_threads
                )
            pipeline = Pipeline(
                self._store,
                self._workers,
                chunk_size=settings.chunk_size,
                chunk_overlap=settings.chunk_overlap,
                min_confidence=settings.min_confidence,
                part=part,
            )
            bases: dict[str, None] = {}
            report = pipeline.run(_noting_bases(documents, bases), progress)
            report.pruned += self._prune(report, [base + "#" for base in bases])
        return report

    def delete(self, source_ids: Iterable[str]) -> int:
        """Remove sources and all that nothing else supports. Returns how many there were."""
        removed = self._store.delete(source_ids)
        if removed:
            link_pending(self._store)
        return removed

    def delete_named(self, names: Iterable[str]) -> tuple[int, list[str]]:
        """Remove sources by id, uri or path; a folder's path means all below it.

        Returns how many there were and the names that fit none.
        """
        missing = []
        found: dict[str, None] = {}
        for name in names:
            at_path = Path(name).resolve().as_uri() if "://" not in name else name
            tried = [name, *(ids.source_id(self._store.namespace, uri) for uri in (name, at_path))]
            fitting = [i for i in tried if self._store.source(i)]
            for mark in "#/":
                fitting += [s.id for s in self._store.sources(uri_prefix=at_path + mark, limit=100_000)]
            if not fitting:
                missing.append(name)
            found.update(dict.fromkeys(fitting))
        return self.delete(found), missing

    def _prune(self, report: Report, prefixes: Sequence[str], spare: Callable[[str], bool] = lambda uri: False) -> int:
        """Remove the sources below these prefixes that did not come by in this run, but for those to `spare`."""
        # What could not be read this time is not gone, nor is anything below it: a folder's files, a file's documents.
        failed = {item.uri for item in report.failed}
        below = tuple(uri + mark for uri in failed for mark in "/#")
        gone = []
        for prefix in prefixes:
            after: str | None = None
            while page := self._store.sources(uri_prefix=prefix, after=after, limit=500):
                gone += [
                    s.id
                    for s in page
                    if s.id not in report.seen
                    and s.uri not in failed
                    and not s.uri.startswith(below)
                    and not spare(s.uri)
                ]
                after = page[-1].id
        return self.delete(gone) if gone else 0

    # Search

    def search(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        k: int = 10,
        where: Filter = NO_FILTER,
        as_of: datetime | None = None,
        options: SearchOptions = NO_OPTIONS,
    ) -> list[Hit]:
        """The `k` chunks that answer best, explained; see `kgmem.search.engine.search`."""
        reranker = self.reranker if options.rerank else None
        return search(
            self._store,
            self.encoder,
            question,
            mode=mode,
            k=k,
            where=where,
            as_of=as_of,
            options=options,
            reranker=reranker,
        )


def _on_disk(uri: str) -> bool:
    """Whether the file that a source came from is still there."""
    return Path(url2pathname(urlsplit(uri).path)).exists()


def _noting_bases(documents: Iterable[Document | Skipped], bases: dict[str, None]) -> Iterator[Document | Skipped]:
    """Pass documents on, noting the files that hold several (`file:///…#id`, `upload:…#id`)."""
    for document in documents:
        base, mark, _ = document.uri.partition("#")
        if mark and base.startswith(("file:", "upload:")) and isinstance(document, Document):
            bases[base] = None
        yield document
