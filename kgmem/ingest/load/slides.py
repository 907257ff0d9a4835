"""PPTX to Markdown: a heading a slide, then its texts, tables, charts and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER

from .archive import Archive
from .clean import clean_text
from .office import first_that_works, open_office, paragraphs, with_properties
from .parsed import Parsed
from .table import pipe_table
from .xml import parse_safely

_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_FURNITURE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.SLIDE_IMAGE)
_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)


def read_pptx(data: bytes, *, max_bytes: int, default_zone: tzinfo | None = None) -> Parsed:
    """A shape that can't be read as what it claims to be still gives the texts in its markup."""
    archive = open_office(data, max_bytes=max_bytes)
    numbers = sorted(int(match.group(1)) for name in archive.names if (match := _SLIDE.fullmatch(name)))

    def convert() -> str:
        slides = Presentation(io.BytesIO(data)).slides
        return "\n\n".join("\n\n".join(_slide(slide, number)) for number, slide in enumerate(slides, 1))

    def plain() -> str:
        return "\n\n".join(_bare_slide(archive, number) for number in numbers)

    return with_properties(archive, first_that_works("PPTX", convert, plain), default_zone, slides=len(numbers))


def _bare_slide(archive: Archive, number: int) -> str:
    return f"## Slide {number}\n\n{paragraphs(archive, f'ppt/slides/slide{number}.xml')}"


def _slide(slide: Any, number: int) -> Iterator[str]:
    title = ""
    blocks: list[str] = []
    stack = _children(slide)
    while stack:
        shape = stack.pop()
        try:
            kind = shape.placeholder_format.type if shape.is_placeholder else None
            if kind in _FURNITURE:
                continue
            if kind in _TITLES and not title and shape.text_frame.text.strip():
                title = " ".join(shape.text_frame.text.split())
                continue
            inner = _children(shape) if hasattr(shape, "shapes") else []
            block = "" if inner else _block(shape, in_list=kind in (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT))
        except Exception:  # an unknown or malformed shape: its text is still there
            inner, block = [], _bare(shape)
        stack += inner
        if block.strip():
            blocks.append(block)
    yield f"## {title or f'Slide {number}'}"
    yield from blocks
    notes = _notes(slide)
    if notes:
        yield f"Notes: {notes}"


def _children(container: Any) -> list[Any]:
    """The shapes in reading order, reversed for a stack."""
    return list(container.shapes)[::-1]


def _block(shape: Any, *, in_list: bool) -> str:
    if getattr(shape, "has_table", False):
        return pipe_table([cell.text for cell in row.cells] for row in shape.table.rows)
    if getattr(shape, "has_chart", False):
        return _chart(shape.chart)
    if shape.has_text_frame:
        written = [paragraph for paragraph in shape.text_frame.paragraphs if paragraph.text.strip()]
        in_list = in_list and len(written) > 1
        return "\n".join(_paragraph(paragraph.text, paragraph.level, in_list) for paragraph in written)
    return _diagram(shape) or _bare(shape)


def _paragraph(text: str, level: int, in_list: bool) -> str:
    line = " ".join(clean_text(text).split())  # a vertical tab stands for a line break
    return f"{'  ' * level}- {line}" if in_list or level else line


def _chart(chart: Any) -> str:
    heading = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    tables: list[str] = [heading] if heading else []
    for plot in chart.plots:
        series = list(plot.series)
        rows = [["", *(str(one.name) for one in series)]]
        for index, category in enumerate(plot.categories):
            values = (one.values[index] if index < len(one.values) else None for one in series)
            rows.append([str(category), *("" if value is None else f"{value:g}" for value in values)])
        tables.append(pipe_table(rows))
    return "\n\n".join(tables)


def _diagram(shape: Any) -> str:
    """The texts of a SmartArt drawing, which are in a part of their own."""
    relation = next(shape.element.iter(_DIAGRAM), None)
    if relation is None:
        return ""
    data = shape.part.related_part(relation.get(_DIAGRAM_DATA)).blob
    root = parse_safely(data)
    return "" if root is None else "\n".join(text.text for text in root.iter(f"{_DRAWING}t") if text.text)


def _bare(shape: Any) -> str:
    lines = ("".join(text.text or "" for text in paragraph.iter(f"{_DRAWING}t"))
             for paragraph in shape.element.iter(f"{_DRAWING}p"))
    return "\n".join(line for line in lines if line.strip())


def _notes(slide: Any) -> str:
    try:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        return frame.text.strip() if frame is not None else ""
    except Exception:  # notes whose part is missing or malformed: the slide is there without them
        return ""
