"""A writer killed at any moment leaves a file that opens, is sound, and holds whole sources only."""

from __future__ import annotations

import os
import random
import signal

import apsw
import pytest
import sqlite_vec
from build import FP
from workers import check_one_state, context, start, version, write_for_ever

from kgmem.ingest.link import link_pending
from kgmem.store import open_store

KILLS = 100


def inspect(path):
    """SQLite's own checks, over every table and both indexes."""
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    assert [row[0] for row in connection.execute("PRAGMA integrity_check")] == ["ok"]
    connection.execute("INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('integrity-check', 1)")

    def rows(sql):
        return {row[0] for row in connection.execute(sql)}

    chunks = rows("SELECT rowid FROM chunk")
    assert rows("SELECT rowid FROM vector") == rows("SELECT chunk FROM sentence") == chunks
    assert rows("SELECT chunk FROM mention UNION SELECT chunk FROM edge UNION SELECT chunk FROM fact") <= chunks
    assert rows("SELECT chunk FROM pending_chunk") <= chunks
    entities = rows("SELECT rowid FROM entity")
    assert rows("SELECT entity FROM form") == entities
    assert (
        rows("SELECT entity FROM mention UNION SELECT entity FROM edge UNION SELECT entity FROM pending_name")
        <= entities
    )
    assert rows("SELECT source FROM form UNION SELECT source FROM chunk") <= rows("SELECT rowid FROM source")
    connection.close()


def check_whole(store):
    whole = {}
    for n in range(4):
        for i in range(30):
            made = version(i, n)
            whole[made.source.id, made.source.content_hash] = made
    for source in store.sources(limit=1000):
        made = whole[source.id, source.content_hash]
        assert store.text(source.id) == made.text
        assert [c.chunk for c in store.source_chunks(source.id)] == list(made.chunks)


@pytest.mark.slow
def test_killed_at_a_hundred_random_moments(tmp_path):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rnd = random.Random(seed)
    path = tmp_path / "store.db"
    url = f"sqlite:///{path}"
    for kill in range(KILLS):
        ready = context().Event()
        (process,) = start(1, write_for_ever, url, rnd.randrange(10**6), ready)
        # Before it is ready it creates, or opens and recovers, the file: some are killed there too.
        if kill % 5:
            assert ready.wait(60)
        process.join(rnd.random() ** 2 * 0.4)
        assert process.is_alive(), "the writer failed by itself"
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        store = open_store(url, "default", FP)
        check_one_state(store)
        check_whole(store)
        store.close()
        inspect(path)
    store = open_store(url, "default", FP)
    link_pending(store)
    check_one_state(store)
    store.put([version(i, 1) for i in range(30)])
    assert store.counts().sources == 30
    store.close()
    inspect(path)
