"""Entity names: their keys, and where known names could stand in a text. Pure functions over strings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex
import rjieba

from kgmem.terms import STOP_WORDS, UNSPACED, fold

HEAD_WORDS = 5
"""A name longer than this is looked up by its first HEAD_WORDS words, so that scanning a text stays linear."""
MAX_KEY = 200

_EDGE = " \t\r\n\"'“”‘’`´.,;:!?*_-–—«»《》「」『』·|/\\~，。；：！？、…"
_QUOTES = str.maketrans("’‘“”‐‑‒–—―", "''\"\"------")
_ARTICLE = regex.compile(r"(?:the|a|an)\s+(?=\S)")
_POSSESSIVE = regex.compile(r"'s?$")
_WORD = regex.compile(rf"[{UNSPACED}]+|[\w\p{{M}}--[{UNSPACED}]_]+[+#]*", regex.VERSION1)
_HAN = regex.compile(f"[{UNSPACED}]")
_BRACKETS = regex.compile(r"\s*(?:\([^()]*\)|（[^（）]*）)\s*$")
_SENTENCE_END = regex.compile(r"[.!?]['\")\]]*\s+\p{Lu}|[。！？\n]")
_ABBREVIATED = regex.compile(
    "(?i:capt|col|corp|co|dr|ft|gen|gov|hon|inc|jr|lt|ltd|mrs?|ms|mt|no|pres|prof|rep|rev|sen|sgt|sr|ste?|vol|vs)"
)
_MAX_HAN = 10
_RUN_TOGETHER = regex.compile(r"(?!(?:Da|De|Del|Di|Du|Fitz|La|Le|Mac|Mc|Van|Von)\p{Lu})(?:\p{Lu}\p{Ll}+){2,}")
_INNER_CAPITAL = regex.compile(r"(?<=\p{Ll})(?=\p{Lu})")


def entity_key(name: str) -> str:
    """The key under which a name is one entity: NFKC, case-folded, white space, edge punctuation,
    a leading English article and a possessive ending folded away. `C++`, `C#` and `北京大学` stay apart.
    An empty key means that the string names nothing.
    """
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name).translate(_QUOTES)
    key = " ".join(name.casefold().split()).strip(_EDGE)
    if key.startswith("(") and ")" not in key:
        key = key[1:].strip(_EDGE)
    if key.endswith(("'s", "'")):
        key = _POSSESSIVE.sub("", key).strip(_EDGE)
    if article := _ARTICLE.match(key):
        key = key[article.end() :]
    return key[:MAX_KEY]


def is_part(key: str, other: str) -> bool:
    """Whether the words of one key stand one after the other in another key that has more of them."""
    return len(key) < len(other) and f" {key} " in f" {other} "


def title_names(title: str) -> list[str]:
    """The names a title gives, with and without a bracketed ending: `Mercury (planet)` and `Mercury`."""
    names = [" ".join(title.split())]
    bare = _BRACKETS.sub("", names[0])
    if bare and bare != names[0]:
        names.append(bare)
    return [name for name in names if entity_key(name)]


def parted(name: str) -> str:
    """`AdaLovelace` as `Ada Lovelace`; any other name, `McDonald` and `DiCaprio` among them, as it is."""
    return _INNER_CAPITAL.sub(" ", name) if _RUN_TOGETHER.fullmatch(name) else name


def linkable(key: str) -> bool:
    """Whether a known name may be looked for in texts: not one of stop words alone, nor a single letter or digit."""
    if len(key) < 2 and not _HAN.match(key):
        return False
    if _HAN.match(key):
        return len(key) > 1
    words = key.replace("'", " ").split()
    return not all(fold(word) in STOP_WORDS or (word.isdigit() and len(word) < 3) for word in words)


def key_head(key: str) -> str | None:
    """The first HEAD_WORDS words of a longer key, None of a shorter one. Counted as a text scan counts words."""
    words = list(_WORD.finditer(key))
    return key[: words[HEAD_WORDS - 1].end()] if len(words) > HEAD_WORDS else None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that could be a name: `text[start:end]`, with its key. `head`: it may go on beyond `end`."""

    start: int
    end: int
    key: str
    head: bool = False


