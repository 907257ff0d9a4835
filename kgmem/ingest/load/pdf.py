"""PDF to text, page by page. Doesn't recognise scanned text: a file without a text layer is empty."""

from __future__ import annotations

import re
import threading
from collections import Counter
from datetime import tzinfo
from typing import Any

import pypdfium2  # type: ignore[import-untyped]

from kgmem.errors import EmptyDocument, Encrypted, LoadError

from .clean import clean_text, is_blank, sensible_title
from .parsed import Parsed
from .times import parse_pdf_time

_LOCK = threading.Lock()
"""PDFium may be called from one thread at a time only, across all documents."""
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD
_SPLIT_WORD = re.compile(r"(\w{1,60})(?:\ufffe|\x02|\u00ad\r?\n|-[ \t]*\r?\n)[ \t]*(\w{1,60})")
"""PDFium writes U+FFFE (formerly U+0002) for a hyphen at a line's end and leaves the line's end out.

The bound keeps the search linear in text without any space.
"""
_LEFTOVER = re.compile("[\ufffe\x02]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONG_PART = 4


def read_pdf(data: bytes, *, default_zone: tzinfo | None = None) -> Parsed:
    """Raises Encrypted (needs a password), EmptyDocument (no text layer) or LoadError (no whole PDF)."""
    with _LOCK:
        raw, info, unreadable = _extract(data)
    raw = ["\n".join(line.rstrip(" \t") for line in page.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
           for page in raw]
    words = _vocabulary(raw)
    texts: list[str] = []
    starts: list[int] = []
    position = 0
    for page in raw:
        text = clean_text(_join_words(page, words)).strip()
        if texts and text:
            text = "\n\n" + text
        # A page starts after the blank line that parts it from the one before.
        starts.append(position + (len(text) - len(text.lstrip("\n")) if text else 0))
        position += len(text)
        if text:
            texts.append(text)
    whole = "".join(texts)
    if is_blank(whole):
        raise EmptyDocument(f"no_text_layer ({_count(len(raw), 'page')}, {len(whole)} characters): "
                            "the PDF holds pictures only; run text recognition (OCR) on it first")
    metadata: dict[str, Any] = {"pages": len(raw)}
    if author := clean_text(info.get("Author", "")).strip():
        metadata["author"] = author
    if unreadable:
        metadata["unreadable_pages"] = unreadable
    return Parsed(whole, title=sensible_title(info.get("Title")), metadata=metadata, pages=tuple(starts),
                  timestamp=parse_pdf_time(info.get("CreationDate", ""), default_zone))


def _extract(data: bytes) -> tuple[list[str], dict[str, str], list[int]]:
    """Each page's text, the document's information, and the numbers (from 1) of pages that can't be read."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            raise Encrypted("the PDF needs a password; save it without one to load it") from error
        raise LoadError("the PDF is cut off or damaged; get or save it again") from error
    pages: list[str] = []
    unreadable: list[int] = []
    try:
        for index in range(len(document)):
            try:
                page = document[index]
                try:
                    layer = page.get_textpage()
                    try:
                        pages.append(layer.get_text_range() if layer.count_chars() else "")
                    finally:
                        layer.close()
                finally:
                    page.close()
            except pypdfium2.PdfiumError:
                pages.append("")
                unreadable.append(index + 1)
        return pages, document.get_metadata_dict(), unreadable
    finally:
        document.close()


def _vocabulary(pages: list[str]) -> Counter[str]:
    """How often each word (hyphenated ones also as a whole) stands in the document."""
    words: Counter[str] = Counter()
    for page in pages:
        for word in _WORD.findall(_SPLIT_WORD.sub(" ", page)):
            words[word.lower()] += 1
            if "-" in word:
                words.update(word.lower().split("-"))
    return words


def _join_words(page: str, words: Counter[str]) -> str:
    """Joins what was split at a line's end, without its hyphen unless that belongs to the word.

    It belongs there before a capital or a digit, where the document writes the
    word with it elsewhere, or where both parts are words of their own in it
    and the joined form is none ("dual-encoder", but "us-ing").
    """

    def join(match: re.Match[str]) -> str:
        first, second = match.groups()
        low, high = first.lower(), second.lower()
        if not second[0].islower() or not first[-1].isalpha():
            return f"{first}-{second}"
        if words[low + high]:
            return first + second
        both_words = min(len(first), len(second)) >= _LONG_PART and words[low] and words[high]
        if words[f"{low}-{high}"] or both_words:
            return f"{first}-{second}"
        return first + second

    # Twice: a match takes the word after the break, which may itself be broken at the next line's end.
    joined = _SPLIT_WORD.sub(join, _SPLIT_WORD.sub(join, page))
    return _LEFTOVER.sub("-", joined)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
