"""What one may point the store at by mistake: refused in words, and left as it was."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import apsw
import pytest
from build import DIMENSION, FP, make_source
from dump import dump

from kgmem import errors
from kgmem.store import open_store
from kgmem.store.contract import EncoderFingerprint

SOURCE = make_source("default", "s", "Ada met Bob.", names=["Ada", "Bob"])


def url_of(path, query=""):
    return f"sqlite:///{path}{query}"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def filled(path):
    store = open_store(url_of(path), "default", FP)
    store.put([SOURCE])
    store.close()
    return path


def files(path):
    return {p.name: p.read_bytes() for p in path.parent.iterdir()}


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
@pytest.mark.parametrize("content", [b"hello", b"x" * 100_000, b"PK\x03\x04" + b"\0" * 5000, b"SQLite format 3"])
def test_a_file_that_is_no_database(path, mode, content):
    path.write_bytes(content)
    with pytest.raises(errors.StoreError, match="no SQLite database"):
        open_store(url_of(path, mode), "default", FP)
    assert files(path) == {"store.db": content}


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
@pytest.mark.parametrize("marked", [True, False])
def test_a_database_of_another_program(path, mode, marked):
    other = apsw.Connection(str(path))
    if marked:
        other.pragma("application_id", 12345)
    other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    other.close()
    before = files(path)
    with pytest.raises(errors.StoreError, match="another"):
        open_store(url_of(path, mode), "default", FP)
    assert files(path) == before


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_a_newer_store(filled, mode):
    newer = apsw.Connection(str(filled))
    newer.pragma("user_version", 99)
    newer.close()
    before = files(filled)
    with pytest.raises(errors.StoreError, match="version 99"):
        open_store(url_of(filled, mode), "default", FP)
    assert files(filled)["store.db"] == before["store.db"]


def test_a_damaged_file(filled):
    content = bytearray(filled.read_bytes())
    for i in range(32_768, len(content), 997):
        content[i] ^= 0xFF
    filled.write_bytes(content)
    with pytest.raises(errors.StoreError, match="damaged"):
        dump(open_store(url_of(filled), "default", FP))


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_a_folder_that_is_missing_and_one_that_is_no_file(tmp_path, mode):
    with pytest.raises(errors.StoreError, match=r"does not exist|can't be opened"):
        open_store(url_of(tmp_path / "no" / "such" / "store.db", mode))
    assert not (tmp_path / "no").exists()
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(errors.StoreError, match="can't be opened"):
        open_store(url_of(tmp_path / "folder.db", mode))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "store.db",
        "/abs/store.db",
        "sqlite:",
        "sqlite:///",
        "sqlite://store.db",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=memory",
        "postgres://host/db",
        "SQLITE:x",
        "file:///x.db",
        "neo4j",
    ],
)
def test_an_unknown_engine_url(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.UsageError, match=r"sqlite:///|mode="):
        open_store(url)
    assert list(tmp_path.iterdir()) == []


def test_a_password_in_an_unknown_url_is_not_repeated():
    with pytest.raises(errors.UsageError) as refused:
        open_store("postgres://me:secret@host/db")
    assert "secret" not in str(refused.value)


def test_read_only(filled):
    store = open_store(url_of(filled, "?mode=ro"), "default", FP)
    before = dump(store)
    assert store.counts().sources == 1
    for write in (
        lambda: store.put([SOURCE]),
        lambda: store.delete([SOURCE.source.id]),
        lambda: store.seek_names(["ada"]),
        lambda: store.link([]),
    ):
        with pytest.raises(errors.StoreReadOnly, match="mode=ro"):
            write()
    assert dump(store) == before
    store.close()


def test_read_only_makes_no_file(path):
    with pytest.raises(errors.StoreError):
        open_store(url_of(path, "?mode=ro"), "default", FP)
    assert not path.exists()
    path.touch()
    with pytest.raises(errors.StoreError):
        open_store(url_of(path, "?mode=ro"), "default", FP)


def test_read_only_follows_a_writer(filled):
    reader, writer = open_store(url_of(filled, "?mode=ro")), open_store(url_of(filled), "default", FP)
    writer.put([make_source("default", "next", "Cid.")])
    assert reader.counts().sources == 2
    writer.close()
    assert reader.counts().sources == 2
    reader.close()


UNPRIVILEGED = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from build import FP, make_source
from kgmem import errors
from kgmem.store import open_store
# What is imported later may lie where only root can read.
import kgmem.store.sqlite.engine
if os.geteuid() == 0:
    os.setgroups([])
    os.setegid(65534)
    os.seteuid(65534)
folder = Path({folder!r})
url = "sqlite:///" + str(folder / "store.db")
store = open_store(url, "default", FP)
store.put([make_source("default", "s", "Ada met Bob.")])
store.close()

def refused(kind, call):
    try:
        call()
    except kind as error:
        print(type(error).__name__, error)
    else:
        raise SystemExit("not refused")

(folder / "store.db").chmod(0o444)
store = open_store(url, "default", FP)
assert store.counts().sources == 1
refused(errors.StoreReadOnly, lambda: store.put([make_source("default", "t", "Cid.")]))
assert store.counts().sources == 1
store.close()
assert open_store(url + "?mode=ro", "default", FP).counts().sources == 1
(folder / "store.db").chmod(0o000)
refused(errors.StoreError, lambda: open_store(url, "default", FP))
(folder / "store.db").chmod(0o644)
folder.chmod(0o555)
refused(errors.StoreError, lambda: open_store("sqlite:///" + str(folder / "new.db"), "default", FP))
refused(errors.StoreError, lambda: open_store(url, "default", FP).put([make_source("default", "t", "Cid.")]))
assert not (folder / "new.db").exists()
folder.chmod(0o755)
for path in folder.iterdir():
    # SQLite's files beside it have taken over its permissions.
    path.chmod(0o644)
store = open_store(url, "default", FP)
assert store.put([make_source("default", "t", "Cid.")]) == ["added"]
store.close()
"""


