"""What a server may be like: closed, away, too old, read-only, short of memory, restarted. One sentence, or a retry."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import neo4j
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "store"))

from build import FP, make_source
from dump import dump
from server import Servers, free_port

from kgmem import Kgmem, errors
from kgmem.ingest.encode import Encoder
from kgmem.ingest.link import link_pending
from kgmem.store import Neo4jOptions, open_store
from kgmem.store.neo4j import connection, schema

PASSWORD = "a-good-secret-1"
Start = Callable[..., Servers]


@pytest.fixture
def url(neo4j_urls: tuple[str, ...]) -> str:
    with neo4j.GraphDatabase.driver(neo4j_urls[0]) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    return neo4j_urls[0]


def sources(count: int, text: str = "Ada met Bob.") -> list:
    return [
        make_source("default", f"s{i}", f"{text} Number {i}.\n\nBob left.", names=["Ada", "Bob"]) for i in range(count)
    ]


def assert_whole(store) -> None:
    """Every source that is there has all its chunks, and every chunk a source."""
    there = store.sources(limit=10_000)
    assert sum(s.chunk_count for s in there) == store.counts().chunks
    for source in there:
        assert len(store.source_chunks(source.id)) == source.chunk_count


def sentence_of(error: BaseException) -> str:
    said = str(error)
    assert "\n" not in said
    assert PASSWORD not in said
    return said


@pytest.fixture(scope="module")
def closed(start_neo4j: Start) -> Iterator[str]:
    with start_neo4j(1, password=PASSWORD) as servers:
        yield servers.bolt_urls[0]


class TestPassword:
    def test_the_right_one_opens(self, closed):
        with closing(open_store(closed, fingerprint=FP, options=Neo4jOptions(password=PASSWORD))) as store:
            assert store.put(sources(1)) == ["added"]

    @pytest.mark.parametrize(
        "options", [Neo4jOptions(password="wrong-one-1"), Neo4jOptions(), Neo4jOptions("x", PASSWORD)]
    )
    def test_another_is_refused(self, closed, options):
        with pytest.raises(errors.StoreError, match="neo4j_user and neo4j_password") as refused:
            open_store(closed, options=options)
        assert "wrong-one-1" not in sentence_of(refused.value)

    def test_a_database_that_is_not_there(self, closed):
        with pytest.raises(errors.StoreError, match="neo4j_database"):
            open_store(closed, options=Neo4jOptions(password=PASSWORD, database="nowhere"))


@pytest.mark.parametrize("secret", ["neo4j://me:hidden-word@localhost:7687", "bolt://localhost:7687/db", "neo4j://"])
def test_only_a_scheme_a_host_and_a_port_are_a_url(secret):
    with pytest.raises(errors.UsageError, match="neo4j_password") as refused:
        open_store(secret)
    assert "hidden-word" not in str(refused.value)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_server_that_is_away(scheme):
    port = free_port()
    with pytest.raises(errors.StoreUnavailable, match=f"127.0.0.1:{port} can't be reached"):
        open_store(f"{scheme}://127.0.0.1:{port}")


def test_an_old_server(url, monkeypatch):
    monkeypatch.setattr(connection, "OLDEST", (9999, 1))
    with pytest.raises(errors.StoreError, match=r"version 20\d\d\..*needs 9999.01 or newer"):
        open_store(url)


class Indexes:
    """A server whose indexes are still being filled for a while."""

    where = "Neo4j at nowhere:7687"

    def __init__(self, states: list[str]) -> None:
        self.states = states
        self.waited = False

    def read(self, name: str, **_: object) -> list:
        if name == "await_indexes":
            self.waited = True
            if len(self.states) > 1:
                self.states.pop(0)
            else:
                raise errors.StoreError("timed out")
        return [["chunk_embedding", self.states[0], 42.0, {}]]


def test_an_index_that_is_being_filled_is_waited_for():
    indexes = Indexes(["POPULATING", "ONLINE"])
    schema._await(indexes)
    assert indexes.waited


def test_an_index_that_is_not_filled_in_time():
    with pytest.raises(errors.StoreBusy, match=r"still filling chunk_embedding \(42 %\)"):
        schema._await(Indexes(["POPULATING"]))


def test_an_index_that_has_failed():
    with pytest.raises(errors.StoreError, match=r"chunk_embedding.*has failed"):
        schema._await(Indexes(["FAILED"]))


def test_a_store_of_another_version(url):
    open_store(url, fingerprint=FP).close()
    with neo4j.GraphDatabase.driver(url) as driver:
        driver.execute_query("MATCH (k:Kgmem) SET k.version = 99")
        with pytest.raises(errors.StoreError, match="store version 99, this kgmem reads version 1"):
            open_store(url)


def test_read_only(start_neo4j: Start, tmp_path):
    with start_neo4j(1, folder=tmp_path) as servers, closing(open_store(servers.bolt_urls[0], fingerprint=FP)) as store:
        store.put(sources(2))
        link_pending(store)
        before = dump(store)
    config = {"server.databases.default_to_read_only": "true"}
    with (
        start_neo4j(1, folder=tmp_path, config=config) as servers,
        closing(open_store(servers.bolt_urls[0], fingerprint=FP)) as store,
    ):
        assert dump(store) == before
        for write in (lambda: store.put(sources(3)), lambda: store.delete([sources(1)[0].source.id])):
            with pytest.raises(errors.StoreReadOnly, match="takes no writes"):
                write()
        assert dump(store) == before


@pytest.fixture(scope="module")
def small(start_neo4j: Start) -> Iterator[str]:
    with start_neo4j(1, config={"db.memory.transaction.max": "16m"}) as servers:
        yield servers.bolt_urls[0]


class TestMemory:
    def test_a_transaction_that_is_too_large_is_not_tried_again_and_again(self, small):
        with closing(open_store(small, "one", FP)) as store:
            text = "\n\n".join(f"Ada met Person{i} Smith. Bob left." for i in range(6000))
            large = make_source("one", "large", text, names=["Ada", "Bob"])
            begun = time.monotonic()
            with pytest.raises(errors.StoreTooLarge, match=r"db\.memory\.transaction\.max"):
                store.put([make_source("one", "small", "Ada."), large])
            assert time.monotonic() - begun < connection._RETRY_SECONDS
            assert store.counts().chunks == 0
            assert store.put([make_source("one", "small", "Ada.")]) == ["added"]

    def test_the_rest_of_an_ingest_goes_on(self, url, encoder: Encoder):
        with Kgmem(store=url, encoder=encoder, processes=0, encoder_threads=1) as kg:
            put = kg.store.put

            def refusing(given):
                if any("large" in p.source.uri for p in given):
                    raise errors.StoreTooLarge("too large")
                return put(given)

            kg.store.put = refusing
            lines = b'{"id": "a", "text": "Ada."}\n{"id": "large", "text": "Bob."}\n{"id": "c", "text": "Cid."}\n'
            report = kg.ingest_jsonl(BytesIO(lines), uri="x")
            assert report.added == 2
            assert [f.code for f in report.failed] == ["STORE_TOO_LARGE"]


def test_a_deadlock_is_resolved(url):
    """Another client holds a source and wants the namespace; a delete holds the namespace and wants the source."""
    with closing(open_store(url, fingerprint=FP)) as store, neo4j.GraphDatabase.driver(url) as driver:
        store.put(sources(2))
        removed: list[int] = []
        doomed = sources(2)[0].source.id
        with driver.session() as session:
            tx = session.begin_transaction()
            tx.run("MATCH (s:Source {id: $id}) SET s.held = true", id=doomed).consume()
            thread = threading.Thread(target=lambda: removed.append(store.delete([doomed])))
            thread.start()
            time.sleep(1)
            try:
                tx.run("MATCH (n:Namespace {name: 'default'}) SET n.held = true").consume()
                tx.commit()
            except neo4j.exceptions.TransientError:
                tx.close()
        thread.join(60)
        assert removed == [1]
        assert [s.uri for s in store.sources()] == ["s1"]
        assert_whole(store)


def test_a_restart_in_the_middle_of_writing(start_neo4j: Start, tmp_path):
    port = free_port()
    servers = start_neo4j(1, folder=tmp_path, port=port)
    store = open_store(servers.bolt_urls[0], fingerprint=FP)
    wanted = sources(200)
    failed: list[BaseException] = []
    done = []

    def write() -> None:
        for source in wanted:
            try:
                done.extend(store.put([source]))
            except errors.StoreUnavailable as error:
                failed.append(error)
            if len(done) % 20 == 0:
                link_pending_patiently(store)

    thread = threading.Thread(target=write)
    thread.start()
    while len(done) < 40:
        time.sleep(0.01)
    servers.kill()
    servers = start_neo4j(1, folder=tmp_path, port=port)
    thread.join(120)
    assert not thread.is_alive()
    # A transaction whose end nobody heard of may be there or not, but whole.
    assert len(failed) <= 2
    assert_whole(store)
    store.put(wanted)
    link_pending(store)
    assert store.counts().sources == 200
    with closing(open_store(f"sqlite:///{tmp_path / 'alone.db'}", fingerprint=FP)) as alone:
        alone.put(wanted)
        link_pending(alone)
        assert dump(store) == dump(alone)
    store.close()
    servers.close()


def link_pending_patiently(store) -> None:
    """Reads are not tried for as long as writes are."""
    for _ in range(60):
        try:
            link_pending(store)
        except errors.StoreUnavailable:
            time.sleep(0.5)
        else:
            return


def test_what_was_written_is_seen_elsewhere_by_its_bookmark(url):
    with closing(open_store(url, fingerprint=FP)) as store:
        store.put(sources(1))
        marks = store.bookmarks()
        assert marks
        with pytest.raises(errors.UsageError, match="bookmark"):
            store.follow(["nonsense"])
        assert store.counts().sources == 1
        store.follow(marks)
        assert store.counts().sources == 1
