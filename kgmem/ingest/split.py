"""Splitting a document into chunks by the encoder's own tokens, with exact offsets. Pure functions.

Prose is split at Markdown's blocks and at sentence boundaries (semantic-text-splitter),
not at marks within a line; a table between its rows, its header going along as context;
fenced code between its lines. `document.text[start:end]` is always the chunk's text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex
from semantic_text_splitter import MarkdownSplitter

from kgmem import errors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_FENCE = regex.compile(r"[ ]{0,3}(```+|~~~+)")
_HEADING = regex.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$", regex.MULTILINE)
_TABLE_ROW = regex.compile(r"\s*\|.*\|\s*$")
_TABLE_RULE = regex.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*$")
_MARK = regex.compile(
    r"""^[ \t>]*(?:[-+*](?=[ \t])|<|(?:[-*_][ \t]*){3,}$|```|~~~)(*SKIP)(*FAIL)"""  # marks of blocks stay
    r"""|(?P<inside>(?<=\w)["'$*<\[\]^_`~&\\](?=\w))|["'$*<\[\]^_`~&\\]|-(?=-)|\.(?=\.\.)""",
    regex.MULTILINE,
)
_CHARACTERS_A_TOKEN = 12
"""A stretch that the tokenizer takes for one unknown word may be any number of characters; this bounds it."""
MAX_CONTEXT_SHARE = 0.25
_ROUNDING = 4
_ROW_HEADER_LIMIT = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` is a chunk; `header` are a table's header rows, where the chunk begins below them."""

    start: int
    end: int
    header: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    kind: str  # "prose", "table", "code"
    header: str = ""


class Splitter:
    """Splits by at most `capacity` tokens a chunk, `overlap` of them shared by neighbours within prose."""

    def __init__(self, tokenizer: Tokenizer, capacity: int, overlap: int = 0) -> None:
        if capacity < 1:
            raise errors.UsageError(f"chunk_size ({capacity}) must be at least 1.")
        if not 0 <= overlap < capacity:
            raise errors.UsageError(f"chunk_overlap ({overlap}) must be smaller than chunk_size ({capacity}).")
        self._tokenizer = tokenizer
        self.capacity = capacity
        self._max_chars = capacity * _CHARACTERS_A_TOKEN
        self._overlap = overlap
        self._prose = MarkdownSplitter.from_huggingface_tokenizer(tokenizer, capacity, overlap)
        self._narrower: dict[int, Splitter] = {}

    def leaving(self, tokens: int) -> Splitter:
        """A splitter whose chunks leave room for a context of so many tokens."""
        if tokens <= 0:
            return self
        capacity = max(self.capacity - (-(-tokens // _ROUNDING) * _ROUNDING), 1)
        if capacity not in self._narrower:
            overlap = min(self._overlap, capacity - 1)
            self._narrower[capacity] = Splitter(self._tokenizer, capacity, overlap)
        return self._narrower[capacity]

    def size(self, text: str) -> int:
        """Tokens of a text, special ones left out; never less than its characters / 12."""
        count = len(self._tokenizer.encode(text, add_special_tokens=False).ids)
        return max(count, -(-len(text) // _CHARACTERS_A_TOKEN))

    def split(self, text: str) -> list[Piece]:
        """The chunks of a text in order. White space between them belongs to none."""
        whole = _trimmed(text, 0, len(text))
        if whole is None:
            return []
        if len(text) <= self._max_chars and self.size(text[whole[0] : whole[1]]) <= self.capacity:
            return [Piece(*whole)]
        pieces: list[Piece] = []
        for block in _blocks(text):
            if block.kind == "prose":
                pieces += self._split_prose(text, block.start, block.end)
            else:
                pieces += self._split_lines(text, block)
        return self._joined(text, pieces)

    def _split_prose(self, text: str, start: int, end: int) -> Iterator[Piece]:
        for offset, piece in self._prose.chunk_indices(_without_marks(text[start:end])):
            yield from self._bounded(text, start + offset, start + offset + len(piece))

    def _bounded(self, text: str, start: int, end: int) -> Iterator[Piece]:
        """The stretch itself, or parts of it where it is one endless word.

        The tokenizer takes a word beyond its own limit for one unknown token,
        and a part of it for many, so parts are halved until they fit.
        """
        if end - start <= self._max_chars and self.size(text[start:end]) <= self.capacity:
            span = _trimmed(text, start, end)
            if span:
                yield Piece(*span)
            return
        cut = _grapheme_cut(text, start, start + min(self._max_chars, (end - start + 1) // 2))
        if cut >= end:
            yield Piece(start, end)
            return
        yield from self._bounded(text, start, cut)
        yield from self._bounded(text, cut, end)

    def _split_lines(self, text: str, block: _Block) -> Iterator[Piece]:
        """Whole lines as long as they fit together; a line that is too long by itself as prose."""
        room = self.capacity
        header_size = self.size(block.header) if block.header else 0
        if header_size > self.capacity * MAX_CONTEXT_SHARE or len(block.header) > _ROW_HEADER_LIMIT:
            header_size, header = 0, ""
        else:
            header = block.header
        held: list[tuple[int, int]] = []
        used = 0
        body = block.start + len(block.header) if header else block.start
        for start, end in _lines(text, block.start, block.end):
            cost = self.size(text[start:end]) + 1
            if held and used + cost > room:
                yield from self._line_piece(text, held, header, body)
                held, used = [], header_size
            if cost > room:
                yield from self._split_prose(text, start, end)
                continue
            held.append((start, end))
            used += cost
        if held:
            yield from self._line_piece(text, held, header, body)

    @staticmethod
    def _line_piece(text: str, held: Sequence[tuple[int, int]], header: str, body: int) -> Iterator[Piece]:
        span = _trimmed(text, held[0][0], held[-1][1])
        if span:
            yield Piece(*span, header if span[0] >= body else "")

    def _joined(self, text: str, pieces: Sequence[Piece]) -> list[Piece]:
        """Neighbours that fit together in one chunk are one, so that a short table stays with its paragraph."""
        joined: list[Piece] = []
        sizes: list[int] = []
        for piece in pieces:
            cost = self.size(text[piece.start : piece.end])
            if (
                joined
                and sizes[-1] + cost < self.capacity
                and not piece.header
                and not joined[-1].header
                and piece.start >= joined[-1].end
                and not _HEADING.match(text, piece.start)
            ):
                last = joined[-1]
                together = self.size(text[last.start : piece.end])
                if together <= self.capacity:
                    joined[-1] = Piece(last.start, piece.end)
                    sizes[-1] = together
                    continue
            joined.append(piece)
            sizes.append(cost)
        return joined


class Headings:
    """The Markdown headings of a text: which ones stand above an offset."""

    def __init__(self, text: str) -> None:
        code = [(b.start, b.end) for b in _blocks(text) if b.kind == "code"] if "```" in text or "~~~" in text else []
        self._at: list[int] = []
        self.paths: list[tuple[str, ...]] = []
        open_headings: list[tuple[int, str]] = []
        for match in _HEADING.finditer(text) if "#" in text else ():
            if any(start <= match.start() < end for start, end in code):
                continue
            level = len(match.group(1))
            open_headings = [h for h in open_headings if h[0] < level] + [(level, match.group(2).strip())]
            self._at.append(match.start())
            self.paths.append(tuple(title for _, title in open_headings))

    def above(self, offset: int) -> tuple[str, ...]:
        """The path of headings that `offset` stands under, the outermost first."""
        i = bisect_right(self._at, offset)
        return self.paths[i - 1] if i else ()