def test_files_and_folders_without_permission():
    """In a process that is not root, which may do anything."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
        script = UNPRIVILEGED.format(path=[str(Path(__file__).parent)], folder=folder)
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("name", ["a b.db", "a%20b.db", "ünï 北京.db", "a?b.db", "a#b.db", "a'b\".db", "-x.db"])
def test_odd_file_names(tmp_path, name):
    quoted = name.replace("%", "%25").replace("?", "%3F").replace("#", "%23")
    store = open_store(url_of(tmp_path / quoted), "default", FP)
    store.put([SOURCE])
    assert (tmp_path / name).exists()
    store.close()


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    store = open_store(url_of(path), "default", FP)
    assert store.put([SOURCE]) == ["added"]
    store.close()


def test_the_working_directory_may_change(tmp_path, monkeypatch):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "one")
    store = open_store("sqlite:///store.db", "default", FP)
    store.put([SOURCE])
    monkeypatch.chdir(tmp_path / "two")
    seen = in_thread(lambda: store.counts().sources)
    assert seen == 1
    assert list((tmp_path / "two").iterdir()) == []
    store.close()


def test_a_file_put_in_the_place_of_an_open_one(filled, tmp_path):
    store = open_store(url_of(filled), "default", FP)
    shutil.copy(filled, tmp_path / "other.db")
    os.replace(tmp_path / "other.db", filled)
    assert isinstance(in_thread(store.counts), errors.StoreError)
    for ending in ("", "-wal", "-shm"):
        Path(f"{filled}{ending}").unlink(missing_ok=True)
    assert isinstance(in_thread(store.counts), errors.StoreError)
    assert not filled.exists(), "no empty file is made"
    store.close()


def test_threads_that_end_leave_nothing_open(filled):
    store = open_store(url_of(filled), "default", FP)
    store.counts()

    def open_files():
        return sum(
            os.path.realpath(f"/proc/self/fd/{fd}").startswith(str(filled)) for fd in os.listdir("/proc/self/fd")
        )

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("nothing tells what is open here")
    before = open_files()
    for _ in range(50):
        assert in_thread(lambda: store.counts().sources) == 1
    gc.collect()
    assert open_files() <= before + 6
    store.close()
    assert open_files() == 0


def test_two_hundred_small_namespaces_stay_small(path):
    wide = EncoderFingerprint("wide", "0" * 16, 384)
    store = None
    for i in range(200):
        store = open_store(url_of(path), f"n{i}", wide)
        sources = [make_source(f"n{i}", f"s{j}", f"Ada{j} met Bob{i}.", names=[f"Ada{j}"]) for j in range(20)]
        store.put([widened(source) for source in sources])
        store.close()
    assert path.stat().st_size < 60_000_000


def widened(source):
    from dataclasses import replace

    import numpy as np

    def wide(vectors):
        return np.tile(vectors, 384 // DIMENSION) / np.float32((384 // DIMENSION) ** 0.5)

    return replace(source, vectors=wide(source.vectors), sentence_vectors=[wide(v) for v in source.sentence_vectors])


def test_a_store_that_is_replaced_over_and_over_does_not_grow(path):
    store = open_store(url_of(path), "default", FP)
    sizes = []
    for n in range(40):
        store.put([make_source("default", f"s{i}", f"Ada{n} met Bob{i}. " * 20, names=[f"Ada{n}"]) for i in range(60)])
        sizes.append(path.stat().st_size)
    store.close()
    assert sizes[-1] <= 2 * sizes[2]


def in_thread(call):
    outcome = []

    def run():
        try:
            outcome.append(call())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return outcome[0]
