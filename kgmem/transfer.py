"""Copying one store into another, whatever their engines: sources with their vectors, nothing encoded anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from kgmem import errors
from kgmem.ingest.link import link_pending
from kgmem.model import PreparedSource
from kgmem.store import Neo4jOptions, open_store
from kgmem.store.contract import Counts, Store

_CHUNKS = 256
_SOURCES = 64


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of one namespace. `counts` are the target's, the same as the source's."""

    namespace: str
    added: int
    replaced: int
    unchanged: int
    counts: Counts


Progress = Callable[[str, int], None]
"""Told the namespace and how many of its sources have been copied so far."""


def copy(
    source: str,
    target: str,
    *,
    namespaces: Sequence[str] = (),
    source_options: Neo4jOptions = Neo4jOptions(),
    target_options: Neo4jOptions = Neo4jOptions(),
    progress: Progress | None = None,
) -> list[Copied]:
    """Copy these namespaces, or all, from one store URL to another. What is there already is not written again.

    So a run that was interrupted is taken up by the next. Raises `UsageError` where
    both are the same or a namespace isn't there, `EncoderMismatch` where the target
    holds another encoder's vectors, `StoreError` where the counts differ in the end.
    """
    if source == target:
        raise errors.UsageError("Both stores are the same; name another one by --to.")
    with closing(open_store(source, options=source_options)) as opened:
        there = opened.namespaces()
        encoder = opened.fingerprint()
    missing = [name for name in namespaces if name not in there]
    if missing:
        raise errors.UsageError(
            f"There is no namespace {missing[0]!r} in the store to copy from; it has {', '.join(there) or 'none'}."
        )
    if encoder is None:
        raise errors.StoreError("The store to copy from is empty; check its URL.")
    done = []
    for name in namespaces or there:
        with (
            closing(open_store(source, name, options=source_options)) as old,
            closing(open_store(target, name, encoder, options=target_options)) as new,
        ):
            done.append(copy_namespace(old, new, progress))
    return done


def copy_namespace(old: Store, new: Store, progress: Progress | None = None) -> Copied:
    """Copy what `old` holds into `new`, which holds the same encoder's vectors. Raises as `copy` does."""
    if old.counts().pending:
        raise errors.StoreError(
            f"An ingest into namespace {old.namespace!r} of the store to copy from is not finished; run it to its end."
        )
    results = {"added": 0, "replaced": 0, "unchanged": 0}
    for batch in _batches(old.prepared()):
        for result in new.put(batch):
            results[result] += 1
        if progress:
            progress(old.namespace, sum(results.values()))
    link_pending(new)
    wanted, kept = old.counts(), new.counts()
    if wanted != kept:
        raise errors.StoreError(
            f"Namespace {old.namespace!r} has {wanted.sources} sources and {wanted.chunks} chunks in the one store, "
            f"{kept.sources} and {kept.chunks} in the other; the other held some of its own, or one of them was "
            "written to meanwhile."
        )
    return Copied(old.namespace, results["added"], results["replaced"], results["unchanged"], kept)


def _batches(sources: Iterable[PreparedSource]) -> Iterator[list[PreparedSource]]:
    batch: list[PreparedSource] = []
    for source in sources:
        batch.append(source)
        if len(batch) == _SOURCES or sum(len(p.chunks) for p in batch) >= _CHUNKS:
            yield batch
            batch = []
    if batch:
        yield batch
