"""A document's dependency trees as plain lists of token indices, and the text of a choice of tokens.

spaCy makes its token objects anew at each access; lists make the rules some ten times faster.
Only `tag_` and `dep_` are read, so neither lemmatizer nor attribute ruler need run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

Tokens = list[int]

BE = frozenset(["be", "is", "am", "are", "was", "were", "been", "being", "'s", "'re", "'m", "’s", "’re", "’m"])
RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})
QUOTES_OPEN = frozenset({"``", "“", '"'})
QUOTES_CLOSE = frozenset({"''", "”", '"'})

_NOUN_PLACES = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "appos", "poss", "dative"})
_EDGE = frozenset({",", ":", ";", ".", "-", "--", "–", "—", "...", "…", "?", "!"})
_PAIRS = {"``": "''", "“": "”", "(": ")", "[": "]", "-LRB-": "-RRB-"}
_CLOSERS = {close: opener for opener, close in _PAIRS.items()}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens in text order, gaps allowed, and the one that carries the meaning."""

    head: int
    tokens: tuple[int, ...]


class Tree:
    """Words, tags, labels and heads of all tokens; `head[i] == i` at the top of a sentence.

    An arc that leaves its sentence is cut.
    """

    __slots__ = ("_starts", "dep", "entity", "head", "kids", "lower", "offset", "sentences", "space", "tag", "word")

    def __init__(self, doc: Doc) -> None:
        tokens = list(doc)
        self.word = [t.text for t in tokens]
        self.lower = [w.lower() for w in self.word]
        self.space = [bool(t.whitespace_) for t in tokens]
        self.tag = [t.tag_ for t in tokens]
        self.dep = [t.dep_ for t in tokens]
        self.head = [t.head.i for t in tokens]
        self.offset = [t.idx for t in tokens]
        self.entity = [t.ent_type_ for t in tokens]
        self._starts = [t.i for t in tokens if t.i == 0 or t.is_sent_start]
        self.sentences = list(zip(self._starts, [*self._starts[1:], len(tokens)], strict=False))
        self.kids: list[Tokens] = [[] for _ in tokens]
        for start, end in self.sentences:
            for i in range(start, end):
                head = self.head[i]
                if head != i and start <= head < end:
                    self.kids[head].append(i)
                else:
                    self.head[i] = i

    def sentence(self, i: int) -> tuple[int, int]:
        return self.sentences[bisect_right(self._starts, i) - 1]

    def is_question(self, start: int, end: int) -> bool:
        last = end - 1
        while last > start and (self.word[last] in QUOTES_CLOSE or self.word[last].isspace()):
            last -= 1
        return self.word[last].endswith("?")

    def children(self, i: int, *deps: str) -> Tokens:
        return [k for k in self.kids[i] if self.dep[k] in deps]

    def has(self, i: int, *deps: str) -> bool:
        return any(self.dep[k] in deps for k in self.kids[i])

    def subtree(self, i: int, drop: Callable[[int], bool] | None = None) -> Tokens:
        """`i` and all that hangs from it, without the subtrees whose top `drop` refuses."""
        found: Tokens = []
        stack = [i]
        while stack:
            at = stack.pop()
            found.append(at)
            stack += self.kids[at] if drop is None else [k for k in self.kids[at] if not drop(k)]
        found.sort()
        return found

    def ancestors(self, i: int) -> Iterable[int]:
        while self.head[i] != i:
            i = self.head[i]
            yield i

    def is_verb(self, i: int) -> bool:
        return self.tag[i].startswith("VB")

    def is_noun(self, i: int) -> bool:
        return self.tag[i].startswith("NN")

    def is_name(self, i: int) -> bool:
        return self.tag[i].startswith("NNP")

    def is_action(self, i: int) -> bool:
        """A verb that does not stand where a noun would (as names do that the tagger takes for verbs)."""
        return self.is_verb(i) and self.dep[i] not in _NOUN_PLACES

    def is_infinitive(self, v: int) -> bool:
        return any(self.lower[k] == "to" for k in self.children(v, "aux"))

    def is_past(self, i: int) -> bool:
        """Whether the nearest finite verb at or above `i` is in the past tense."""
        for at in (i, *self.ancestors(i)):
            for k in (at, *self.children(at, "aux", "auxpass")):
                if self.tag[k] in {"VBD", "VBZ", "VBP"}:
                    return self.tag[k] == "VBD"
        return False

    def be_for(self, noun: int, at: int) -> str:
        """The form of "be" that agrees with `noun` and with the tense around `at`."""
        plural = self.tag[noun] in {"NNS", "NNPS"}
        if self.is_past(at):
            return "were" if plural else "was"
        return "are" if plural else "is"

    def trim(self, tokens: Iterable[int]) -> tuple[int, ...]:
        """Without punctuation and conjunctions at the edges, and without half a pair of brackets or quotes."""
        kept = list(tokens)
        start, end = 0, len(kept)
        words = {self.word[i] for i in kept}
        uneven = [self.word[i] for i in kept].count('"') % 2 == 1
        while start < end:
            first, last = self.word[kept[start]], self.word[kept[end - 1]]
            if first in _EDGE or first in _CLOSERS or self.dep[kept[start]] == "cc":
                start += 1
            elif last in _EDGE or last in _PAIRS or last in {"rather", "instead"} or self.dep[kept[end - 1]] == "cc":
                end -= 1
            elif uneven and '"' in (first, last):
                start, end = (start + 1, end) if first == '"' else (start, end - 1)
                uneven = False
            elif first in _PAIRS and _PAIRS[first] not in words:
                start += 1
            elif last in _CLOSERS and _CLOSERS[last] not in words:
                end -= 1
            else:
                break
        return tuple(kept[start:end])

    def text(self, tokens: Iterable[int]) -> str:
        """The words as the document writes them, on one line, one space for what is left out in between."""
        parts: list[str] = []
        last = -1
        for i in tokens:
            if parts and any(self.space[last:i]):
                parts.append(" ")
            parts.append(self.word[i])
            last = i
        return " ".join("".join(parts).split())

    def span(self, phrase: Phrase) -> tuple[int, int]:
        """Character offsets of the head noun phrase; from first to last word where there is none.

        The head noun phrase is the head with what stands before it but no possessor, and an "of" phrase
        between two names (`University of Oslo`). In a prepositional phrase it is the one that is governed.
        """
        kept = set(phrase.tokens)
        head = phrase.head
        while self.tag[head] in {"IN", "TO"} and (inner := self.children(head, "pobj", "prep")):
            head = inner[0]
        start, end = phrase.tokens[0], phrase.tokens[-1]
        if head in kept and not self.is_verb(head) and self.tag[head] not in {"IN", "TO"}:
            start = end = head
            while start - 1 in kept and self.head[start - 1] in range(start - 1, head + 1):
                start -= 1
            while end + 1 in kept and self._continues_name(head, end + 1):
                end = max(self.subtree(end + 1))
                if end not in kept:
                    end = head
                    break
        return self.offset[start], self.offset[end] + len(self.word[end])

    def _continues_name(self, head: int, i: int) -> bool:
        if self.head[i] != head or not self.is_name(head):
            return False
        if self.dep[i] in {"nummod", "compound", "nmod"}:
            return True
        return self.lower[i] == "of" and any(self.is_name(k) for k in self.children(i, "pobj"))
