"""EPUB to Markdown: the chapters in the order of the book's spine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from kgmem.errors import Encrypted, LoadError

from .archive import Archive
from .clean import clean_text, is_blank, sensible_title
from .html import read_html
from .parsed import Parsed
from .times import parse_time
from .xml import parse_safely

_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_FONTS = ("obfuscation", "2008/embedding")
"""What the algorithms have in their names that scramble fonts alone and leave the text readable."""


def read_epub(data: bytes, *, max_bytes: int, default_zone: tzinfo | None = None) -> Parsed:
    """Raises Encrypted for a book with DRM, LoadError for one without a readable package file."""
    archive = Archive(data, max_bytes=max_bytes)
    _refuse_drm(archive)
    place, package = _package(archive)
    fields: dict[str, list[str]] = {}
    for element in package.iter():
        if isinstance(element.tag, str) and "purl.org/dc/" in element.tag and element.text and element.text.strip():
            fields.setdefault(element.tag.rpartition("}")[2], []).append(clean_text(element.text.strip()))
    chapters = [text for name in _spine(package, posixpath.dirname(place))
                if name in archive and not is_blank(text := read_html(archive.read(name)).text)]
    metadata: dict[str, Any] = {key: ", ".join(fields[name]) for name, key in (
        ("creator", "author"), ("language", "language"), ("publisher", "publisher"),
        ("identifier", "identifier"), ("subject", "keywords")) if name in fields}
    return Parsed("\n\n".join(chapters), title=sensible_title(next(iter(fields.get("title", [])), "")),
                  timestamp=parse_time(next(iter(fields.get("date", [])), ""), default_zone), metadata=metadata)


def _refuse_drm(archive: Archive) -> None:
    if "META-INF/encryption.xml" not in archive:
        return
    root = parse_safely(archive.read("META-INF/encryption.xml"))
    for element in () if root is None else root.iter():
        algorithm = element.get("Algorithm", "")
        if str(element.tag).endswith("EncryptionMethod") and not any(font in algorithm for font in _FONTS):
            raise Encrypted("the book is copy-protected (DRM); load an unprotected copy")


def _package(archive: Archive) -> tuple[str, Element]:
    place = ""
    if "META-INF/container.xml" in archive:
        root = parse_safely(archive.read("META-INF/container.xml"))
        for element in () if root is None else root.iter():
            if str(element.tag).endswith("rootfile"):
                place = place or element.get("full-path", "")
    if place not in archive:
        place = next((name for name in archive.names if name.lower().endswith(".opf")), "")
    package = parse_safely(archive.read(place)) if place else None
    if package is None:
        raise LoadError("the book has no readable package file (.opf); get or save it again")
    return place, package


def _spine(package: Element, folder: str) -> Iterator[str]:
    """The chapters' names in the archive, in reading order; without the table of contents."""
    items = {element.get("id"): element for element in package.iter() if str(element.tag).endswith("}item")}
    for reference in package.iter():
        item = items.get(reference.get("idref")) if str(reference.tag).endswith("}itemref") else None
        if item is None or "nav" in item.get("properties", "").split():
            continue
        if item.get("media-type") in _CHAPTERS:
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
