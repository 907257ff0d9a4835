"""Ingest as a user sees it: what is in the store after files came, changed, went, or failed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from kgmem import Document, Kgmem, KgmemError
from kgmem.errors import EncoderError, StoreError, UsageError
from kgmem.ingest.encode import Encoded, Encoder, Passage
from kgmem.model import Filter

TEXTS = {
    "lovelace.md": "# Ada Lovelace\n\nAda Lovelace worked with Charles Babbage. She lived in London.",
    "babbage.md": "# Charles Babbage\n\nCharles Babbage designed the Analytical Engine. He was born in Southwark.",
    "engine.md": "# Analytical Engine\n\nThe analytical engine was never built; london and Ada Lovelace saw drawings.",
    "notes.txt": "Yesterday ada lovelace was named. In Southwark, Zeno Quillfeather spoke of the Difference Engine.",
    "zeno.txt": "Zeno Quillfeather came from Southwark. The Analytical Engine interested Quillfeather.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "docs"
    path.mkdir()
    for name, text in TEXTS.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def dump(kg: Kgmem) -> dict[str, Any]:
    """All that the store holds, as values that do not depend on how it came there."""
    store = kg.store
    entities = store.entities(limit=10_000)
    chunks = {c.ref: c.chunk.id for s in store.sources(limit=10_000) for c in store.source_chunks(s.id, limit=10_000)}
    keys = {}
    for entity in entities:
        for known in store.find_names([entity.key], Filter()):
            keys[known.ref] = entity.key
    edges = store.chunk_edges(list(chunks))
    weights = sorted(
        (chunks[a], keys[b], round(float(w), 6)) for a, b, w in zip(edges.left, edges.right, edges.weight, strict=True)
    )
    refs = list(chunks)
    back = store.entity_edges(list(keys), 10_000, Filter())
    beside = store.next_edges(refs)
    return {
        "sources": sorted((s.id, s.uri, s.title, s.content_hash) for s in store.sources(limit=10_000)),
        "entities": sorted((e.id, e.key, e.name, e.type, e.chunk_count, e.aliases) for e in entities),
        "edges": weights,
        "mentions": sorted((chunks[m.chunk], keys[m.entity], m.sentence) for m in store.mentions_in(refs)),
        "edges of entities": sorted(
            (keys[a], chunks[b], round(float(w), 6)) for a, b, w in zip(back.left, back.right, back.weight, strict=True)
        ),
        "turns": sorted((chunks[a], chunks[b]) for a, b in zip(beside.left, beside.right, strict=True)),
        "own pages": sorted(keys[r] for r, (_, own, _) in store.entity_info(list(keys)).items() if own),
        "facts": sorted(f.id for f in store.facts(limit=10_000)),
        "counts": store.counts(),
    }


def opened(path: Path, encoder: Encoder) -> Kgmem:
    return Kgmem(store=f"sqlite:///{path}", encoder=encoder, processes=0, encoder_threads=1)


def test_the_same_input_twice_changes_nothing(kg: Kgmem, folder: Path) -> None:
    first = kg.ingest([folder])
    assert (first.added, first.failed) == (5, [])
    before = dump(kg)
    os.utime(folder / "notes.txt")
    second = kg.ingest([folder])
    assert (second.added, second.replaced, second.unchanged) == (0, 0, 5)
    assert dump(kg) == before


def test_the_graph_does_not_depend_on_the_order(tmp_path: Path, folder: Path, encoder: Encoder) -> None:
    paths = [folder / name for name in TEXTS]
    dumps = []
    orders = list(permutations(paths))
    for i, order in enumerate((orders[0], orders[-1], random.Random(0).choice(orders))):
        with opened(tmp_path / f"{i}.db", encoder) as kg:
            for path in order:
                kg.ingest([path])
            dumps.append(dump(kg))
    assert dumps[0] == dumps[1] == dumps[2]
    # The name that only one text's recogniser can know is linked in the other, older one.
    assert any(key == "zeno quillfeather" for _, key, _ in dumps[0]["mentions"])


def test_a_changed_file_replaces_its_own_content(kg: Kgmem, folder: Path, tmp_path: Path, encoder: Encoder) -> None:
    kg.ingest([folder])
    (folder / "zeno.txt").write_text("Marta Osterhagen came from Lyon.", encoding="utf-8")
    report = kg.ingest([folder])
    assert (report.added, report.replaced, report.unchanged) == (0, 1, 4)
    with opened(tmp_path / "fresh.db", encoder) as fresh:
        fresh.ingest([folder])
        assert dump(kg) == dump(fresh)


def test_what_is_gone_stays_without_prune_and_goes_with_it(kg: Kgmem, folder: Path) -> None:
    kg.ingest([folder])
    (folder / "zeno.txt").unlink()
    assert kg.ingest([folder]).pruned == 0
    assert kg.store.counts().sources == 5
    assert kg.ingest([folder], prune=True).pruned == 1
    assert kg.store.counts().sources == 4


def test_prune_spares_what_is_there_but_can_not_be_read_now(kg: Kgmem, folder: Path) -> None:
    kg.ingest([folder])
    (folder / "zeno.txt").write_text("   ", encoding="utf-8")
    report = kg.ingest([folder], prune=True)
    assert [f.code for f in report.failed] == ["DOCUMENT_EMPTY"]
    assert kg.store.counts().sources == 5


def test_prune_spares_all_below_what_can_not_be_read_now(
    kg: Kgmem, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "deep.txt").write_text("Quillfeather dived deep.", encoding="utf-8")
    (folder / "lines.jsonl").write_text('{"id": "a", "text": "Marta lives in Lyon."}', encoding="utf-8")
    (folder / "zeno.txt").unlink()
    assert kg.ingest([folder]).added == 6
    (folder / "notes.txt").unlink()
    scandir, opened = os.scandir, open

    def refuse(path: Any) -> Any:
        if Path(path) == inner:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def refuse_lines(path: Any, *args: Any, **values: Any) -> Any:
        if str(path).endswith("lines.jsonl"):
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **values)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr("builtins.open", refuse_lines)
    report = kg.ingest([folder], prune=True)
    assert len(report.failed) == 2
    assert report.pruned == 1
    assert kg.store.counts().sources == 5


def test_prune_removes_what_is_gone_and_not_what_a_glob_leaves_out(kg: Kgmem, folder: Path) -> None:
    kg.ingest([folder])
    assert kg.ingest([folder], exclude=["*.md"], prune=True).pruned == 0
    (folder / "lovelace.md").unlink()
    assert kg.ingest([folder], exclude=["*.md"], prune=True).pruned == 1


def test_deleting_a_folder_removes_what_lies_below_it(kg: Kgmem, folder: Path) -> None:
    kg.ingest([folder])
    assert kg.delete_named([str(folder)]) == (5, [])
    assert kg.store.counts().entities == 0


def test_a_shorter_json_lines_file_loses_what_it_no_longer_holds(kg: Kgmem, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    lines = [json.dumps({"id": f"n{i}", "text": f"Note {i} about Lyon."}) for i in range(3)]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert kg.ingest([file]).added == 3
    file.write_text("\n".join(lines[:2]), encoding="utf-8")
    report = kg.ingest([file])
    assert (report.unchanged, report.pruned) == (2, 1)


def test_a_spacy_pipeline_that_is_not_there_ends_the_run(tmp_path: Path, encoder: Encoder, folder: Path) -> None:
    settings: dict[str, Any] = {"english": "xx_no_such", "processes": 0, "encoder_threads": 1}
    with (
        Kgmem(store=f"sqlite:///{tmp_path / 'x.db'}", encoder=encoder, **settings) as kg,
        pytest.raises(EncoderError, match="xx_no_such"),
    ):
        kg.ingest([folder])


def test_one_bad_document_fails_alone(kg: Kgmem, folder: Path) -> None:
    (folder / "empty.md").write_text("")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 not really")
    report = kg.ingest([folder])
    assert report.added == 5
    assert {Path(f.uri).name for f in report.failed} == {"empty.md", "broken.pdf"}
    assert all(f.reason for f in report.failed)
    assert report.exit_code == 1


class Failing:
    """An encoder that can't take one text."""

    def __init__(self, inner: Encoder, bad: str, error: Exception) -> None:
        self._inner, self._bad, self._error = inner, bad, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]:
        if any(self._bad in p.text for p in passages):
            raise self._error
        return self._inner.encode(passages)


