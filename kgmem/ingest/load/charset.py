"""Bytes to text, whatever they were written in. Never fails: at worst single characters are replaced.

The order: byte order mark, strict UTF-8, UTF-16 by its NULs, the declared
charset, East Asian double-byte sets, what charset-normalizer finds for
other scripts, and windows-1252, the HTML standard's own default for Western text.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
          "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-9": "cp1254", "tis-620": "cp874"}
"""The superset that a declared name stands for in practice (WHATWG Encoding, names and labels)."""
_SAMPLE = 65536
_DECLARED = re.compile(rb"""<(?:meta\b[^>]{0,300}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""",
                       re.IGNORECASE)


def decode(data: bytes, *, declared: str | None = None) -> tuple[str, str]:
    """The text and the encoding that was used. CR, LF and Unicode forms stay as they are."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark):].decode(encoding, "replace"), encoding
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        wide = _utf16_without_mark(data)
        if wide is None and b"\x1b$" in data and b"\x1b(" in data:
            wide = _strict(data, "iso2022_jp")
        return wide or (text, "utf-8")
    return (_utf16_without_mark(data) or _nearly(data, _known(declared)) or _damaged_utf8(data)
            or _east_asian(data) or _other_script(data) or (data.decode("cp1252", "replace"), "cp1252"))


def declared_charset(data: bytes) -> str | None:
    """The charset that the markup names for itself: `<meta charset>` or the XML declaration."""
    match = _DECLARED.search(data[:4096])
    return match.group(1).decode("ascii", "replace") if match else None


def looks_like_utf16(data: bytes) -> bool:
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _utf16_without_mark(data) is not None


def _known(name: str | None) -> str | None:
    if not name:
        return None
    try:
        normal = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    # Markup whose declaration can be read as ASCII isn't UTF-16, whatever it declares.
    return None if normal.startswith(("utf", "idna", "punycode")) else _WIDER.get(normal, normal)


def _strict(data: bytes, encoding: str | None) -> tuple[str, str] | None:
    if not encoding:
        return None
    try:
        text = data.decode(encoding)
    except (UnicodeError, LookupError):
        return None
    # Codecs such as "hex" give no text.
    return (text, encoding) if isinstance(text, str) else None


def _nearly(data: bytes, encoding: str | None) -> tuple[str, str] | None:
    """As _strict, but a character in a hundred of those above ASCII may be damaged: it alone is replaced."""
    if not encoding or not _strict(b"a", encoding):
        return None
    text = data.decode(encoding, "replace")
    above = sum(1 for char in text[:_SAMPLE] if char > "\x7f")
    return (text, encoding) if text[:_SAMPLE].count("\ufffd") * 100 <= above else None


def _utf16_without_mark(data: bytes) -> tuple[str, str] | None:
    """Text with ASCII in it has a NUL in every other byte, always on the same side."""
    sample = data[:_SAMPLE]
    if len(data) < 4 or len(data) % 2 or b"\x00" not in sample:
        return None
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.3 and even * 20 < odd:
        return _strict(data, "utf-16-le")
    if even > half * 0.3 and odd * 20 < even:
        return _strict(data, "utf-16-be")
    return None


def _damaged_utf8(data: bytes) -> tuple[str, str] | None:
    """UTF-8 with a few bad bytes (cut off, or two files joined) rather than another charset."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for char in text[:_SAMPLE] if char > "\x7f") - text.count("\ufffd", 0, _SAMPLE)
    return (text, "utf-8") if good >= 10 * bad else None


@dataclass(frozen=True, slots=True)
class _DoubleByte:
    """An East Asian set: which share of its characters a real text takes from the frequent ones."""

    encoding: str
    frequent: Callable[[str], bool]


def _in_leads(encoding: str, first: int, last: int) -> Callable[[str], bool]:
    """Sets are ordered by frequency first: level 1 holds what is in use, level 2 the rare characters."""

    def frequent(char: str) -> bool:
        raw = char.encode(encoding, "ignore")
        return len(raw) == 2 and first <= raw[0] <= last and (encoding == "big5" or raw[1] >= 0xA1)

    return frequent


def _japanese(char: str) -> bool:
    return "\u3041" <= char <= "\u30fe" or "\u3001" <= char <= "\u300f" or _in_leads("euc_jp", 0xB0, 0xCF)(char)


def _korean(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3" and len(char.encode("euc_kr", "ignore")) == 2


_DOUBLE_BYTE = (
    _DoubleByte("gb18030", _in_leads("gb2312", 0xB0, 0xD7)),
    _DoubleByte("gb18030", _in_leads("big5", 0xA4, 0xC5)),  # traditional characters, which it holds as well
    _DoubleByte("big5hkscs", _in_leads("big5", 0xA4, 0xC5)),
    _DoubleByte("cp932", _japanese),
    _DoubleByte("euc_jp", _japanese),
    _DoubleByte("cp949", _korean),
)
_NOT_FOREIGN = ("LATIN", "MODIFIER", "FEMININE", "MASCULINE", "HALFWIDTH")
"""How the names of characters begin that another script isn't made of; text in one byte a character
that is misread as Japanese is all half-width katakana."""
_TRIED_BEFORE = ["big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jis_2004", "euc_jisx0213", "euc_jp", "euc_kr",
                 "gb18030", "gb2312", "gbk", "hz", "johab", "shift_jis", "shift_jis_2004", "shift_jisx0213", "utf_7",
                 "utf_8", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le"]
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3,}")
"""In Western text the letters above ASCII stand alone or in pairs; in others, whole words are made of them."""
_LEAST_HIGH_BYTES = 1.3
"""Bytes above ASCII for each character: 1.6 to 2 in East Asian text, 1 in Western text that is misread."""
_ENOUGH_KOREAN = 12
_PUNCTUATION = frozenset("，。、；：？！（）《》「」『』“”‘’…—·　【】〈〉～％－／")


def _east_asian(data: bytes) -> tuple[str, str] | None:
    """The double-byte set under which nearly all of the text is frequent characters, if there is one.

    Western text rarely decodes at all as one (a letter with an accent stands
    alone there, and pairs with the ASCII letter after it into rare characters).
    """
    best: tuple[float, str] | None = None
    sample = data[:_SAMPLE]
    high = sum(1 for byte in sample if byte > 0x7F)
    for candidate in _DOUBLE_BYTE:
        decoded = _nearly(sample, candidate.encoding)
        if decoded is None:
            continue
        chars = [char for char in decoded[0] if char > "\x7f" and char not in _PUNCTUATION]
        if not chars or high < _LEAST_HIGH_BYTES * len(chars):
            continue
        score = sum(map(candidate.frequent, chars)) / len(chars)
        if candidate.frequent is _japanese:
            # Kana are a third or more of Japanese text; without any, it is Chinese or Korean misread.
            kana = sum(1 for char in chars if "\u3041" <= char <= "\u30fe") / len(chars)
            score = score if kana > 0.15 else 0.0
            if sum(1 for char in chars if "\uff61" <= char <= "\uff9f") > len(chars) / 2:
                score = 0.0
        if candidate.frequent is _korean and score > 0.95 and len(chars) >= _ENOUGH_KOREAN:
            # Hangul has the lead bytes of the first half of GB 2312's level 1, so it is good Chinese, too;
            # but Chinese of this length always needs the second half as well.
            score = 2.0
        if score > 0.8 and (best is None or score > best[0]):
            best = (score, candidate.encoding)
    return (data.decode(best[1], "replace"), best[1]) if best else None


def _other_script(data: bytes) -> tuple[str, str] | None:
    """What charset-normalizer finds, where it is a script other than Latin.

    For Latin script it isn't asked: it takes short windows-1252 texts for cp1250, Mac or EBCDIC sets.
    """
    sample = data[:_SAMPLE]
    high = sum(1 for byte in sample if byte > 0x7F)
    if sum(map(len, _HIGH_RUN.findall(sample))) <= high / 2:
        return None
    for match in from_bytes(sample, cp_exclusion=_TRIED_BEFORE):  # the best first
        text = match.output("utf-8").decode("utf-8", "replace")
        letters = [char for char in text if char > "\x7f" and char.isalpha()]
        foreign = sum(1 for char in letters if not unicodedata.name(char, "LATIN").startswith(_NOT_FOREIGN))
        if foreign > len(letters) * 0.8:
            return data.decode(match.encoding, "replace"), match.encoding
    return None
