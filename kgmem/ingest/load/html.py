"""HTML to Markdown: headings, lists, tables, code and text; without scripts, styles, menus and link targets.

Written as one loop over the tree rather than with a recursive converter, so
that neither deep nesting nor long runs of white space can stall it: the time
is linear in the size of the page. Emphasis and link targets are left out,
because they'd stand inside of names and sentences.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from bs4 import BeautifulSoup, CData, Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from .charset import declared_charset, decode
from .clean import clean_text, is_blank, sensible_title
from .parsed import Parsed
from .table import pipe_table
from .times import parse_time

_DROPPED = frozenset("""script style noscript template svg iframe canvas object embed head select datalist
    rp rt audio video map""".split())  # noqa: SIM905 - a list of words reads better
_BLOCKS = frozenset("""address article aside blockquote body caption center details dd dialog div dl dt fieldset
    figcaption figure footer form header hgroup hr html legend main nav ol p section summary table tbody td tfoot
    th thead title tr ul""".split())  # noqa: SIM905 - a list of words reads better
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile("[ \t\n\r\f\xa0]+")
"""What a browser lays out as one space, and the no-break space, with which pages indent."""
_BREAK = "\x00"
"""Stands for `<br>` in the inline text; NUL can't occur, the source was repaired."""
_DEEPEST_LIST = 8
_WIDEST_SPAN = 50
_LONGEST_REPEAT = 200
_DATES = ("article:published_time", "datepublished", "citation_publication_date", "dc.date", "dcterms.created",
          "dcterms.date", "date", "pubdate", "article:modified_time")


def read_html(data: bytes | str, *, declared: str | None = None, default_zone: tzinfo | None = None) -> Parsed:
    """The page as Markdown. An undecodable or broken page gives what can be read of it."""
    encoding = "utf-8"
    if isinstance(data, bytes):
        data, encoding = decode(data, declared=declared or declared_charset(data))
    soup = parse(clean_text(data))
    metadata = _metadata(soup)
    if encoding != "utf-8":
        metadata["charset"] = encoding
    stated = (parse_time(metadata.pop(name), default_zone) for name in _DATES if name in metadata)
    timestamp = next((moment for moment in stated if moment), None)
    for name in _DATES:
        metadata.pop(name, None)
    title = _title(soup)
    text = to_markdown(soup)
    if is_blank(text):
        text = to_markdown(soup, menus=True)
    return Parsed(text, title=title, timestamp=timestamp, metadata=metadata)


def parse(markup: str) -> BeautifulSoup:
    """The tree of `markup`, however broken it is."""
    with warnings.catch_warnings():
        # "looks like a file name", "looks like XML": said of any odd input, and we mean it to be read as HTML.
        warnings.filterwarnings("ignore", category=UserWarning, module=r"bs4|kgmem\.ingest\.load\.html")
        return BeautifulSoup(markup, "lxml")