def test_a_text_the_encoder_can_not_take_fails_alone(tmp_path: Path, folder: Path, encoder: Encoder) -> None:
    with opened(tmp_path / "x.db", Failing(encoder, "Quillfeather came", ValueError("no"))) as kg:  # type: ignore[arg-type]
        report = kg.ingest([folder])
    assert report.added == 4
    assert [Path(f.uri).name for f in report.failed] == ["zeno.txt"]


def test_an_encoder_that_is_down_ends_the_run(tmp_path: Path, folder: Path, encoder: Encoder) -> None:
    with opened(tmp_path / "x.db", Failing(encoder, "", EncoderError("down"))) as kg:  # type: ignore[arg-type]
        with pytest.raises(EncoderError, match="down"):
            kg.ingest([folder])
        assert kg.store.counts().sources == 0


def test_offsets_hold_in_the_store(kg: Kgmem) -> None:
    text = "Größe 👩‍👧 in Zürich.\r\n\r\n北京大学在海淀区。\r\nAda\u0301 met Ada\u0301. " * 60
    kg.ingest_text(text, uri="t:1", title="Odd")
    (source,) = kg.store.sources()
    stored = kg.store.text(source.id)
    assert stored == text
    chunks = kg.store.source_chunks(source.id, limit=1000)
    assert len(chunks) > 3
    for found in chunks:
        chunk = found.chunk
        assert text[chunk.start : chunk.end] == chunk.text
        assert all(chunk.text[a:b].strip() for a, b in chunk.sentences)


