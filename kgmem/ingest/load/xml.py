"""XML that is no HTML: the text of its elements, one line each, without the tags."""

from __future__ import annotations

import re
from datetime import tzinfo
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]
from lxml import etree  # type: ignore[import-untyped]

from kgmem.errors import LoadError

from .charset import declared_charset, decode
from .clean import clean_text, sensible_title
from .html import read_html
from .parsed import Parsed

_SPACE = re.compile(r"[ \t\r\n]+")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,500}\?>")
_XHTML = "{http://www.w3.org/1999/xhtml}html"


def read_xml(data: bytes, *, default_zone: tzinfo | None = None) -> Parsed:
    """The text of every element, as far as broken markup lets it be read.

    Raises LoadError where the file defines entities: expanding them is how a
    small file fills the memory.
    """
    root = parse_safely(data)
    if root is None:
        root = _parse_broken(data)
    if root is None:
        raise LoadError("there is no XML element in the file; save it again or give it another ending")
    if root.tag == _XHTML:
        return read_html(data, default_zone=default_zone)
    title = next((sensible_title("".join(element.itertext())) for element in root.iter()
                  if isinstance(element.tag, str) and element.tag.rpartition("}")[2].lower() == "title"), "")
    return Parsed("\n".join(_lines(root)), title=title)


def parse_safely(data: bytes) -> Element | None:
    """The root element, or None where the markup is broken. Raises LoadError if it defines entities."""
    try:
        root: Element = fromstring(data)
    except DefusedXmlException as error:
        raise LoadError("the XML defines entities, which can expand without end; "
                        "write them out or remove the definitions to load it") from error
    except (ParseError, LookupError, ValueError):  # LookupError: an encoding that Python doesn't know
        return None
    return root


def _parse_broken(data: bytes) -> Any:
    text, _ = decode(data, declared=declared_charset(data))
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True,
                             remove_pis=True, encoding="utf-8")
    try:
        return etree.fromstring(_DECLARATION.sub("", clean_text(text)).encode(), parser)
    except etree.XMLSyntaxError:
        return None


def _lines(root: Element) -> list[str]:
    """One line for each element with text of its own; markup inside of running text doesn't break it."""
    lines: list[str] = []
    stack = [root]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str):  # a comment or a processing instruction
            continue
        mixed = _has_text(element.text) or any(_has_text(child.tail) for child in element)
        if mixed or not len(element):
            line = _SPACE.sub(" ", "".join(element.itertext())).strip()
            if line:
                lines.append(line)
        else:
            stack.extend(reversed(element))
    return lines


def _has_text(text: str | None) -> bool:
    return bool(text and text.strip())
