"""JSON lines (and arrays): documents, or turns of conversations. Streamed, so a file may be of any size.

A line with `conversation` is a turn; any other is a document. Documents come
out as they are read. Of turns, the first pass keeps only where each line
stands (8 bytes); the second seeks them, so that a conversation is whole even
where its lines are mixed with others.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import tzinfo
from typing import IO, Any, cast

from kgmem.errors import LoadError, TooLarge
from kgmem.model import Document, Skipped, Turn

from .archive import megabytes
from .charset import decode, looks_like_utf16
from .clean import clean_json, clean_text, is_blank
from .html import read_html
from .kinds import HTML, PLAIN
from .parsed import Parsed
from .read import MAX_BYTES
from .times import parse_time

_SPOOL = 8 * 2**20
"""Bytes of a stream that can't seek which are kept in memory; beyond that, in a temporary file."""
_DOCUMENT_KEYS = frozenset(("text", "id", "uri", "title", "timestamp", "date", "tags", "metadata", "media_type"))
_TURN_KEYS = frozenset(("conversation", "speaker", "timestamp", "text", "image_caption"))

Source = str | os.PathLike[str] | IO[bytes] | IO[str]


def load_jsonl(source: Source, *, uri: str, max_bytes: int = MAX_BYTES, tags: Sequence[str] = (),
               default_zone: tzinfo | None = None) -> Iterator[Document | Skipped]:
    """Every document, then every conversation in order of its first turn. A bad line is skipped with its number.

    `max_bytes` bounds a line and the lines of one conversation, not the file.
    """
    with ExitStack() as stack:
        try:
            stream = _seekable(source, stack)
        except OSError as error:
            yield Skipped(uri, LoadError.code, f"the input can't be read ({error.strerror or error}); check the path "
                                               "and its permissions")
            return
        builder = _Builder(uri, tuple(tags), default_zone, max_bytes)
        conversations: dict[str, array[int]] = {}
        position = stream.tell()
        for number, (line, length) in enumerate(_lines(stream, max_bytes), 1):
            start, position = position, position + length
            place = f"{uri}#L{number}"
            try:
                item = _parse(line, length, max_bytes)
                if item is None:
                    continue
                if "conversation" in item:
                    builder.turn(item)  # refuses a bad one here, while its line's number is known
                    conversations.setdefault(str(item["conversation"]), array("Q")).append(start)
                    continue
                found = builder.document(item, place)
            except LoadError as error:
                yield Skipped(place, error.code, f"line {number}: {error}")
                continue
            yield found
        for name, starts in conversations.items():
            yield builder.conversation(name, _seek(stream, starts, max_bytes))


def documents_in(value: object, *, uri: str, tags: Sequence[str] = (), default_zone: tzinfo | None = None,
                 max_bytes: int = MAX_BYTES) -> Iterator[Document | Skipped] | None:
    """The documents and conversations of a whole JSON file, or None if it holds other data."""
    items = value if isinstance(value, list) else [value]
    if not any(isinstance(item, dict) and isinstance(item.get("text"), str) for item in items):
        return None
    return _documents_in(items, uri, _Builder(uri, tuple(tags), default_zone, max_bytes), not isinstance(value, list))


def _documents_in(items: Sequence[object], uri: str, builder: _Builder, single: bool
                  ) -> Iterator[Document | Skipped]:
    conversations: dict[str, list[dict[str, Any]]] = {}
    for number, item in enumerate(items, 1):
        place = uri if single else f"{uri}#item{number}"
        try:
            if not isinstance(item, dict):
                raise LoadError("it isn't an object; give one with a \"text\"")
            if "conversation" in item:
                builder.turn(item)
                conversations.setdefault(str(item["conversation"]), []).append(item)
                continue
            found = builder.document(item, place)
        except LoadError as error:
            yield Skipped(place, error.code, f"item {number}: {error}")
            continue
        yield found
    for name, turns in conversations.items():
        yield builder.conversation(name, turns)