def to_markdown(soup: BeautifulSoup, *, menus: bool = False, layout: bool = True) -> str:
    """The body of the tree as Markdown. `menus` keeps `<nav>`; without `layout` every table is one of data.

    A table that holds another, or has one cell a row, is there for the page's
    layout: its cells come out one after the other as text.
    """
    writer = _Writer(menus=menus, layout=layout)
    stack: list[tuple[Tag, Iterator[PageElement]]] = [(soup, iter(soup.contents))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            writer.leave(tag)
        elif isinstance(child, Tag):
            if writer.enter(child):
                stack.append((child, iter(child.contents)))
        elif isinstance(child, CData) or not isinstance(child, PreformattedString):
            writer.add(str(child))
    return writer.text()


class _Writer:
    """Turns the walk over the tree into blocks. `_inline` collects the text of the block that is open."""

    def __init__(self, *, menus: bool, layout: bool) -> None:
        self._menus = menus
        self._layout = layout
        self._blocks: list[tuple[str, bool]] = []
        self._inline: list[str] = []
        self._lists: list[int] = []  # of each open list, the number of its next item; -1 when unordered
        self._markers: list[str] = []  # of each open item, what its first line begins with; "" when that's written
        self._quotes = 0
        self._heading = 0
        self._pre = 0
        self._tables: list[_Table | None] = []  # None for one of layout
        self._cells: list[list[str]] = []  # the inline text around each open cell

    def text(self) -> str:
        self._flush()
        parts: list[str] = []
        previous = False
        for block, tight in self._blocks:
            if parts:
                parts.append("\n" if tight and previous else "\n\n")
            parts.append(block)
            previous = tight
        return "".join(parts)

    def add(self, text: str) -> None:
        self._inline.append(text)

    def enter(self, tag: Tag) -> bool:
        """Opens `tag`; False if what is in it isn't wanted."""
        name = tag.name
        if name in _DROPPED or (name == "nav" and not self._menus) or _hidden(tag):
            return False
        if name == "br":
            self.add("\n" if self._pre else _BREAK)
        elif name == "img":
            alt = _attribute(tag, "alt").strip()
            if " " in alt:  # one word is the name of a logo or an icon
                self.add(f" [image: {alt}] ")
        elif name == "pre":
            self._flush()
            self._pre += 1
        elif name in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[name]
        elif name == "li":
            self._flush()
            self._markers.append(self._next_marker())
        elif name in _BLOCKS:
            self._flush()
            self._enter_block(tag)
        return True

    def leave(self, tag: Tag) -> None:
        name = tag.name
        if name == "pre":
            self._fence(tag)
            self._pre -= 1
        elif name in _HEADINGS:
            self._flush()
            self._heading = 0
        elif name == "li":
            self._flush()
            self._markers.pop()
        elif name in _BLOCKS:
            self._leave_block(tag)

    def _enter_block(self, tag: Tag) -> None:
        name = tag.name
        if name in ("ul", "ol"):
            self._lists.append(_number(tag, "start", 1, -10**9, 10**9) if name == "ol" else -1)
        elif name == "blockquote":
            self._quotes += 1
        elif name == "table":
            self._tables.append(None if self._layout and _is_layout(tag) else _Table())
        elif table := self._table():
            if name == "tr":
                table.start_row()
            elif name in ("td", "th"):
                self._cells.append(self._inline)
                self._inline = []

    def _leave_block(self, tag: Tag) -> None:
        name = tag.name
        if name in ("td", "th") and (table := self._table()) and self._cells:
            text = " ".join(_lines("".join(self._inline)))
            table.add(text, columns=_number(tag, "colspan", 1, 1, _WIDEST_SPAN),
                      rows=_number(tag, "rowspan", 1, 1, _WIDEST_SPAN))
            self._inline = self._cells.pop()
            return
        self._flush()
        if name in ("ul", "ol"):
            self._lists.pop()
        elif name == "blockquote":
            self._quotes -= 1
        elif name == "table" and (finished := self._tables.pop()):
            if self._cells:
                self.add(f" {finished.in_line()} ")
            else:
                self._emit(finished.markdown().split("\n"))

    def _table(self) -> _Table | None:
        return self._tables[-1] if self._tables else None

    def _next_marker(self) -> str:
        if not self._lists or self._lists[-1] == -1:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _flush(self) -> None:
        """Closes the open block. In a cell a block's end is a space."""
        if self._cells:
            self._inline.append(" ")
            return
        if self._pre:
            return
        lines = _lines("".join(self._inline))
        self._inline = []
        if self._heading and lines:
            lines = [f"{'#' * self._heading} {' '.join(lines)}"]
        self._emit(lines)

    def _fence(self, tag: Tag) -> None:
        if self._cells or self._pre > 1:
            return
        code = "".join(self._inline).replace(_BREAK, "\n").strip("\n")
        self._inline = []
        if code.strip():
            longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
            fence = "`" * (longest + 1)
            self._emit([fence + _language(tag), *code.split("\n"), fence])

    def _emit(self, lines: list[str]) -> None:
        if not any(lines):
            return
        depth = min(len(self._markers), _DEEPEST_LIST)
        lead = "> " * min(self._quotes, _DEEPEST_LIST)
        marker = self._markers[-1] if self._markers else ""
        indent = "  " * (depth - 1) if marker else "  " * depth
        first, rest = lead + indent + marker, lead + indent + " " * len(marker)
        if marker:
            self._markers[-1] = ""
        block = "\n".join((rest if number else first) + line for number, line in enumerate(lines))
        self._blocks.append((block, depth > 0))


class _Table:
    """The cells of one table, with what spans several rows repeated in each and empty cells for spanned columns."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._down: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, their text

    def start_row(self) -> None:
        self._rows.append([])
        self._fill()

    def add(self, text: str, *, columns: int, rows: int) -> None:
        if not self._rows:
            self.start_row()
        row = self._rows[-1]
        if rows > 1:
            self._down[len(row)] = (rows - 1, text if len(text) <= _LONGEST_REPEAT else "")
        row.append(text)
        row.extend([""] * (columns - 1))
        self._fill()

    def markdown(self) -> str:
        return pipe_table(self._rows, width=max(map(len, self._rows), default=0))

    def in_line(self) -> str:
        return "; ".join(", ".join(filter(None, row)) for row in self._rows if any(row))

    def _fill(self) -> None:
        row = self._rows[-1]
        while (spanning := self._down.get(len(row))) is not None:
            left, text = spanning
            if left > 1:
                self._down[len(row)] = (left - 1, text)
            else:
                del self._down[len(row)]
            row.append(text)


def _lines(text: str) -> list[str]:
    return [line for part in text.split(_BREAK) if (line := _SPACE.sub(" ", part).strip(" "))]


def _is_layout(table: Tag) -> bool:
    """Whether the table is there for the page's looks. Each element is looked at once a table around it."""
    if _attribute(table, "role") in ("presentation", "none"):
        return True
    rows = cells = 0
    for element in table.descendants:
        if isinstance(element, Tag):
            if element.name == "table":
                return True
            rows += element.name == "tr"
            cells += element.name in ("td", "th")
    return cells <= rows


def _hidden(tag: Tag) -> bool:
    return bool(tag.attrs) and (tag.has_attr("hidden") or "display:none" in _attribute(tag, "style").replace(" ", ""))


def _language(tag: Tag) -> str:
    code = tag.find("code", recursive=False)
    for element in (tag, code):
        if isinstance(element, Tag):
            for name in _attribute(element, "class").split():
                if name.startswith(("language-", "lang-")) and name.isascii() and name.isprintable():
                    return name.split("-", 1)[1].replace("`", "")
    return ""


def _attribute(tag: Tag, name: str) -> str:
    value: Any = tag.get(name)
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _number(tag: Tag, name: str, default: int, least: int, most: int) -> int:
    value = _attribute(tag, name).strip()
    if not re.fullmatch(r"-?[0-9]{1,9}", value):
        return default
    return min(max(int(value), least), most)


def _title(soup: BeautifulSoup) -> str:
    """`<title>`, or the first `<h1>` where that is how the title starts (the rest being the site's name)."""
    element, heading = soup.find("title"), soup.find("h1")
    title = sensible_title(_plain(element)) if isinstance(element, Tag) else ""
    first = sensible_title(_plain(heading)) if isinstance(heading, Tag) else ""
    return first if first and (not title or title.startswith(first)) else title


def _plain(tag: Tag) -> str:
    return "".join(element for element in tag.descendants
                   if isinstance(element, NavigableString) and not isinstance(element, PreformattedString))


def _metadata(soup: BeautifulSoup) -> dict[str, Any]:
    found: dict[str, Any] = {}
    root = soup.find("html")
    if isinstance(root, Tag) and (language := _attribute(root, "lang").strip()):
        found["language"] = language[:100]
    for meta in soup.find_all("meta"):
        name = (_attribute(meta, "name") or _attribute(meta, "property") or _attribute(meta, "itemprop")).lower()
        content = _attribute(meta, "content").strip()[:2000]
        if content and name in ("author", "description", "keywords", *_DATES):
            found.setdefault(name, content)
    canonical = soup.find("link", rel="canonical")
    if isinstance(canonical, Tag) and (address := _attribute(canonical, "href").strip()):
        found["url"] = address[:2000]
    return found


