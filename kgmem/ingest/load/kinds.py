"""What kind of file it is: by its first bytes where these are certain, else by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

from .charset import looks_like_utf16

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
PDF = "application/pdf"
HTML = "text/html"
XHTML = "application/xhtml+xml"
XML = "application/xml"
MARKDOWN = "text/markdown"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSONL = "application/jsonl"
PLAIN = "text/plain"

_BY_SUFFIX = {
    "pdf": PDF, "epub": EPUB, "docx": DOCX, "docm": DOCX, "dotx": DOCX, "pptx": PPTX, "pptm": PPTX, "ppsx": PPTX,
    "potx": PPTX, "xlsx": XLSX, "xlsm": XLSX, "xltx": XLSX, "html": HTML, "htm": HTML, "xhtml": XHTML, "xht": XHTML,
    "xml": XML, "rss": XML, "atom": XML, "opml": XML, "dita": XML, "md": MARKDOWN, "markdown": MARKDOWN,
    "mdx": MARKDOWN, "mkd": MARKDOWN, "csv": CSV, "tsv": TSV, "tab": TSV, "json": JSON, "jsonl": JSONL,
    "ndjson": JSONL, "txt": PLAIN, "text": PLAIN, "log": PLAIN, "ini": PLAIN, "cfg": PLAIN, "conf": PLAIN,
    "rst": "text/x-rst", "tex": "text/x-tex", "bib": "text/x-bibtex", "srt": "application/x-subrip",
    "vtt": "text/vtt", "toml": "application/toml", "yaml": "application/yaml", "yml": "application/yaml",
    "sql": "application/sql", "py": "text/x-python", "pyi": "text/x-python", "js": "text/javascript",
    "mjs": "text/javascript", "jsx": "text/javascript", "ts": "text/x-typescript", "tsx": "text/x-typescript",
    "java": "text/x-java", "kt": "text/x-kotlin", "scala": "text/x-scala", "go": "text/x-go", "rs": "text/x-rust",
    "c": "text/x-c", "h": "text/x-c", "cpp": "text/x-c++", "cc": "text/x-c++", "hpp": "text/x-c++",
    "cs": "text/x-csharp", "rb": "text/x-ruby", "php": "text/x-php", "swift": "text/x-swift", "lua": "text/x-lua",
    "r": "text/x-r", "pl": "text/x-perl", "sh": "text/x-shellscript", "bash": "text/x-shellscript",
    "css": "text/css", "org": "text/x-org", "adoc": "text/asciidoc", "graphql": "text/x-graphql",
    "cypher": "text/x-cypher",
}
_PICTURES_AND_PROGRAMS = frozenset("""png jpg jpeg gif bmp tif tiff webp ico svg heic avif mp3 wav flac ogg m4a mp4
    mkv avi mov webm zip gz bz2 xz zst 7z rar tar jar whl exe dll so dylib o a class pyc pyo wasm bin dat db sqlite
    sqlite3 pkl npy npz pt onnx safetensors parquet woff woff2 ttf otf eot doc xls ppt odt ods odp rtf msg psd ai
    ps eps dmg iso""".split())  # noqa: SIM905 - a list of words reads better
"""Kinds that no loader reads; those whose bytes could pass for text, above all."""
_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF",
          b"\xca\xfe\xba\xbe", b"RIFF", b"OggS", b"ID3", b"fLaC", b"SQLite format 3\x00", b"\x00asm", b"wOFF",
          b"{\\rtf", b"%!PS", b"II*\x00", b"MM\x00*", b"\x93NUMPY", b"PAR1", b"\x28\xb5\x2f\xfd")
_SAMPLE = 8192
_MARKDOWN_MADE = frozenset((DOCX, PPTX, XLSX, EPUB, HTML, XHTML, MARKDOWN, CSV, TSV))


def is_markdown(media_type: str) -> bool:
    """Whether a Document of this media type has Markdown as its text, as written or as converted."""
    return media_type.partition(";")[0].strip().lower() in _MARKDOWN_MADE


def media_type_of(data: bytes, name: str, *, zip_kind: str | None = None) -> str | None:
    """The media type, or None for what no loader reads. `zip_kind` is what is inside, where data is a zip archive."""
    suffix = suffix_of(name)
    head = data[:_SAMPLE]
    if head.startswith(b"%PDF-") or (suffix == "pdf" and b"%PDF-" in head[:1024]):
        return PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zip_kind or (_BY_SUFFIX[suffix] if _BY_SUFFIX.get(suffix) in (DOCX, PPTX, XLSX, EPUB) else None)
    if head.startswith(_MAGIC) or suffix in _PICTURES_AND_PROGRAMS:
        return None
    known = _BY_SUFFIX.get(suffix)
    if known:
        return known
    if _is_binary(head):
        return None
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:500].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return HTML
    if start.startswith(b"<?xml"):
        return XHTML if b"<html" in start else XML
    return PLAIN


def suffix_of(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().lstrip(".")


def _is_binary(head: bytes) -> bool:
    if looks_like_utf16(head[: len(head) // 2 * 2]):
        return False
    controls = sum(1 for byte in head if byte < 32 and byte not in b"\t\n\r\f\b\x1b")
    return b"\x00" in head or controls > len(head) * 0.02