def candidates(text: str, *, any_case: bool = False) -> Iterator[Span]:
    """Every stretch of up to HEAD_WORDS words that begins or ends in a capital or a digit, or holds Han characters.

    With `any_case` no capital is needed. Stretches do not cross a sentence end. `AdaLovelace` could also be
    `Ada Lovelace`; that comes first. The work is linear in the text's length.
    """
    tokens = [m.span() for m in _WORD.finditer(text)]
    strong = [any_case or any(c.isupper() or c.isdigit() for c in text[s:e]) for s, e in tokens]
    weak = [(any_case or not firm) and text[s:e] in STOP_WORDS for firm, (s, e) in zip(strong, tokens, strict=True)]
    ascii_lower = text.casefold() if text.isascii() else None
    for i, (start, end) in enumerate(tokens):
        if _HAN.match(text, start):
            yield from _han_candidates(text, start, end)
            continue
        if weak[i]:
            continue
        if (name := parted(text[start:end])) != text[start:end]:
            yield Span(start, end, entity_key(name))
        for j in range(i, min(i + HEAD_WORDS, len(tokens))):
            if j > i:
                gap_start = tokens[j - 1][1]
                if (
                    _HAN.match(text, tokens[j][0])
                    or (_SENTENCE_END.match(text, gap_start) and not _goes_on(text[slice(*tokens[j - 1])]))
                    or tokens[j][0] - gap_start > 4
                ):
                    break
            stop = tokens[j][1]
            full = j - i == HEAD_WORDS - 1
            if (weak[j] and not full) or not (strong[i] or strong[j] or (full and any(strong[i:j]))):
                continue
            if ascii_lower is not None:
                key = ascii_lower[start:stop]
                if "\n" in key or "  " in key or "\t" in key:
                    key = " ".join(key.split())
            else:
                key = entity_key(text[start:stop])
            yield Span(start, stop, key, full)


def _goes_on(word: str) -> bool:
    """Whether a full stop after this word is no sentence's end: an initial, as in `James L. Robinson`, or `St`."""
    return (len(word) == 1 and word.isupper()) or _ABBREVIATED.fullmatch(word) is not None


def _han_candidates(text: str, start: int, end: int) -> Iterator[Span]:
    # Word boundaries keep 北京大学 out of 北京大学生; unknown words fall apart into single characters.
    cuts = [start + begin for _, begin, _ in rjieba.tokenize(text[start:end])] + [end]
    for i, begin in enumerate(cuts[:-1]):
        for stop in cuts[i + 1 :]:
            if stop - begin > _MAX_HAN:
                break
            if stop - begin > 1:
                yield Span(begin, stop, entity_key(text[begin:stop]))


def extend(text: str, span: Span, keys: Iterable[str]) -> Span | None:
    """The longest of `keys` (all with the head `span.key`) that `text` spells out from `span.start`, if any does."""
    best: Span | None = None
    for key in keys:
        end = _spelled(text, span.start, key)
        if end and (best is None or end > best.end):
            best = Span(span.start, end, key)
    return best


def _spelled(text: str, start: int, key: str) -> int | None:
    position = start
    for wanted in _WORD.findall(key):
        found = _WORD.search(text, position)
        if found is None or (entity_key(found.group()) != entity_key(wanted) and found.group().casefold() != wanted):
            return None
        position = found.end()
    return position


def longest_first(spans: Iterable[Span]) -> list[Span]:
    """The longest spans that do not overlap each other, the leftmost first among equals; in the text's order."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.start)):
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(span)
    return sorted(chosen, key=lambda s: s.start)
