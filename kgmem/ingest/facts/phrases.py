"""Noun phrases: what belongs to one, and where a coordination parts."""

from __future__ import annotations

from collections.abc import Collection

from kgmem.ingest.facts.tree import QUOTES_CLOSE, QUOTES_OPEN, Phrase, Tokens, Tree

MAX_CONJUNCTS = 12
"""A longer enumeration stays in one piece."""

_PAUSE = frozenset({",", "(", "-LRB-", "--", "—", "–", ":", ";", "-"})
_BRACKET = frozenset({"(", "-LRB-"})
_LOOSE = frozenset({"relcl", "appos", "acl", "advcl", "parataxis", "ccomp", "dep"})
_NOT_AND = frozenset({"not", "n't", "rather", "instead", "nor"})


class Phrases:
    """Cuts phrases out of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def is_loose(self, i: int) -> bool:
        """A modifier behind a pause: it says more of the phrase but does not narrow it (`Oslo , where …`)."""
        t = self.tree
        if t.dep[i] not in _LOOSE or i < t.head[i]:
            return False
        before = t.subtree(i)[0] - 1
        while before >= 0 and t.word[before] in QUOTES_OPEN:
            before -= 1
        if before < 0 or t.word[before] not in _PAUSE:
            return False
        return not self.is_place_tail(i)

    def is_place_tail(self, i: int) -> bool:
        """`Utah` in `Murray , Utah`: two bare names that are written as one."""
        t = self.tree
        head = t.head[i]
        if t.dep[i] != "appos" or not (t.is_name(i) and t.is_name(head)) or t.word[i - 1] in _BRACKET:
            return False
        if t.has(i, "det", "poss", "prep", "relcl", "acl", "conj", "amod") or t.has(head, "conj"):
            return False
        return 0 < i - head <= 3

    def plain(self, head: int, drop: Collection[int] = ()) -> Phrase:
        """The phrase of `head` without loose modifiers and without the subtrees of `drop`."""
        return Phrase(head, self.tidy(self.tree.subtree(head, lambda k: k in drop or self.is_loose(k))))

    def tidy(self, tokens: Tokens) -> tuple[int, ...]:
        """No comma beside a gap, and a quotation with both its marks."""
        t = self.tree
        kept = set(tokens)
        core = t.trim(i for i in tokens if self._has_neighbours(i, kept))
        if not core:
            return core
        start, end = t.sentence(core[0])
        before, after = core[0] - 1, core[-1] + 1
        opened = sum(t.word[i] in QUOTES_OPEN for i in core) - sum(t.word[i] in QUOTES_CLOSE for i in core)
        opens_before = before >= start and t.word[before] in QUOTES_OPEN
        if opened > 0 or (opened == 0 and opens_before):
            close = after
            while close < end and t.word[close] in {",", "."}:
                close += 1
            if close < end and t.word[close] in QUOTES_CLOSE:
                return (*((before,) if opened == 0 else ()), *core, close)
        elif opened < 0 and opens_before:
            return (before, *core)
        return core

    def _has_neighbours(self, i: int, kept: set[int]) -> bool:
        """False for a comma beside a gap and for a bracket that lost what it enclosed."""
        word = self.tree.word[i]
        if word in _BRACKET:
            return i + 1 in kept
        if word in {")", "-RRB-"}:
            return i - 1 in kept
        return word not in _PAUSE or (i - 1 in kept and i + 1 in kept)

    def conjuncts(self, head: int) -> Tokens:
        """`head` and what is coordinated with it, but for what "not" or "rather than" rules out."""
        t = self.tree
        found = [head]
        for at in found:
            denied = any(t.lower[x] in _NOT_AND for k in t.children(at, "cc") for x in (k, *t.kids[k]))
            for k in t.children(at, "conj"):
                ruled_out = (denied and at != k) or any(t.lower[x] in _NOT_AND for x in t.children(k, "neg"))
                if k not in found and not ruled_out and not t.has(k, "nsubj", "nsubjpass"):
                    found.append(k)
        return sorted(found)

    def split(self, head: int, drop: Collection[int] = ()) -> list[Phrase]:
        """One phrase for each member of the coordination. The first one's possessor holds for all of them."""
        t = self.tree
        members = self.conjuncts(head)
        if not t.has(head, "conj") or len(members) > MAX_CONJUNCTS:
            return [self.plain(head, drop)]
        owners = t.children(head, "poss")
        phrases = []
        for member in members:
            cut = {*drop, *t.children(member, "conj", "cc", "preconj")}
            cut |= {k for k in t.children(member, "punct") if t.word[k] in _PAUSE}
            phrase = self.plain(member, cut)
            if member != head and owners and t.is_noun(member) and not t.has(member, "det", "poss", "nummod"):
                phrase = Phrase(member, tuple(sorted({*t.subtree(owners[0]), *phrase.tokens})))
            if phrase.tokens:
                phrases.append(phrase)
        return phrases
