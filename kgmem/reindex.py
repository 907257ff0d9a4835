"""Encoding a whole store anew with another encoder. The old file stays as it is until the new one is whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from kgmem import errors
from kgmem.ingest.pipeline import Progress
from kgmem.service import Kgmem
from kgmem.settings import Settings
from kgmem.store import open_store, sqlite_path
from kgmem.store.sqlite.engine import SQLiteStore


def reindex(settings: Settings, progress: Progress | None = None) -> int:
    """Prepare every source of every namespace again with the settings' encoder; returns how many there were.

    Works beside the file and puts the new one in its place at the end. Nobody
    else can write to the old one meanwhile, and what had it open is told to
    open it again. A run that was interrupted is begun again. Raises
    `StoreError` if anything failed; then the old file is still there, unchanged.
    """
    path = sqlite_path(settings.store)
    if not path.exists():
        raise errors.StoreError(f"There is no store at {settings.store}; nothing to encode.")
    beside = path.with_name(path.name + ".reindex")
    _remove(beside)
    old = SQLiteStore(path, settings.namespace)
    try:
        with old.db.write():
            count = _encode(old.namespaces(), settings, beside, progress)
            old.db.give_place(beside)
    except BaseException:
        _remove(beside)
        raise
    finally:
        old.close()
    return count


def _encode(names: Sequence[str], settings: Settings, beside: Path, progress: Progress | None) -> int:
    """Fill the store at `beside` with all sources of these namespaces. Raises `StoreError` unless all came through."""
    encoder = None
    count = 0
    for name in names:
        with (
            closing(open_store(settings.store, name)) as source,
            Kgmem(
                settings.model_copy(update={"store": f"sqlite:///{beside}", "namespace": name}), encoder=encoder
            ) as kg,
        ):
            encoder = kg.encoder
            report = kg.ingest_documents(source.documents(), progress)
            kept, wanted = kg.store.counts().sources, source.counts().sources
        if report.failed or kept != wanted:
            first = f", such as {report.failed[0].uri}: {report.failed[0].reason}" if report.failed else ""
            raise errors.StoreError(
                f"{wanted - kept} of {wanted} sources could not be encoded anew{first.rstrip('.')}. "
                "The old store is unchanged."
            )
        count += kept
    return count


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.remove(f"{path}{ending}")
