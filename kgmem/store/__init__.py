"""Stores: `open_store(url)` gives the engine that the URL names, bound to one namespace."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from kgmem import errors
from kgmem.store.contract import EncoderFingerprint, Store
from kgmem.store.options import Neo4jOptions

__all__ = ["Neo4jOptions", "is_file", "open_store", "sqlite_path"]

_SERVERS = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_NAMESPACE = re.compile(r"[\w][\w .:@/-]{0,99}", re.UNICODE)


def open_store(
    url: str,
    namespace: str = "default",
    fingerprint: EncoderFingerprint | None = None,
    options: Neo4jOptions = Neo4jOptions(),
) -> Store:
    """Open the store that `url` names.

    `sqlite:///relative.db`, `sqlite:////absolute.db` (`?mode=ro` to read only), or a Neo4j server, cluster or
    Aura: `neo4j://host:7687`, `neo4j+s://…`, `bolt://…`, with what else it needs in `options`.

    Raises `UsageError` for an unknown kind of URL or namespace, `EncoderMismatch` where the store's vectors
    are not `fingerprint`'s, `StoreError` where it can't be opened.
    """
    if not _NAMESPACE.fullmatch(namespace):
        raise errors.UsageError(
            f"{namespace!r} is no namespace; use up to 100 letters, digits and any of `_ . : @ / -`."
        )
    scheme = url.partition(":")[0]
    if is_file(url):
        from kgmem.store.sqlite.engine import SQLiteStore

        mode = parse_qs(urlsplit(url).query).get("mode", ["rw"])[-1]
        if mode not in ("rw", "ro"):
            raise errors.UsageError(f"mode={mode} is not known; leave it out, or use mode=ro to read only.")
        return SQLiteStore(sqlite_path(url), namespace, fingerprint, read_only=mode == "ro")
    if scheme in _SERVERS and "://" in url:
        from kgmem.store.neo4j.engine import Neo4jStore

        return Neo4jStore(url, namespace, fingerprint, options)
    raise errors.UsageError(
        f"No engine for the store URL {scheme + ':…' if ':' in url else url!r}; "
        "use sqlite:///path/to/file.db or neo4j://host:7687."
    )


def is_file(url: str) -> bool:
    """Whether the store is a file of this machine."""
    return url.startswith("sqlite:///")


def sqlite_path(url: str) -> Path:
    """The file of a `sqlite:///…` URL."""
    path = unquote(urlsplit(url).path[1:])
    if not path:
        raise errors.UsageError("The store URL names no file; use sqlite:///path/to/file.db.")
    if path == ":memory:":
        raise errors.UsageError("A store lives in a file, not in memory; use sqlite:///path/to/file.db.")
    return Path(path)
