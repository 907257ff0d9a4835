"""A disk that fills: the write is undone, what was there stays whole, and all goes on once there is space."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from build import FP, make_source
from dump import dump
from workers import version

from kgmem import errors
from kgmem.ingest.link import link_pending
from kgmem.store import open_store


@cache
def large(i):
    text = "\n\n".join(f"Paragraph {i} {j} " + f"word{i}x{j} " * 200 for j in range(30))
    return make_source("default", f"large{i}", text, f"Large {i}", [f"word{i}x{j}" for j in range(10)])


@pytest.fixture
def store(tmp_path):
    opened = open_store(f"sqlite:///{tmp_path / 'store.db'}", "default", FP)
    opened.put([version(i, 0) for i in range(5)])
    link_pending(opened)
    yield opened
    opened.close()


def limit(store, pages):
    """Let the writer's file grow by no more than so many pages; None lifts the limit."""
    with store.db.write() as c:
        used = c.execute("PRAGMA page_count").fetchone()[0]
        c.execute(f"PRAGMA max_page_count = {used + pages if pages is not None else 2**31}").fetchone()


@pytest.mark.parametrize("pages", [0, 1, 2, 5, 10, 20])
def test_a_write_that_finds_no_space_is_undone(store, pages):
    before = dump(store)
    limit(store, pages)
    with pytest.raises(errors.StoreFull, match="Free some space"):
        store.put([large(i) for i in range(20)])
    assert dump(store) == before
    with pytest.raises(errors.StoreFull):
        store.put([large(i) for i in range(20)])
    limit(store, None)
    assert store.put([large(i) for i in range(20)]) == ["added"] * 20
    assert store.delete([large(i).source.id for i in range(20)]) == 20
    link_pending(store)
    assert dump(store) == before


def test_with_no_space_left_one_can_still_read_and_delete(store):
    limit(store, 0)
    assert store.counts().sources == 5
    assert store.delete([version(0, 0).source.id]) == 1
    assert store.counts().sources == 4


CHILD = """
import resource, signal, sys
sys.path[:0] = {path!r}
from build import FP
from kgmem import errors
from kgmem.store import open_store
from test_sqlite_full import large
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    store = open_store({url!r}, "default", FP)
    for i in range(20):
        store.put([large(i)])
except errors.StoreError as error:
    assert "{file}" in str(error), error
    print(type(error).__name__)
else:
    print("written")
"""


@pytest.mark.parametrize("limit", [1, 40_000, 200_000, 1_500_000, 3_000_000, 1_000_000_000])
def test_files_that_may_not_grow(tmp_path, limit):
    """The operating system refuses in the middle of a write; half of it may be on disk."""
    path = tmp_path / "store.db"
    url = f"sqlite:///{path}"
    script = CHILD.format(path=[str(Path(__file__).parent)], limit=limit, url=url, file=path)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() in (("StoreError", "StoreFull") if limit < 10**9 else ("written",)), run.stderr
    store = open_store(url, "default", FP)
    there = store.counts().sources
    assert store.put([large(i) for i in range(20)]) == ["unchanged"] * there + ["added"] * (20 - there)
    store.close()
