"""Walking folders: order, globs, what is passed over and what fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kgmem.ingest.load import load_file, load_paths
from kgmem.model import Document, Skipped


def make(root: Path, *names: str, content: bytes = b"text") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def names(root: Path, **options: Any) -> list[str]:
    return [Path(item.uri.removeprefix("file://")).relative_to(root).as_posix()
            for item in load_paths([root], **options) if isinstance(item, Document)]


def skipped(*paths: Path) -> dict[str, Skipped]:
    return {item.uri.rpartition("/")[2]: item for item in load_paths(paths) if isinstance(item, Skipped)}


def test_sorted_recursively_with_uri_title_and_modified(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/z.txt", "a/B.txt", "c d/ü.txt")
    os.utime(tmp_path / "b.txt", (0, 86400))
    assert names(tmp_path)[:3] == ["a/B.txt", "a/z.txt", "b.txt"]
    documents = {item.title: item for item in load_paths([tmp_path], tags=["t"]) if isinstance(item, Document)}
    assert documents["b"].uri == (tmp_path / "b.txt").as_uri()
    assert documents["ü"].uri.endswith("c%20d/%C3%BC.txt")
    assert documents["b"].metadata["modified"] == "1970-01-02T00:00:00+00:00"
    assert documents["b"].timestamp is None
    assert documents["b"].tags == ("t",)


@pytest.mark.parametrize(("include", "exclude", "expected"), [
    (["*.md"], [], ["a/x.md", "a/deep/y.md", "top.md"]),
    (["**/*.md"], [], ["a/x.md", "a/deep/y.md", "top.md"]),
    (["a/*.md"], [], ["a/x.md", "a/deep/y.md"]),
    (["a/"], [], ["a/x.md", "a/x.txt", "a/deep/y.md"]),
    (["./a/x.*"], [], ["a/x.md", "a/x.txt"]),
    ([], ["*.md"], ["a/x.txt", "node_modules/m.txt"]),
    ([], ["node_modules", "deep"], ["a/x.md", "a/x.txt", "top.md"]),
    ([], ["a/**/y.md", "node_modules/"], ["a/x.md", "a/x.txt", "top.md"]),
    (["*.md"], ["top.*"], ["a/x.md", "a/deep/y.md"]),
    (["[ab].md"], [], []),
])
def test_globs(tmp_path: Path, include: list[str], exclude: list[str], expected: list[str]) -> None:
    make(tmp_path, "a/x.md", "a/x.txt", "a/deep/y.md", "top.md", "node_modules/m.txt")
    assert sorted(names(tmp_path, include=include, exclude=exclude)) == sorted(expected)


def test_hidden_and_binary_are_passed_over_with_a_reason(tmp_path: Path) -> None:
    make(tmp_path, "ok.txt", ".env", ".git/config")
    make(tmp_path, "pic.png", "program", content=b"\x7fELF\x00\x01")
    found = skipped(tmp_path)
    assert set(found) == {".env", ".git", "pic.png", "program"}
    assert not any(item.failed for item in found.values())
    assert "hidden" in found[".env"].reason
    assert names(tmp_path) == ["ok.txt"]


def test_named_itself_a_hidden_file_loads_and_a_binary_one_fails(tmp_path: Path) -> None:
    make(tmp_path, ".notes.txt")
    make(tmp_path, "pic.png", content=b"\x89PNG\r\n")
    hidden, picture = load_paths([tmp_path / ".notes.txt", tmp_path / "pic.png"])
    assert isinstance(hidden, Document)
    assert isinstance(picture, Skipped)
    assert picture.failed


def test_one_bad_file_fails_alone(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "z.txt")
    make(tmp_path, "empty.txt", content=b" \n")
    make(tmp_path, "broken.docx", content=b"PK\x03\x04 cut off")
    found = skipped(tmp_path)
    assert {name: (item.code, item.failed) for name, item in found.items()} == {
        "empty.txt": ("DOCUMENT_EMPTY", True), "broken.docx": ("LOAD_FAILED", True)}
    assert names(tmp_path) == ["a.txt", "z.txt"]


def test_missing_path_is_reported_whatever_the_globs(tmp_path: Path) -> None:
    (found,) = load_paths([tmp_path / "none"], include=["*.md"])
    assert isinstance(found, Skipped)
    assert found.failed
    assert "no such file" in found.reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_missing_permission_for_real(tmp_path: Path) -> None:
    make(tmp_path, "secret.txt", "folder/x.txt")
    (tmp_path / "secret.txt").chmod(0)
    (tmp_path / "folder").chmod(0)
    try:
        found = skipped(tmp_path)
    finally:
        (tmp_path / "folder").chmod(0o700)
    assert {"secret.txt", "folder"} == set(found)


def test_missing_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "secret.txt", "folder/x.txt", "ok.txt")
    scandir, path_open = os.scandir, Path.open

    def refuse_folder(path: str) -> Any:
        if os.path.basename(path) == "folder":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def refuse_file(self: Path, *arguments: Any) -> Any:
        if self.name == "secret.txt":
            raise PermissionError(13, "Permission denied")
        return path_open(self, *arguments)

    monkeypatch.setattr(os, "scandir", refuse_folder)
    monkeypatch.setattr(Path, "open", refuse_file)
    found = skipped(tmp_path)
    assert set(found) == {"secret.txt", "folder"}
    assert all(item.failed and "permission" in item.reason for item in found.values())
    assert names(tmp_path) == ["ok.txt"]


def test_links(tmp_path: Path) -> None:
    make(tmp_path / "outside", "o.txt")
    root = tmp_path / "root"
    make(root, "a/x.txt")
    (root / "a/loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "self").symlink_to(root / "self")
    (root / "dangling.txt").symlink_to(root / "none")
    (root / "file.txt").symlink_to(root / "a/x.txt")
    found = skipped(root)
    assert {name: item.failed for name, item in found.items()} == {
        "loop": False, "out": False, "self": True, "dangling.txt": True}
    assert names(root) == ["a/x.txt", "file.txt"]
    (tmp_path / "given").symlink_to(root)
    assert names(tmp_path / "given") == ["a/x.txt", "file.txt"]


def test_pipes_and_odd_paths_dont_hang_or_crash(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert "regular file" in skipped(tmp_path)["pipe.txt"].reason
    (found,) = load_file("a\x00b")
    assert isinstance(found, Skipped)


def test_file_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    try:
        with open(path, "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (found,) = load_paths([tmp_path])
    assert isinstance(found, Document)
    assert found.uri.endswith("caf%E9.txt")
    assert found.title == "caf\ufffd"


def test_overlapping_paths_load_once(tmp_path: Path) -> None:
    make(tmp_path, "a/x.txt", "y.txt")
    found = list(load_paths([tmp_path / "a", tmp_path, tmp_path / "y.txt"]))
    assert len(found) == 2


def test_streams_one_document_at_a_time(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", "b.txt")
    found = load_paths([tmp_path])
    next(found)
    (tmp_path / "b.txt").write_bytes(b"changed later")
    second = next(found)
    assert isinstance(second, Document)
    assert second.text == "changed later"


def test_too_large(tmp_path: Path) -> None:
    make(tmp_path, "big.txt", content=b"x" * 3000)
    make(tmp_path, "big.jsonl", content=b'{"text": "short"}\n' * 100)
    found = list(load_paths([tmp_path], max_bytes=1000))
    assert sum(isinstance(item, Document) for item in found) == 100
    (large,) = [item for item in found if isinstance(item, Skipped)]
    assert large.code == "DOCUMENT_TOO_LARGE"
    assert large.failed
