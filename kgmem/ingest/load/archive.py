"""Opening zip-based formats safely: nothing is unpacked before its size is known."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib

from kgmem.errors import Encrypted, LoadError, TooLarge

_LEAST_LIMIT = 200 * 2**20
"""Bytes that any archive may unpack to, however small `max_bytes` is."""
_SUSPICIOUS_RATIO = 200
_SUSPICIOUS_SIZE = 50 * 2**20
_MOST_ENTRIES = 50_000
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError, OSError)
"""What zipfile raises for archives that are no whole ones (NotImplementedError is a RuntimeError)."""
_PROLOG = 65536
"""Bytes of each XML part that are looked at for entity definitions; they stand before the first element."""


class Archive:
    """A zip file in memory whose parts were checked against the limits.

    Declared sizes can be trusted: zipfile never gives out more than an entry declares.
    """

    def __init__(self, data: bytes, *, max_bytes: int, xml_in_memory: bool = True) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise LoadError("the file is cut off or damaged (it is no whole zip archive); "
                            "get or save it again") from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        self._check(len(data), max_bytes, xml_in_memory)

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The part's bytes. Raises KeyError where there is none, LoadError where it is damaged."""
        try:
            return self._zip.read(self._entries[name])
        except _DAMAGE as error:
            raise LoadError(f"the part {name[:100]!r} of the file is damaged; get or save the file again"
                            ) from error

    def refuse_entities(self) -> None:
        """Raises LoadError if an XML part defines entities: Office writes none, and they can expand without end."""
        for name, entry in self._entries.items():
            if not name.lower().endswith((".xml", ".rels")):
                continue
            try:
                with self._zip.open(entry) as part:
                    head = part.read(_PROLOG)
            except _DAMAGE:
                continue
            # Without its NULs, UTF-16 markup reads as ASCII.
            if b"<!DOCTYPE" in (markup := head.replace(b"\x00", b"")) or b"<!ENTITY" in markup:
                raise LoadError(f"the part {name[:100]!r} defines XML entities, which no Office program writes; "
                                "save the document again to load it")

    def _check(self, packed: int, max_bytes: int, xml_in_memory: bool) -> None:
        entries = self._zip.infolist()
        if any(entry.flag_bits & 1 for entry in entries):
            raise Encrypted("the archive is encrypted; save it without a password to load it")
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > max(_LEAST_LIMIT, 4 * max_bytes) or len(entries) > _MOST_ENTRIES or (
                unpacked > _SUSPICIOUS_SIZE and unpacked > _SUSPICIOUS_RATIO * max(packed, 1)):
            raise TooLarge(f"the file unpacks to {megabytes(unpacked)} in {len(entries)} parts, more than is safe; "
                           "load its contents as smaller files")
        markup = sum(entry.file_size for entry in entries
                     if entry.filename.lower().endswith((".xml", ".xhtml", ".html", ".htm")))
        if xml_in_memory and markup > max_bytes:
            raise TooLarge(f"the file unpacks to {megabytes(markup)} of markup, more than the limit of "
                           f"{megabytes(max_bytes)}; raise it with --max-bytes or load smaller files")


def megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MB" if size >= 2**20 / 10 else f"{size} bytes"