def _without_marks(text: str) -> str:
    """A text of the same length without what Markdown may read as a mark within a line: quotes, emphasis, links, `--`.

    The splitter would rather cut at these than between sentences, and a quotation mark or an apostrophe is none.
    A bracket ends a sentence as a quotation mark does, a middle dot joins a word as an apostrophe does, and
    tokenizers take each for one token, as what it stands for.
    """
    return _MARK.sub(lambda mark: "·" if mark["inside"] else ")", text)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        newline = text.find("\n", start, end)
        stop = newline + 1 if newline >= 0 else end
        yield start, stop
        start = stop


def _blocks(text: str) -> Iterator[_Block]:
    """The text cut into tables, fenced code and the prose between, without a gap."""
    prose = 0
    lines = _lines(text, 0, len(text))
    for start, end in lines:
        line = text[start:end]
        fence = _FENCE.match(line)
        if fence:
            stop = end
            for _, line_end in lines:
                closing = _FENCE.match(text, stop)
                stop = line_end
                if closing and closing.group(1).startswith(fence.group(1)):
                    break
            if prose < start:
                yield _Block(prose, start, "prose")
            yield _Block(start, stop, "code")
            prose = stop
        elif _TABLE_ROW.match(line):
            table = _table(text, start)
            if table is None:
                continue
            if prose < start:
                yield _Block(prose, start, "prose")
            yield table
            prose = table.end
            while end < table.end:
                _, end = next(lines)
    if prose < len(text):
        yield _Block(prose, len(text), "prose")


def _table(text: str, start: int) -> _Block | None:
    """The table that begins at `start`: rows of pipes with a rule below the header, which may have several rows."""
    position, rule_end = start, None
    for line_start, line_end in _lines(text, start, len(text)):
        line = text[line_start:line_end]
        if not _TABLE_ROW.match(line):
            break
        if rule_end is None and _TABLE_RULE.match(line) and line_start > start:
            rule_end = line_end
        position = line_end
    if rule_end is None:
        return None
    return _Block(start, position, "table", text[start:rule_end])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip())
    right = len(inner.rstrip())
    return (start + left, start + right) if right > left else None


def _grapheme_cut(text: str, start: int, stop: int) -> int:
    """The last boundary between user-perceived characters up to `stop`, or the first one after `start`."""
    window = max(start, stop - 64)
    cuts = [window + m.end() for m in regex.finditer(r"\X", text[window : stop + 64])]
    fitting = [cut for cut in cuts if start < cut <= stop]
    return fitting[-1] if fitting else max(cuts[0], start + 1)
