"""Walking folders and loading what is in them: sorted, streamed, one document in memory at a time."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from kgmem.errors import LoadError, Unsupported
from kgmem.model import Document, Skipped

from . import kinds
from .jsonl import documents_in, load_jsonl
from .read import MAX_BYTES, load_bytes, too_large

HIDDEN = "HIDDEN"
LINKED = "LINKED_FOLDER"
"""Codes of what is passed over without being an error."""


def load_paths(paths: Sequence[str | os.PathLike[str]], *, include: Sequence[str] = (), exclude: Sequence[str] = (),
               max_bytes: int = MAX_BYTES, tags: Sequence[str] = (), default_zone: tzinfo | None = None
               ) -> Iterator[Document | Skipped]:
    """Every document of the files and folders, and why each other file gave none.

    Globs are matched with the path relative to the given folder, with the
    name, and with each folder's above it; `*` goes across folders. What they
    leave out isn't reported. A file of an unknown kind counts as failed only
    where it was named itself, as a hidden file is loaded only then.
    Symbolic links to folders are reported and not followed, so no loop and
    nothing outside of the folder is walked into; links to files are.
    """
    wanted = _matcher(include) if include else None
    unwanted = _matcher(exclude)
    seen: set[str] | None = set() if len(paths) > 1 else None
    for given in paths:
        root = os.path.abspath(os.fspath(given))
        for path, relative in _walk(root, wanted, unwanted):
            if isinstance(path, Skipped):
                yield path
                continue
            if seen is not None:
                if path in seen:
                    continue
                seen.add(path)
            for found in load_file(path, max_bytes=max_bytes, tags=tags, default_zone=default_zone):
                if isinstance(found, Skipped) and found.code == Unsupported.code and relative:
                    found = Skipped(found.uri, found.code, found.reason, failed=False)
                yield found


def load_file(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, tags: Sequence[str] = (),
              default_zone: tzinfo | None = None) -> Iterator[Document | Skipped]:
    """The document of a file, or all of a JSON-lines or JSON file, or why there is none. Raises nothing."""
    absolute = Path(os.path.abspath(os.fspath(path)))
    uri = absolute.as_uri()
    suffix = kinds.suffix_of(absolute.name)
    try:
        about = absolute.stat()
        if not stat.S_ISREG(about.st_mode):
            raise Unsupported("it isn't a regular file; give a file, or its text on standard input")
        if suffix in ("jsonl", "ndjson"):
            yield from load_jsonl(absolute, uri=uri, max_bytes=max_bytes, tags=tags, default_zone=default_zone)
            return
        if about.st_size > max_bytes:
            raise too_large(about.st_size, max_bytes)
        with absolute.open("rb") as file:
            data = file.read(max_bytes + 1)
        if suffix == "json":
            several = documents_in(_json(data), uri=uri, tags=tags, default_zone=default_zone, max_bytes=max_bytes)
            if several is not None:
                yield from several
                return
        modified = datetime.fromtimestamp(about.st_mtime, UTC).isoformat(timespec="seconds")
        document = load_bytes(data, uri=uri, name=absolute.name, max_bytes=max_bytes, tags=tags,
                              default_zone=default_zone, metadata={"modified": modified})
    except LoadError as error:
        yield Skipped(uri, error.code, str(error))
        return
    except OSError as error:
        yield _unreadable(absolute, error)
        return
    except ValueError:  # a NUL in the path
        yield Skipped(uri, LoadError.code, "it is no path that a file can have; check the path")
        return
    yield document


def _json(data: bytes) -> object:
    try:
        return json.loads(data, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        return None


def _walk(root: str, wanted: Callable[[str], bool] | None, unwanted: Callable[[str], bool]
          ) -> Iterator[tuple[str | Skipped, str]]:
    """Each file with its path relative to `root` ("" for root itself), and what was passed over."""
    if not os.path.isdir(root):
        name = os.path.basename(root)
        # A path that doesn't exist is reported whatever the globs say.
        if not os.path.lexists(root) or (not unwanted(name) and (wanted is None or wanted(name))):
            yield root, ""
        return
    stack = [iter(_entries(root, ""))]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        if isinstance(entry, Skipped):
            yield entry, ""
            continue
        path, relative, is_folder, is_link = entry
        if unwanted(relative):
            continue
        fits = wanted is None or wanted(relative)
        if os.path.basename(path).startswith("."):
            if fits:
                yield Skipped(_uri(path), HIDDEN, "it is hidden (its name starts with a dot); name it itself to "
                                                  "load it", failed=False), relative
        elif is_folder and is_link:
            if fits:
                yield Skipped(_uri(path), LINKED, "it is a link to a folder; name the folder itself to load it",
                              failed=False), relative
        elif is_folder:
            stack.append(iter(_entries(path, relative + "/")))
        elif fits:
            yield path, relative


def _entries(folder: str, prefix: str) -> list[tuple[str, str, bool, bool] | Skipped]:
    """Path, relative path, whether it is a folder, whether it is a link; sorted by name."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        return [(entry.path, prefix + entry.name, _is_folder(entry), entry.is_symlink()) for entry in entries]
    except OSError as error:
        return [_unreadable(Path(folder), error)]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _unreadable(path: Path, error: OSError) -> Skipped:
    kind = "folder" if path.is_dir() else "file"
    if isinstance(error, FileNotFoundError):
        reason = "there is no such file or folder; check the path"
    elif isinstance(error, PermissionError):
        reason = f"the {kind} may not be read; give yourself permission to read it"
    else:
        reason = f"the {kind} can't be read ({error.strerror or type(error).__name__}); check the path and the disk"
    return Skipped(path.as_uri(), LoadError.code, reason)


def _uri(path: str) -> str:
    return Path(path).as_uri()


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    """Whether a glob matches the relative path, its name, or a folder above it (by path or name)."""
    patterns = [re.compile(fnmatch.translate(form)) for glob in globs for form in _forms(glob)]

    def matches(relative: str) -> bool:
        parts = relative.split("/")
        names = {*parts, *("/".join(parts[:end]) for end in range(1, len(parts) + 1))}
        return any(pattern.match(name) for pattern in patterns for name in names)

    return matches


def _forms(glob: str) -> set[str]:
    """`**/` may stand for no folder at all, `./` and a closing `/` mean nothing."""
    whole = glob.removeprefix("./").rstrip("/") or glob
    return {whole, whole.removeprefix("**/"), whole.replace("/**/", "/")}