class _Builder:
    """Makes documents and turns of parsed lines."""

    def __init__(self, uri: str, tags: tuple[str, ...], zone: tzinfo | None, max_bytes: int) -> None:
        self._uri = uri
        self._tags = tags
        self._zone = zone
        self._max_bytes = max_bytes

    def document(self, item: Mapping[str, Any], place: str) -> Document:
        """Raises LoadError if it has no text."""
        text = item.get("text")
        if not isinstance(text, str) or is_blank(text):
            raise LoadError("there is no \"text\" in it; give every document one that isn't blank")
        media_type = str(item.get("media_type") or PLAIN)
        parsed = read_html(text) if media_type.partition(";")[0].strip().lower() == HTML else Parsed(text)
        if is_blank(parsed.text):
            raise LoadError("its \"text\" is HTML without any text; leave it out")
        given = item.get("uri")
        identifier = item.get("id")
        uri = str(given) if given else place if identifier is None else f"{self._uri}#{identifier}"
        metadata, timestamp = self._rest(item, _DOCUMENT_KEYS, ("timestamp", "date"))
        if identifier is not None:
            metadata = {"id": clean_json(identifier), **metadata}
        return Document(
            uri=clean_text(uri), text=clean_text(parsed.text), timestamp=timestamp or parsed.timestamp,
            title=clean_text(str(item.get("title") or parsed.title)), media_type=clean_text(media_type),
            tags=tuple(dict.fromkeys([*_tags(item.get("tags")), *self._tags])),
            metadata={**clean_json(parsed.metadata), **metadata})

    def turn(self, item: Mapping[str, Any]) -> tuple[str, Turn]:
        """The text of a turn and the turn at offset 0. Raises LoadError if it says nothing."""
        if item["conversation"] is None or isinstance(item["conversation"], dict | list):
            raise LoadError("its \"conversation\" isn't a name; give a string")
        text = item.get("text")
        text = clean_text(text) if isinstance(text, str) else ""
        caption = item.get("image_caption")
        if isinstance(caption, str) and caption.strip():
            text = f"{text} [image: {clean_text(caption)}]".lstrip(" ")
        if is_blank(text):
            raise LoadError("there is no \"text\" in it; give every turn one that isn't blank")
        metadata, timestamp = self._rest(item, _TURN_KEYS, ("timestamp",))
        speaker = item.get("speaker")
        return text, Turn(0, len(text), speaker="" if speaker is None else clean_text(str(speaker)),
                          timestamp=timestamp, metadata=metadata)

    def conversation(self, name: str, items: Iterable[Mapping[str, Any]]) -> Document | Skipped:
        """One document of all its turns, in the order of their lines."""
        uri = clean_text(f"{self._uri}#{name}")
        texts: list[str] = []
        turns: list[Turn] = []
        position = 0
        try:
            for item in items:
                text, turn = self.turn(item)
                texts.append(text)
                turns.append(Turn(position, position + len(text), turn.speaker, turn.timestamp, turn.metadata))
                position += len(text) + 1
                if position > self._max_bytes:
                    raise TooLarge(f"the conversation has more than {megabytes(self._max_bytes)}; "
                                   "raise the limit with --max-bytes or give it in parts")
        except (LoadError, OSError) as error:
            code = error.code if isinstance(error, LoadError) else LoadError.code
            return Skipped(uri, code, f"conversation {clean_text(name)[:100]!r}: {error}")
        times = [turn.timestamp for turn in turns if turn.timestamp]
        speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
        return Document(uri=uri, text="\n".join(texts), title=clean_text(name), timestamp=min(times, default=None),
                        tags=self._tags, kind="conversation", turns=tuple(turns),
                        metadata={"conversation": clean_text(name), "speakers": speakers})

    def _rest(self, item: Mapping[str, Any], known: frozenset[str], dates: Sequence[str]) -> tuple[dict[str, Any], Any]:
        """All other keys as metadata, and the time. A date that can't be read stays in the metadata as it is."""
        given = item.get("metadata") if "metadata" in known else None
        metadata = clean_json(given) if isinstance(given, dict) else {}
        metadata |= {clean_text(key): clean_json(value) for key, value in item.items() if key not in known}
        timestamp = None
        for name in dates:
            value = item.get(name)
            if value is not None and timestamp is None:
                timestamp = parse_time(value, self._zone)
                if timestamp is None:
                    metadata[name] = clean_json(value)
        return metadata, timestamp


