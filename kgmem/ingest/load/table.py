"""Markdown pipe tables out of rows of cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_SPACE = re.compile(r"[ \t\r\n\f\v]+")


def cell_text(text: str) -> str:
    """`text` on one line, with its pipes escaped."""
    return _SPACE.sub(" ", text).strip(" ").replace("|", "\\|")


def pipe_table(rows: Iterable[Sequence[str]], *, width: int = 0) -> str:
    """The rows as a table whose first row is the header; "" where no cell holds anything.

    Empty rows go. Shorter rows stay short, as GFM allows: padding all to the
    widest would let a small file blow up. `width` is the least width of the header.
    """
    return "\n".join(_lines(rows, width))


def _lines(rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    header = True
    for row in rows:
        cells = [cell_text(cell) for cell in row]
        filled = len(cells)
        while filled and not cells[filled - 1]:
            filled -= 1
        if not filled:
            continue
        if header:
            filled = max(len(cells), width)
            cells += [""] * (filled - len(cells))
        yield f"| {' | '.join(cells[:filled])} |"
        if header:
            yield f"|{' --- |' * filled}"
            header = False
