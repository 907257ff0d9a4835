"""Zeros over the copies of rows that SQLite leaves in its pages. Knows the file format, and none of kgmem's tables.

A page of a b-tree is a header, pointers to cells, a gap, and the cells. `PRAGMA secure_delete` zeroes a cell that is
freed, but not the gap. Where rows are shared out anew among neighbouring pages, SQLite may build a page afresh
(`rebuildPage` in its btree.c), and bytes of rows that are on another page from then on stay in the gap. Once such a
row is deleted, its copy is nobody's, and nothing overwrites it. https://sqlite.org/fileformat2.html#b_tree_pages
"""

from __future__ import annotations

import apsw

_HEADER = {2: 12, 5: 12, 10: 8, 13: 8}
"""Length of a page's header by its type, the first byte: inner and leaf pages of indexes and tables."""
_FILE_HEADER = 100
"""Bytes before the header of the first page."""
_MOST_PAGES = 1 << 25
"""Up to here (1 TB) no other page looks like one of a b-tree: it begins with a page's number, so with 0 or 1."""


def overwrite_gaps(path: str) -> None:
    """Zero the gaps of a whole database file. Reads no more than its headers and gaps. Raises `apsw.Error`.

    To be called while nobody can write to the file and its log is empty. Readers may go on: they look at no gap.
    A file with pointer maps (`auto_vacuum`), which kgmem never makes, is left as it is.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    # With open(), closing it would end all locks that this process's connections have on the file.
    file = apsw.VFSFile("", path, flags)
    try:
        first = file.xRead(_FILE_HEADER, 0)
        size = int.from_bytes(first[16:18])
        size = 65_536 if size == 1 else size
        pages = file.xFileSize() // size
        if any(first[52:56]) or pages >= _MOST_PAGES:
            return
        changed = False
        for page in range(pages):
            at = page * size
            start, end = _gap(file.xRead(8, at or _FILE_HEADER), 0 if page else _FILE_HEADER)
            if start < end <= size and file.xRead(end - start, at + start) != bytes(end - start):
                file.xWrite(bytes(end - start), at + start)
                changed = True
        if changed:
            file.xSync(apsw.SQLITE_SYNC_NORMAL)
    finally:
        file.xClose()


def _gap(header: bytes, offset: int) -> tuple[int, int]:
    """Where the gap of a page begins and ends, (0, 0) for a page of another kind."""
    if header[0] not in _HEADER:
        return 0, 0
    cells, content = int.from_bytes(header[3:5]), int.from_bytes(header[5:7])
    return offset + _HEADER[header[0]] + 2 * cells, content or 65_536