def test_conversations_are_one_source_with_a_chunk_a_turn(kg: Kgmem, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    turns = [("Anna", "Hi Ben!"), ("Ben", "Hello Anna, I moved to Lyon."), ("Anna", "Great.")]
    file.write_text(
        "\n".join(
            json.dumps({"conversation": "c1", "speaker": s, "text": t, "timestamp": f"2026-01-01T10:0{i}:00Z"})
            for i, (s, t) in enumerate(turns)
        ),
        encoding="utf-8",
    )
    kg.ingest([file])
    (source,) = kg.store.sources()
    chunks = kg.store.source_chunks(source.id)
    assert source.kind == "conversation"
    assert [(c.chunk.speaker, c.chunk.text) for c in chunks] == turns
    edges = kg.store.next_edges([c.ref for c in chunks])
    assert len(edges.left) == 4
    assert kg.search("Where did Ben move to?", k=1)[0].chunk.text == turns[1][1]


def test_a_table_keeps_its_header_with_every_part(kg: Kgmem) -> None:
    table = "| city | river |\n| --- | --- |\n" + "".join(f"| Town{i} | Stream{i} |\n" for i in range(200))
    kg.ingest_text("# Rivers\n\n" + table, uri="t:1", media_type="text/markdown")
    hit = kg.search("Town177 river", mode="fulltext", k=1)[0]
    assert "| Town177 | Stream177 |" in hit.chunk.text, hit
    assert "| city | river |" in hit.chunk.context + hit.chunk.text


def test_naive_times_are_refused(kg: Kgmem) -> None:
    from datetime import datetime

    with pytest.raises(UsageError, match="time zone"):
        kg.ingest_text("x", timestamp=datetime(2026, 1, 1))


def test_deleting_by_path_and_by_id(kg: Kgmem, folder: Path) -> None:
    report = kg.ingest([folder])
    removed, missing = kg.delete_named([str(folder / "zeno.txt"), report.source_ids[0], "nothing"])
    assert (removed, missing) == (2, ["nothing"])


def test_a_store_that_can_not_be_written_ends_the_run(tmp_path: Path, folder: Path, encoder: Encoder) -> None:
    path = tmp_path / "x.db"
    with opened(path, encoder) as kg:
        kg.ingest([folder / "zeno.txt"])
    with Kgmem(store=f"sqlite:///{path}?mode=ro", encoder=encoder, processes=0) as kg:
        with pytest.raises(StoreError, match="read-only"):
            kg.ingest([folder])
        assert kg.search("Where did Zeno Quillfeather come from?")
        assert kg.store.counts().sources == 1


def test_a_large_document_is_one_source(kg: Kgmem) -> None:
    text = "".join(
        f"Paragraph {i}: the gauge at post {i} showed {i * 7} units. Dr. Mira Tolvanen signed it.\n\n"
        for i in range(1500)
    )
    report = kg.ingest_text(text, uri="t:big")
    assert report.added == 1
    assert report.chunks > 100
    assert "post 1234" in kg.search("gauge at post 1234", mode="fulltext", k=1)[0].chunk.text


_CHILD = """
import sys
from kgmem import Kgmem
with Kgmem(store="sqlite:///" + sys.argv[1], processes=0, encoder_threads=1) as kg:
    print("ready", flush=True)
    kg.ingest([sys.argv[2]])
"""


@pytest.mark.slow
def test_killed_in_the_middle_and_run_again_it_is_the_same(tmp_path: Path, encoder: Encoder) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    names = ["Ada Lovelace", "Charles Babbage", "Zeno Quillfeather", "Lyon", "Southwark"]
    for i in range(400):
        a, b = names[i % 5], names[(i * 3 + 1) % 5]
        (folder / f"{i:03}.txt").write_text(f"Report {i}. {a} wrote to {b} about item {i}. It rained in Oslo.")
    with opened(tmp_path / "whole.db", encoder) as kg:
        kg.ingest([folder])
        expected = dump(kg)
    path = tmp_path / "killed.db"
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(path), str(folder)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 120
    with opened(path, encoder) as watching:
        while watching.store.counts().sources == 0 and time.monotonic() < deadline and child.poll() is None:
            time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with opened(path, encoder) as kg:
        done = kg.store.counts().sources
        assert 0 < done < 400
        report = kg.ingest([folder])
        assert (report.added, report.unchanged) == (400 - done, done)
        assert dump(kg) == expected


def test_documents_can_be_given_by_a_program(kg: Kgmem) -> None:
    report = kg.ingest_documents(Document(f"x:{i}", f"Text number {i}.") for i in range(3))
    assert report.added == 3


def test_errors_have_one_base() -> None:
    assert issubclass(UsageError, KgmemError)
    assert UsageError.code == "USAGE"
