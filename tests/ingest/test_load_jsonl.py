"""JSON lines and JSON: documents, conversations whose lines are mixed, bad lines, streams."""

from __future__ import annotations

import io
import json
import os
import threading
import tracemalloc
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from kgmem.ingest.load import load_file, load_jsonl
from kgmem.model import Document, Skipped


def lines(*items: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def load(data: bytes, **options: Any) -> list[Any]:
    return list(load_jsonl(io.BytesIO(data), uri="u:x", **options))


def turns_hold(document: Document) -> None:
    assert "\n".join(document.text[turn.start:turn.end] for turn in document.turns) == document.text


def test_documents() -> None:
    first, second, third = load(lines(
        {"text": "one", "id": 7, "title": "T", "date": "2024-05-01", "tags": ["a"], "metadata": {"m": 1}, "lang": "en"},
        {"text": "two", "uri": "https://e.org/2", "timestamp": "2024-05-01T10:00:00+02:00", "tags": "b, c"},
        {"text": "<p>three</p>", "media_type": "text/html"}), tags=["given"])
    assert first == Document("u:x#7", "one", title="T", timestamp=datetime(2024, 5, 1, tzinfo=UTC),
                             tags=("a", "given"), metadata={"id": 7, "m": 1, "lang": "en"})
    assert (second.uri, second.tags) == ("https://e.org/2", ("b", "c", "given"))
    assert second.timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert (third.uri, third.text, third.media_type) == ("u:x#L3", "three", "text/html")


def test_conversations_are_whole_even_where_their_lines_are_mixed() -> None:
    def turn(name: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
        return {"conversation": name, "speaker": speaker, "text": text, **more}

    found = load(lines(
        turn("a", "Ann", "Hi 😀", timestamp="2024-05-02T00:00:00Z", id="D1:1", session=1),
        turn("b", "Bob", "Hello"), {"text": "a document between"},
        turn("a", "Cy", "Look", image_caption="a red cat", timestamp="2024-05-01T00:00:00Z"),
        turn("b", "Ann", "", image_caption="a dog"), turn("a", "Ann", "Bye")))
    document, a, b = found
    assert document.text == "a document between"
    assert (a.kind, a.uri, a.title) == ("conversation", "u:x#a", "a")
    assert a.text == "Hi 😀\nLook [image: a red cat]\nBye"
    assert b.text == "Hello\n[image: a dog]"
    turns_hold(a)
    turns_hold(b)
    assert [turn.speaker for turn in a.turns] == ["Ann", "Cy", "Ann"]
    assert a.turns[0].metadata == {"id": "D1:1", "session": 1}
    assert a.turns[0].timestamp == datetime(2024, 5, 2, tzinfo=UTC)
    assert a.timestamp == datetime(2024, 5, 1, tzinfo=UTC)
    assert a.metadata["speakers"] == ["Ann", "Cy"]


def test_naive_times_are_in_the_default_zone() -> None:
    data = lines({"conversation": "a", "text": "x", "timestamp": "2024-05-01T08:00:00"})
    assert load(data)[0].turns[0].timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert load(data, default_zone=ZoneInfo("Asia/Shanghai"))[0].turns[0].timestamp == datetime(2024, 5, 1, tzinfo=UTC)


def test_a_time_that_cant_be_read_is_kept_as_it_is() -> None:
    (found,) = load(lines({"text": "x", "timestamp": "1:56 pm on 8 May, 2023"}))
    assert found.timestamp is None
    assert found.metadata == {"timestamp": "1:56 pm on 8 May, 2023"}


@pytest.mark.parametrize("bad", [b"{not json", b"[1]", b'"text"', b"{}", b'{"text": 5}', b'{"text": " "}', b"\xff\xfe{",
                                 b'{"conversation": "c"}', b'{"conversation": null, "text": "x"}', b"[" * 100_000,
                                 b'{"text": "x", "n": ' + b"9" * 5000 + b"}"])
def test_a_bad_line_is_skipped_with_its_number(bad: bytes) -> None:
    first, skipped, last = load(lines({"text": "one"}) + bad + b"\n\n" + lines({"text": "two"}))
    assert (first.text, last.text, last.uri) == ("one", "two", "u:x#L4")
    assert isinstance(skipped, Skipped)
    assert skipped.failed
    assert skipped.uri == "u:x#L2"
    assert skipped.reason.startswith("line 2: ")


def test_nul_surrogates_nan_and_deep_metadata_are_made_storable() -> None:
    data = b'{"text": "a\\u0000b\\ud800c\\ud83d\\ude00", "x": NaN, "y\\udfff": [1e999, "\\udc00"], "z": '
    (found,) = load(data + b"[" * 500 + b"]" * 500 + b"}")
    assert found.text == "a\ufffdb\ufffdc😀"
    assert found.metadata["x"] is None
    assert found.metadata["y\ufffd"] == [None, "\ufffd"]
    json.dumps(found.metadata, allow_nan=False).encode()


def test_a_line_or_conversation_above_the_limit_fails_alone() -> None:
    found = load(lines({"text": "x" * 5000}, {"text": "y"}, *[{"conversation": "c", "text": "z" * 400}] * 4,
                       {"conversation": "d", "text": "short"}), max_bytes=1000)
    assert [type(item).__name__ for item in found] == ["Skipped", "Document", "Skipped", "Document"]
    assert found[0].code == found[2].code == "DOCUMENT_TOO_LARGE"
    assert "--max-bytes" in found[0].reason
    assert found[2].uri == "u:x#c"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_other_encodings(encoding: str) -> None:
    text = '{"text": "one 北京"}\r\n{"conversation": "c", "text": "two"}\r\n'
    assert [item.text for item in load(text.encode(encoding))] == ["one 北京", "two"]


def test_gb18030_lines() -> None:
    (found,) = load('{"text": "北京大学是中国著名的高等学府"}\n'.encode("gb18030"))
    assert found.text == "北京大学是中国著名的高等学府"


def test_text_streams() -> None:
    found = list(load_jsonl(io.StringIO('{"conversation": "c", "text": "é"}\n'), uri="u:x"))
    assert found[0].text == "é"


def test_a_pipe_is_spooled() -> None:
    data = lines(*({"conversation": str(number % 3), "text": f"turn {number}"} for number in range(3000)))
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as sink:
            sink.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    with open(reading, "rb") as stream:
        found = list(load_jsonl(stream, uri="stdin:"))
    thread.join()
    assert [len(document.turns) for document in found] == [1000, 1000, 1000]
    assert found[1].text.startswith("turn 1\nturn 4\n")


def test_a_large_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        for number in range(20_000):
            file.write(lines({"conversation": f"c{number % 500}", "text": f"{number} " + "word " * 100}))
            file.write(lines({"text": "word " * 100}))
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    try:
        count = sum(1 for _ in load_file(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_500
    assert peak < 3_000_000


def file_of(tmp_path: Path, name: str, content: bytes) -> Iterable[Any]:
    path = tmp_path / name
    path.write_bytes(content)
    return list(load_file(path))


def test_json_arrays_objects_and_other_data(tmp_path: Path) -> None:
    one, bad, conversation = file_of(tmp_path, "a.json", json.dumps(
        [{"text": "one", "id": "i"}, 5, {"conversation": "c", "text": "two"}]).encode())
    uri = (tmp_path / "a.json").as_uri()
    assert (one.uri, one.text) == (f"{uri}#i", "one")
    assert bad.reason.startswith("item 2: ")
    assert (conversation.uri, conversation.text) == (f"{uri}#c", "two")
    (single,) = file_of(tmp_path, "b.json", b'{"text": "x", "title": "T"}')
    assert (single.uri, single.title) == ((tmp_path / "b.json").as_uri(), "T")
    for content in (b'{"a": 1}', b"[1, 2]", b"{broken"):
        (other,) = file_of(tmp_path, "c.json", content)
        assert (other.text, other.media_type) == (content.decode(), "application/json")


def test_a_missing_file_is_skipped(tmp_path: Path) -> None:
    (found,) = load_jsonl(tmp_path / "none.jsonl", uri="u:x")
    assert isinstance(found, Skipped)
    assert found.failed
