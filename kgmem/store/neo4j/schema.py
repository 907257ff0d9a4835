"""Constraints and indexes: made once, also when many open the store at the same moment, and waited for."""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable

from neo4j import exceptions as neo4j_errors

from kgmem import errors
from kgmem.store.neo4j.connection import Database
from kgmem.store.neo4j.statements import schema, statement
from kgmem.store.options import Neo4jOptions

VECTOR_INDEX = "chunk_embedding"
_PATIENCE_SECONDS = 300
_TRIES = 20
_NAMED = re.compile(r"^CREATE\s+(?:\w+\s+)*?(?:CONSTRAINT|INDEX)\s+(\w+)\s+IF", re.MULTILINE)

_log = logging.getLogger(__name__)


def prepare(db: Database, *, dimension: int | None, options: Neo4jOptions) -> None:
    """Make what is missing and wait until all of it can be used.

    `dimension` is that of the vector index, None while there is no encoder yet.
    Raises `StoreError` where an index can't be made or isn't ready in time.
    """
    there = _indexes(db)
    statements = [text for text in schema() if _name(text) not in there]
    for text in statements:
        _define(lambda text=text: db.define(text), db)  # type: ignore[misc]
    if dimension is not None:
        _prepare_vectors(db, there, dimension, options)
    _await(db)


def _name(text: str) -> str:
    named = _NAMED.search(text)
    if named is None:
        raise ValueError(f"no name in {text!r}")
    return named.group(1)


def _indexes(db: Database) -> dict[str, dict[str, object]]:
    """Options of the indexes that are there, by name. A constraint's index has the constraint's name."""
    return {name: options or {} for name, _, _, options in db.read("show_indexes")}


def _prepare_vectors(db: Database, there: dict[str, dict[str, object]], dimension: int, options: Neo4jOptions) -> None:
    config: dict[str, object] = {"vector.dimensions": dimension, "vector.similarity_function": "cosine"}
    if options.m is not None:
        config["vector.hnsw.m"] = options.m
    if options.ef_construction is not None:
        config["vector.hnsw.ef_construction"] = options.ef_construction
    if options.quantization:
        config["vector.quantization.type"] = options.quantization.upper()
    found = there.get(VECTOR_INDEX, {}).get("indexConfig")
    if isinstance(found, dict):
        if found.get("vector.dimensions") == dimension:
            return
        # Left over from a store that was emptied: it holds nothing.
        _define(lambda: db.define(statement("drop_vector_index")), db)
    text = statement("create_vector_index")
    _define(lambda: db.define(text, options={"indexConfig": config}), db)


def _define(run: Callable[[], None], db: Database) -> None:
    """Others may be making the same at this moment: then it is there the next time."""
    for attempt in range(1, _TRIES + 1):
        try:
            run()
        except neo4j_errors.Neo4jError as error:
            known = "AlreadyExists" in (error.code or "")
            if known:
                return
            if attempt == _TRIES or not (error.is_retryable() or "CreationFailed" in (error.code or "")):
                with db.translated():
                    raise
            _log.debug("making an index again", exc_info=True)
            time.sleep(random.uniform(0.05, 0.25) * min(attempt, 5))
        except neo4j_errors.DriverError:
            with db.translated():
                raise
        else:
            return


def _await(db: Database) -> None:
    states = db.read("show_indexes")
    failed = [name for name, state, _, _ in states if state == "FAILED"]
    if failed:
        raise errors.StoreError(
            f"The index {failed[0]} on {db.where} has failed; look into the server's log, drop it, and open the store "
            "again."
        )
    if all(state == "ONLINE" for _, state, _, _ in states):
        return
    try:
        db.read("await_indexes", seconds=_PATIENCE_SECONDS)
    except errors.StoreError as error:
        waiting = [f"{name} ({done:.0f} %)" for name, state, done, _ in db.read("show_indexes") if state != "ONLINE"]
        if not waiting:
            return
        raise errors.StoreBusy(
            f"{db.where} is still filling {', '.join(waiting)} after {_PATIENCE_SECONDS} s; try again later."
        ) from error
