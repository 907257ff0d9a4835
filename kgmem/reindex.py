"""Encoding a whole store anew with another encoder. The old data stay as they are until the new are whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from urllib.request import pathname2url

from kgmem import errors, ids
from kgmem.ingest.pipeline import Progress
from kgmem.service import Kgmem
from kgmem.settings import Settings
from kgmem.store import is_file, open_store, sqlite_path
from kgmem.store.contract import Store
from kgmem.store.neo4j.engine import Neo4jStore
from kgmem.store.sqlite.engine import SQLiteStore
from kgmem.transfer import copy_namespace


def reindex(settings: Settings, progress: Progress | None = None) -> int:
    """Prepare every source of every namespace again with the settings' encoder; returns how many there were.

    Works in a file of its own: beside a store that is a file, in the working folder
    for a Neo4j store. A run that was interrupted is begun again, or taken up where
    the old data have gone already. Raises `StoreError` if anything failed; then the
    old data are still there, unchanged.
    """
    return _reindex_file(settings, progress) if is_file(settings.store) else _reindex_server(settings, progress)


def _reindex_file(settings: Settings, progress: Progress | None) -> int:
    """Put the new file in the old one's place at the end. Nobody else can write to the old one meanwhile."""
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


def _reindex_server(settings: Settings, progress: Progress | None) -> int:
    """Fill the server from the file once that is whole. What was written meanwhile is not lost: it is refused."""
    digest = ids.digest(settings.store, settings.neo4j_database)[:12]
    beside = Path(f"kgmem-reindex-{digest}.db").absolute()
    with closing(Neo4jStore(settings.store, settings.namespace, options=settings.neo4j, replacing=True)) as old:
        begun = old.replaced_by()
        if begun and not Path(begun).exists():
            raise errors.StoreError(f"The data of {settings.store} are in {begun} on the machine where that was begun.")
        if begun:
            beside = Path(begun)
        else:
            _remove(beside)
            writes = old.writes()
            if not writes:
                raise errors.StoreError(f"There is nothing in {settings.store}; nothing to encode.")
            try:
                _encode([name for name, _ in writes], settings, beside, progress)
                old.begin_replacing(str(beside), writes)
            except BaseException:
                _remove(beside)
                raise
        old.empty()
        count = _fill(settings, beside)
        old.end_replacing()
    _remove(beside)
    return count


def _fill(settings: Settings, beside: Path) -> int:
    """Copy the file's namespaces into the emptied server. Returns how many sources there are."""
    url = f"sqlite:///{pathname2url(str(beside))}"
    with closing(open_store(url)) as file:
        names, encoder = file.namespaces(), file.fingerprint()
    count = 0
    for name in names:
        with closing(open_store(url, name)) as file, closing(_target(settings, name)) as target:
            assert encoder is not None
            target.adopt(encoder)
            count += copy_namespace(file, target).counts.sources
    return count


def _target(settings: Settings, name: str) -> Store:
    return Neo4jStore(settings.store, name, options=settings.neo4j, replacing=True)


def _encode(names: Sequence[str], settings: Settings, beside: Path, progress: Progress | None) -> int:
    """Fill the store at `beside` with all sources of these namespaces. Raises `StoreError` unless all came through."""
    encoder = None
    count = 0
    for name in names:
        with (
            closing(open_store(settings.store, name, options=settings.neo4j)) as source,
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
