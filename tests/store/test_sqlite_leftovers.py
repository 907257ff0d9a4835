"""What is deleted is gone from the file in the forms and places that only this engine knows, whatever is in the way."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import apsw
import numpy as np
from build import FP, make_source
from dump import NO_FILTER
from test_sqlite_kill import inspect

from kgmem.store import open_store
from kgmem.store.codec import pack_text, pack_unit


def written(i):
    words = " ".join(
        f"{random.Random(i * 100 + j).randrange(10**9)}" for j in range(random.Random(i).choice((5, 50, 900)))
    )
    return make_source("default", f"s{i}", f"Secret {i} {words}.\n\nMore {words[::-1]}.", f"Title {i}", [f"Secret {i}"])


def forms(source):
    yield pack_text(source.text)
    for vector, sentences in zip(source.vectors, source.sentence_vectors, strict=True):
        yield vector.astype(np.float32).tobytes()
        yield pack_unit(np.concatenate([vector[None], sentences]))


def raw(path):
    return b"\0".join(p.read_bytes() for p in sorted(path.parent.iterdir()))


def test_packed_forms_are_gone_too(tmp_path):
    path = tmp_path / "store.db"
    store = open_store(f"sqlite:///{path}", "default", FP)
    sources = [written(i) for i in range(80)]
    store.put(sources[:40])
    store.put(sources[40:])
    # A large text lies on pages of its own, cut by page headers: its beginning will do.
    pieces = {i: [form[:4000] for form in forms(source)] for i, source in enumerate(sources)}
    before = raw(path)
    store.close()
    before += raw(path)
    assert all(piece in before for found in pieces.values() for piece in found)
    store = open_store(f"sqlite:///{path}", "default", FP)
    gone = random.Random(1).sample(range(80), 60)
    store.delete([sources[i].source.id for i in gone[:30]])
    store.put([make_source("default", f"s{i}", "Plain.") for i in gone[30:]])
    after = raw(path)
    assert [i for i in gone if any(piece in after for piece in pieces[i])] == []
    store.close()
    after = raw(path)
    assert all(piece in after for i in set(range(80)) - set(gone) for piece in pieces[i])


def gaps(path):
    """What lies between pointers and cells in each page of a table or an index, but for zeros and single pointers."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[16:18])
    with_rows = dict.fromkeys((2, 5), 12) | dict.fromkeys((10, 13), 8)
    connection = apsw.Connection(str(path))
    pages = [n for (n,) in connection.execute("SELECT pageno FROM dbstat WHERE pagetype IN ('leaf', 'internal')")]
    connection.close()
    for at in [(n - 1) * size for n in pages]:
        header = at or 100
        start = header + with_rows[raw[header]] + 2 * int.from_bytes(raw[header + 3 : header + 5])
        gap = raw[start : at + int.from_bytes(raw[header + 5 : header + 7])].strip(b"\0")
        if len(gap) > 2:
            yield gap


def filled(path):
    """A store with sources of all sizes, written so that gaps hold copies of rows."""
    store = open_store(f"sqlite:///{path}", "default", FP)
    order = random.Random(3).sample(range(160), 160)
    for i in range(0, 160, 20):
        store.put([written(j) for j in order[i : i + 20]])
    store.put([make_source("default", f"s{j}", "Plain.") for j in order[:20]])
    return store


def ids(numbers):
    return [make_source("default", f"s{i}", "").source.id for i in numbers]


def secrets(path, numbers):
    found = raw(path)
    return [i for i in numbers if f"Secret {i} ".encode() in found or f"Title {i}".encode() + b"\n" in found]


def test_no_gap_holds_anything_after_a_delete(tmp_path):
    path = tmp_path / "store.db"
    store = filled(path)
    store.delete(ids(range(0, 160, 3)))
    store.close()
    assert list(gaps(path)) == []
    inspect(path)


def test_the_index_of_words_stays_sound_when_its_dividers_are_replaced(tmp_path):
    path = tmp_path / "store.db"
    store = open_store(f"sqlite:///{path}", "default", FP)
    rnd = random.Random(5)
    for i in range(0, 60, 10):
        texts = [" ".join(f"word{rnd.randrange(10**6):06}" for _ in range(400)) for _ in range(10)]
        store.put([make_source("default", f"s{i + j}", text) for j, text in enumerate(texts)])
    for i in range(0, 60, 6):
        store.delete(ids(range(i, i + 5)))
        found = store.db.reader().execute("SELECT term FROM term_count").fetchall()
        expected = {t for (terms,) in store.db.reader().execute("SELECT terms FROM chunk") for t in terms.split()}
        assert {term for (term,) in found} == expected
        dividers = [t for (t,) in store.db.reader().execute("SELECT term FROM chunk_terms_idx WHERE term <> x''")]
        assert all(any(word.startswith(divider[1:].decode()) for word in expected) for divider in dividers)
        assert all(store.term_search([term], 1, NO_FILTER) for term in rnd.sample(sorted(expected), 50))
    store.close()
    inspect(path)


def test_no_writer_brings_back_what_it_remembers(tmp_path):
    path = tmp_path / "store.db"
    store = filled(path)
    others = [open_store(f"sqlite:///{path}", "default", FP) for _ in range(2)]
    for i, other in enumerate(others):
        other.put([written(200 + i)])
    others[0].delete(ids(range(0, 160, 3)))
    # A change that leaves every row where it is writes every page as the writer has it.
    with others[0].db.write() as c:
        c.execute("UPDATE chunk SET truncated = 1 - truncated")
    assert secrets(path, range(0, 160, 3)) == []
    for number, other in enumerate([store, others[1]]):
        other.put([written(310 + number)])
    assert secrets(path, range(0, 160, 3)) == []
    for opened in (store, *others):
        opened.close()
    assert all(b"ecret" not in gap for gap in gaps(path))
    inspect(path)


def test_another_process_finishes_what_a_reader_was_in_the_way_of(tmp_path):
    path = tmp_path / "store.db"
    store, other = filled(path), open_store(f"sqlite:///{path}", "default", FP)
    with other.snapshot():
        other.counts()
        store.delete(ids(range(0, 160, 3)))
        store.close()
        assert other.counts().sources == 160
    other.put([written(400)])
    assert secrets(path, range(0, 160, 3)) == []
    other.close()
    assert list(gaps(path)) == []


CHILD = """
import os, sys
sys.path[:0] = {path!r}
from build import FP
from kgmem.store import open_store
from kgmem.store.sqlite import connection
from test_sqlite_leftovers import ids
connection.overwrite_gaps = lambda path: os._exit(9)
open_store({url!r}, "default", FP).delete(ids(range(0, 160, 3)))
"""


def test_what_a_killed_process_left_goes_with_the_next_use(tmp_path):
    path = tmp_path / "store.db"
    filled(path).close()
    script = CHILD.format(path=[str(Path(__file__).parent)], url=f"sqlite:///{path}")
    assert subprocess.run([sys.executable, "-c", script], timeout=120).returncode == 9
    assert list(gaps(path))
    store = open_store(f"sqlite:///{path}", "default", FP)
    with store.snapshot():
        assert store.counts().sources == 160 - len(range(0, 160, 3))
    assert secrets(path, range(0, 160, 3)) == []
    store.close()
    assert list(gaps(path)) == []
    inspect(path)
