"""Index terms: the words both engines' full-text indexes hold, made here once so that neither tokenizer decides.

A text becomes lower-case stems without stop words; `snake_case`, `CamelCase`
and `POL-358` give their parts and the whole, a word with one hyphen also what it
is without; Han, Kana and other scripts written without spaces give overlapping
character pairs. A term never holds white space.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import local

import regex
import Stemmer  # type: ignore[import-not-found]

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}々〇ー"
_RUN = regex.compile(
    rf"[{UNSPACED}]+"
    rf"|\d{{1,3}}(?:,\d{{3}})+(?!\d)"
    rf"|[^\W{UNSPACED}][\w\p{{M}}--[{UNSPACED}]]*(?:[-./&][\w--[{UNSPACED}]][\w\p{{M}}--[{UNSPACED}]]*)*(?:\+\+|[#+](?!\w))?",
    regex.VERSION1,
)
_UNSPACED = regex.compile(f"[{UNSPACED}]")
_CAMEL = regex.compile(
    r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\d+|[^\W\d_\p{Lu}\p{Ll}][\p{M}\p{Lo}]*", regex.VERSION1
)
_CAMEL_ALONE = regex.compile(r"\p{Ll}*(?:\p{Lu}\p{Ll}+)+")
_PLURAL = regex.compile(r"(?<=\p{Lu}{2})s$")
_MIN_PART = 3
"""Letters of a part within a word such as `miRNA` or `MeCP2`; what is shorter says nothing. `LiHua` keeps its parts."""
_JOINED = regex.compile(r"[-_./&]")
_MAX_TERM = 64

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from
    further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
    its itself just let ll m me more most mustn my myself no nor not of off on once only or other ought our ours
    ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
    themselves then there these they this those through to too under until up upon us ve very was wasn we were
    weren what when where which while who whom whose why will with won would wouldn you your yours yourself
    yourselves""".split()  # noqa: SIM905
)

_stemmers = local()


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    # A Stemmer object is not safe to share between threads.
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(word))


def fold(word: str) -> str:
    """Case-folded, and without accents in Latin, Greek and Cyrillic (`Beyoncé` is found by `beyonce`)."""
    word = word.casefold()
    if word.isascii() or any(c >= "\u0530" and not "\u1e00" <= c < "\u2000" for c in word):
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare)


def terms(text: str) -> list[str]:
    """The index terms of a text in reading order, repeats kept (their count is the term frequency).

    >>> terms("The parser_state of C++ in 北京大学")
    ['parser_state', 'parser', 'state', 'c++', '北京', '京大', '大学']
    """
    return [term for word in words(text) for term in word]


def words(text: str) -> Iterator[list[str]]:
    """The index terms of a text, those of each word together: several where it is a compound.

    >>> list(words("The parser_state in 北京大学"))
    [['parser_state', 'parser', 'state'], ['北京'], ['京大'], ['大学']]
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    for match in _RUN.finditer(text):
        run = match.group().strip("_-./&")
        if _UNSPACED.match(run):
            yield from ([run[i : i + 2]] for i in range(max(len(run) - 1, 1)))
            continue
        found: list[str] = []
        if run.isascii() and run.isalpha() and (run.islower() or run[1:].islower()):
            _add_word(run.lower(), found)
        elif run:
            _add_compound(run, found)
        if found:
            yield found


def _add_word(word: str, found: list[str]) -> None:
    if word and word not in STOP_WORDS:
        found.append(_stem(word)[:_MAX_TERM])


def _add_compound(run: str, found: list[str]) -> None:
    if run[0].isdigit() and "," in run:
        found.append(run.replace(",", "")[:_MAX_TERM])
        return
    if run.endswith(("+", "#")):
        found.append(fold(run)[:_MAX_TERM])
        *before, last = _JOINED.split(run)
        for piece in filter(None, before):
            _add_compound(piece, found)
        if before and last.strip("+#"):
            found.append(fold(last)[:_MAX_TERM])
        return
    pieces = [piece for piece in _JOINED.split(run) if piece]
    if len(pieces) > 1 or _parts(run) != [run]:
        found.append(fold(run)[:_MAX_TERM])
    if len(pieces) == 2 and run.count("-") == 1 and not run.replace("-", "").isdigit():
        _add_word(fold("".join(pieces)), found)
    for piece in pieces:
        parts = _parts(piece)
        if len(pieces) > 1 and parts != [piece]:
            found.append(fold(piece)[:_MAX_TERM])
        for part in parts:
            _add_word(fold(part), found)


def _parts(piece: str) -> list[str]:
    """What stands in `CamelCase` beside the whole; of `miRNAs` that is `miRNA` too. A word of one part is its part."""
    single = _PLURAL.sub("", piece)
    parts = [single] if single.isupper() else _CAMEL.findall(single)
    if len(parts) > 1 and not _CAMEL_ALONE.fullmatch(single):
        parts = [part for part in parts if len(part) >= _MIN_PART or part.isdigit()]
    if single != piece and parts != [single]:
        parts.insert(0, single)
    return parts or [piece]


def spelled(name: str) -> list[list[str]]:
    """For each word of a name, the terms of which a text that spells the name has at least one.

    However the text spells it: a word may be in capitals or in `CamelCase`
    there, and what is hyphenated here may be two words or joined otherwise.
    Stop words are left out, unless there is nothing else.

    >>> spelled("Navier-Stokes equations")
    [['navier'], ['stokes', 'stoke'], ['equations', 'equat']]
    """
    plain = unicodedata.normalize("NFKC", name)
    words = [forms for m in _RUN.finditer(_JOINED.sub(" ", plain)) for forms in _forms(m.group())]
    return words or [[term] for term in terms(name)]


def _forms(run: str) -> list[list[str]]:
    if _UNSPACED.match(run):
        return [[run[i : i + 2]] for i in range(max(len(run) - 1, 1))]
    word = fold(run)
    if word in STOP_WORDS:
        return []
    bare = word.rstrip("+#").replace(",", "")
    return [list(dict.fromkeys(form[:_MAX_TERM] for form in (word, bare, _stem(bare)) if form not in STOP_WORDS))]


def script_counts(text: str) -> tuple[int, int]:
    """(letters and digits of scripts with spaces, characters of scripts without): how much of a text is in which."""
    unspaced = len(_UNSPACED.findall(text))
    return sum(c.isalnum() for c in text) - unspaced, unspaced
