"""One file's bytes to one Document: finds the kind, calls its reader, checks and completes what it gives."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from datetime import tzinfo
from io import BytesIO
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from kgmem.errors import EmptyDocument, LoadError, TooLarge, Unsupported
from kgmem.model import Document

from . import kinds
from .archive import megabytes
from .clean import clean_json, clean_text, is_blank
from .office import OLE_MAGIC, refuse_ole
from .parsed import Parsed

MAX_BYTES = 64 * 2**20


def load_bytes(data: bytes, *, uri: str, name: str = "", media_type: str | None = None, max_bytes: int = MAX_BYTES,
               tags: Iterable[str] = (), default_zone: tzinfo | None = None,
               metadata: dict[str, object] | None = None) -> Document:
    """The document in `data`. `name` (or else the uri) tells its kind by its ending, and its title failing all else.

    Raises LoadError or one of its subclasses, each saying what to do.
    """
    if len(data) > max_bytes:
        raise too_large(len(data), max_bytes)
    declared = None
    if media_type:
        media_type, _, parameters = media_type.partition(";")
        media_type = media_type.strip().lower()
        declared = parameters.rpartition("charset=")[2].strip(" \"'") or None
    name = name or unquote(PurePosixPath(urlsplit(uri).path).name)
    found = kind_of(data, name, media_type)
    if found == kinds.JSONL:
        raise Unsupported("JSON lines hold many documents; load them with load_jsonl or `kgmem ingest --jsonl`")
    try:
        parsed = _read(data, found, declared, max_bytes, default_zone)
    except LoadError:
        raise
    except RecursionError as error:
        raise LoadError("the document is nested too deeply to be read; save it in a simpler form") from error
    except Exception as error:  # one bad document must not end a run, whatever a library makes of it
        raise LoadError(f"the document is damaged or of an unusual form ({type(error).__name__}); "
                        "open it and save it again") from error
    return finish(parsed, uri=uri, name=name, media_type=found, tags=tags, metadata=metadata)


def finish(parsed: Parsed, *, uri: str, name: str, media_type: str, tags: Iterable[str] = (),
           metadata: dict[str, object] | None = None) -> Document:
    """The Document of what a reader gave. Raises EmptyDocument where there is nothing to read in it."""
    if is_blank(parsed.text):
        raise EmptyDocument("there is no text in the document; leave it out or check that it was saved whole")
    title = parsed.title or clean_text(PurePosixPath(name).stem)
    return Document(
        uri=uri, text=clean_text(parsed.text), title=title, media_type=media_type, timestamp=parsed.timestamp,
        tags=tuple(dict.fromkeys([*map(clean_text, parsed.tags), *tags])),
        metadata={**clean_json(parsed.metadata), **(metadata or {})}, pages=parsed.pages)


def kind_of(data: bytes, name: str, media_type: str | None = None) -> str:
    """The media type. Raises Unsupported or Encrypted for what can't be read."""
    if data.startswith(OLE_MAGIC):
        refuse_ole(data)
    zip_kind = _kind_in_zip(data) if data.startswith(b"PK") else None
    found = kinds.media_type_of(data, name, zip_kind=zip_kind)
    if media_type and media_type != "application/octet-stream" and zip_kind is None and found != kinds.PDF:
        known = media_type.startswith("text/") or media_type in _READ_AS_GIVEN
        if not known:
            raise Unsupported(f"no loader reads {media_type[:100]!r}; convert it to text, Markdown, HTML or PDF")
        return media_type
    if found is None:
        raise Unsupported("the file is binary or of a kind that no loader reads; "
                          "convert it to text, Markdown, HTML, PDF or an Office format")
    return found


def too_large(size: int, max_bytes: int) -> TooLarge:
    return TooLarge(f"the file has {megabytes(size)}, more than the limit of {megabytes(max_bytes)}; "
                    "raise it with --max-bytes or split the file")


_READ_AS_GIVEN = frozenset((
    kinds.DOCX, kinds.PPTX, kinds.XLSX, kinds.EPUB, kinds.PDF, kinds.XHTML, kinds.XML, kinds.JSON, kinds.JSONL,
    "application/toml", "application/yaml", "application/sql", "application/x-subrip"))


def _kind_in_zip(data: bytes) -> str | None:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None
    for prefix, kind in (("word/", kinds.DOCX), ("ppt/", kinds.PPTX), ("xl/", kinds.XLSX)):
        if any(name.startswith(prefix) for name in names):
            return kind
    return kinds.EPUB if "META-INF/container.xml" in names else None


def _read(data: bytes, kind: str, declared: str | None, max_bytes: int, zone: tzinfo | None) -> Parsed:
    # Each reader is imported when first used: together they'd take half a second of every start.
    if kind == kinds.PDF:
        from .pdf import read_pdf
        return read_pdf(data, default_zone=zone)
    if kind == kinds.DOCX:
        from .office import read_docx
        return read_docx(data, max_bytes=max_bytes, default_zone=zone)
    if kind == kinds.PPTX:
        from .slides import read_pptx
        return read_pptx(data, max_bytes=max_bytes, default_zone=zone)
    if kind == kinds.XLSX:
        from .sheets import read_xlsx
        return read_xlsx(data, max_bytes=max_bytes, default_zone=zone)
    if kind == kinds.EPUB:
        from .epub import read_epub
        return read_epub(data, max_bytes=max_bytes, default_zone=zone)
    if kind in (kinds.HTML, kinds.XHTML):
        from .html import read_html
        return read_html(data, declared=declared, default_zone=zone)
    if kind in (kinds.XML, "text/xml"):
        from .xml import read_xml
        return read_xml(data, default_zone=zone)
    if kind in (kinds.CSV, kinds.TSV):
        from .sheets import read_csv
        return read_csv(data, declared=declared, tabs=kind == kinds.TSV)
    from .text import read_markdown, read_text
    if kind == kinds.MARKDOWN:
        return read_markdown(data, declared=declared, default_zone=zone)
    return read_text(data, declared=declared)
