"""Words that FTS5 keeps after `secure-delete`. Knows its tables and the form of its pages (fts5_index.c in SQLite).

A segment's words lie on leaf pages, in order. `chunk_terms_idx` holds for each page a beginning of its first word that
is greater than all before, to find the page by. When that word is deleted, its beginning, often all but a letter of
it, stays: it still parts the pages rightly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from kgmem.store.sqlite.connection import Connection

_PAGE_BITS = 37
"""A page's row in `chunk_terms_data` is segment << 37 | number; the index holds the number << 1 | a flag."""
_MAIN = b"0"
"""What every word begins with that is in no prefix index."""


def replace_separators(c: Connection, deleted: Iterable[str]) -> None:
    """Let no beginning of these words part pages any more, unless the page's first word begins so too.

    To be called at the end of the transaction that deletes.
    """
    words = sorted({_MAIN + word.encode() for word in deleted})
    # Until then the deletions are in memory only.
    c.execute("INSERT INTO chunk_terms (chunk_terms) VALUES ('flush')")
    for segment, separator, page in c.execute("SELECT segid, term, pgno FROM chunk_terms_idx").fetchall():
        after = bisect_left(words, separator)
        # The first page's is empty.
        if not separator or after == len(words) or not words[after].startswith(separator):
            continue
        block = c.execute(
            "SELECT block FROM chunk_terms_data WHERE id = ?", (segment << _PAGE_BITS | page >> 1,)
        ).fetchone()
        first = _first_word(block[0]) if block else None
        if first and not first.startswith(separator):
            c.execute("UPDATE chunk_terms_idx SET term = ? WHERE segid = ? AND term = ?", (first, segment, separator))


def _first_word(page: bytes) -> bytes | None:
    """The first word of a leaf page; None where it holds none."""
    footer = int.from_bytes(page[2:4])
    if footer >= len(page):
        return None
    start, _ = _varint(page, footer)
    length, start = _varint(page, start)
    return page[start : start + length]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number there (7 bits a byte, the highest first; lengths and offsets have no more than 3) and what follows."""
    value = 0
    while True:
        value = value << 7 | data[at] & 0x7F
        at += 1
        if data[at - 1] < 0x80:
            return value, at