def _tags(value: object) -> list[str]:
    items = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return [tag for item in items if (tag := clean_text(str(item)).strip())]


def _parse(line: bytes, length: int, max_bytes: int) -> dict[str, Any] | None:
    """The object on a line; None for a blank one. Raises LoadError or TooLarge."""
    if length > max_bytes:
        raise TooLarge(f"it has {megabytes(length)}, more than the limit of {megabytes(max_bytes)}; "
                       "raise it with --max-bytes or split the document")
    if not line.strip(b" \t\r\n\xef\xbb\xbf"):
        return None
    try:
        value = json.loads(decode(line)[0], parse_constant=lambda name: None)
    except (ValueError, RecursionError) as error:
        raise LoadError("it isn't JSON; give one whole JSON object a line") from error
    if not isinstance(value, dict):
        raise LoadError("it isn't an object; give one with a \"text\"")
    return value


def _lines(stream: IO[bytes], max_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Each line with its length in bytes; of one above the limit, only the length is kept."""
    while line := stream.readline(max_bytes + 1):
        length = len(line)
        if length > max_bytes and not line.endswith(b"\n"):
            line = b""
            while more := stream.readline(_SPOOL):
                length += len(more)
                if more.endswith(b"\n"):
                    break
        yield line, length


def _seek(stream: IO[bytes], starts: Iterable[int], max_bytes: int) -> Iterator[dict[str, Any]]:
    for start in starts:
        stream.seek(start)
        line = stream.readline(max_bytes + 1)
        item = _parse(line, len(line), max_bytes)
        if item is None or "conversation" not in item:
            raise LoadError("the file changed while it was read; load it again")
        yield item


def _seekable(source: Source, stack: ExitStack) -> IO[bytes]:
    """A binary stream that can seek, in UTF-8. Raises OSError."""
    stream: IO[bytes]
    if isinstance(source, str | os.PathLike):
        stream = stack.enter_context(open(source, "rb"))  # noqa: SIM115 - the stack closes it
    elif isinstance(source, io.TextIOBase):
        if not hasattr(source, "buffer"):
            return _spooled(lambda spool: _copy_text(cast(IO[str], source), spool), stack)
        stream = source.buffer
    else:
        stream = cast(IO[bytes], source)
    if not stream.seekable():
        unseekable = stream
        stream = _spooled(lambda spool: shutil.copyfileobj(unseekable, spool), stack)
    start = stream.tell()
    head = stream.read(4096)
    stream.seek(start)
    if looks_like_utf16(head[: len(head) // 2 * 2]):
        text = io.TextIOWrapper(stream, _utf16(head), errors="replace")
        stack.callback(text.detach)
        return _spooled(lambda spool: _copy_text(text, spool), stack)
    return stream


def _utf16(head: bytes) -> str:
    return "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else decode(head[: len(head) // 2 * 2])[1]


def _spooled(fill: Callable[[IO[bytes]], object], stack: ExitStack) -> IO[bytes]:
    spool = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=_SPOOL))  # noqa: SIM115 - as above
    fill(spool)
    spool.seek(0)
    return cast(IO[bytes], spool)


def _copy_text(text: IO[str], spool: IO[bytes]) -> None:
    while piece := text.read(2**20):
        spool.write(piece.encode("utf-8", "replace"))
