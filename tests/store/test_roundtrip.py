"""Every document comes back as it was loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from build import document_of, make_conversation, make_source
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgmem.model import Document, Turn
from kgmem.store.contract import Store

T = datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)


def test_all_that_is_known_of_a_document(store: Store):
    source = make_source(
        "default",
        "file:a.pdf",
        "Page one.\fPage two.",
        "Title",
        tags=("b", "a", "b"),
        metadata={"list": [1, 2.5, None, True, {"deep": "x"}], "empty": {}, "n": -1, "big": 2**70, "none": None},
        timestamp=T,
        kind="memory",
        pages=(0, 10),
        media_type="application/pdf",
    )
    store.put([source])
    assert list(store.documents()) == [document_of(source)]
    assert store.source(source.source.id) == source.source


def test_turns_as_they_were_said_however_they_were_cut(store: Store):
    """A long turn is several chunks, an empty one none; the document has the turns."""
    text = "Hello there. How are you?\n   \nFine."
    turns = (
        Turn(0, 25, "Ann", T, {"id": "1", "n": [1]}),
        Turn(26, 29, "Bob"),
        Turn(30, 35, "Ann", T + timedelta(seconds=1)),
    )
    talk = make_source(
        "default", "talk", text, kind="conversation", turns=[Turn(0, 12, "Ann"), Turn(13, 25, "Ann"), turns[2]]
    )
    talk = type(talk)(**{f: getattr(talk, f) for f in talk.__slots__} | {"turns": turns})
    store.put([talk])
    (document,) = store.documents()
    assert document.turns == turns
    assert len(store.source_chunks(talk.source.id)) == 3


def test_a_conversation(store: Store):
    talk = make_conversation("default", "talk", [("Ann", "Hello.", T), ("Bob", "Hi."), ("", "…")], "Talk")
    store.put([talk])
    (document,) = store.documents()
    assert document == document_of(talk, talk.turns)
    assert [document.text[t.start : t.end] for t in document.turns] == ["Hello.", "Hi.", "…"]


@pytest.mark.parametrize(
    "time",
    [
        T,
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
        datetime(2024, 7, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    ],
)
def test_times_come_back_aware_and_in_utc(store: Store, time):
    talk = make_conversation("default", "talk", [("Ann", "Hello.", time)])
    store.put([make_source("default", "s", "text", timestamp=time, ingested_at=time), talk])
    documents = {d.uri: d for d in store.documents()}
    source = store.source(make_source("default", "s", "text").source.id)
    (chunk,) = store.source_chunks(talk.source.id)
    for back in (
        documents["s"].timestamp,
        source.timestamp,
        source.ingested_at,
        documents["talk"].turns[0].timestamp,
        chunk.chunk.timestamp,
    ):
        assert back == time
        assert back.tzinfo == UTC
        assert back.utcoffset() == timedelta(0)


CHILD = """
import sys
sys.path[:0] = {path!r}
from datetime import UTC, datetime
from build import FP, make_source
from kgmem.model import Filter
from kgmem.store import open_store
store = open_store({url!r}, "default", FP)
time = datetime(2024, 1, 1, tzinfo=UTC)
store.put([make_source("default", "child", "text", timestamp=time)])
assert [s.timestamp.isoformat() for s in store.sources()] == ["2024-01-01T00:00:00+00:00"] * 2
assert len(store.time_search(time, datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC), 5, Filter())) == 2
store.close()
"""


def test_the_machines_own_zone_does_not_matter(engine):
    store = engine.open()
    store.put([make_source("default", "parent", "text", timestamp=datetime(2024, 1, 1, tzinfo=UTC))])
    script = CHILD.format(path=[str(Path(__file__).parent)], url=engine.url)
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ | {"TZ": "Asia/Shanghai"}, timeout=120)
    assert [s.timestamp.isoformat() for s in store.sources()] == ["2024-01-01T00:00:00+00:00"] * 2


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
TIMES = st.none() | st.datetimes(timezones=st.just(UTC))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    uri=ANY_TEXT,
    text=ANY_TEXT,
    title=ANY_TEXT,
    tags=st.lists(ANY_TEXT, max_size=3),
    metadata=st.dictionaries(ANY_TEXT, VALUES, max_size=3),
    timestamp=TIMES,
    pages=st.lists(st.integers(0, 2**31), max_size=3),
)
def test_any_document(store: Store, uri, text, title, tags, metadata, timestamp, pages):
    source = make_source("default", uri, text, title, (), (), tags, metadata, timestamp, pages=pages)
    store.put([source])
    (document,) = store.documents()
    assert document == document_of(source)
    assert isinstance(document, Document)
    stored = store.source_chunks(source.source.id, limit=1000)
    assert [c.chunk for c in stored] == list(source.chunks)
    assert all(text[c.chunk.start : c.chunk.end] == c.chunk.text for c in stored)
    assert store.delete([source.source.id]) == 1
    assert store.counts().entities == 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, TIMES), min_size=1, max_size=5))
def test_any_conversation(store: Store, said):
    lines = [(who, text, time) if time else (who, text) for who, text, time in said]
    talk = make_conversation("default", "talk", lines)
    store.put([talk])
    (document,) = store.documents()
    assert document == document_of(talk, talk.turns)
    assert store.delete([talk.source.id]) == 1
