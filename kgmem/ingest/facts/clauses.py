"""Clauses: which words make the predicate, and who the subject is where the clause itself does not say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kgmem.ingest.facts.tree import BE, RELATIVE, Tokens, Tree

How = Literal["own", "shared", "relative", "participle", "adverbial", "gerund", "control"]
"""The rule that found the subject.

own: in the clause. shared: with the verb it is coordinated with. relative: the noun that "who" stands
for. participle: the noun that a participle describes. adverbial: the main clause's. gerund: the
governing clause's, across a preposition. control: the governing verb's object.
"""

_CLAUSE = frozenset({
    "ROOT", "conj", "ccomp", "xcomp", "advcl", "acl", "relcl", "pcomp", "csubj", "csubjpass", "parataxis", "dep",
    "appos", "prep", "pobj", "dobj", "attr",
})
_SUBJECT = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_OBJECT_CONTROL = frozenset({"of", "from", "into", "for"})
_MAX_DEPTH = 30


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a clause is about; `drop` are the subtrees to leave out of the phrase (the clause itself)."""

    head: int
    how: How
    drop: tuple[int, ...] = ()


class Clauses:
    """Subjects and predicates of one document; a subject is sought once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._subjects: dict[int, Subject | None] = {}

    def is_clause(self, i: int) -> bool:
        t = self.tree
        if t.has(i, *_SUBJECT):
            return t.dep[i] not in {"amod", "compound"}
        return t.is_verb(i) and t.dep[i] in _CLAUSE

    def own_subject(self, v: int) -> int | None:
        own = self.tree.children(v, *_SUBJECT) or self.tree.children(v, "expl")
        return own[-1] if own else None

    def relative_top(self, v: int) -> int | None:
        """The verb that joins the relative clause which `v` is part of to its noun."""
        t = self.tree
        for at in (v, *t.ancestors(v)):
            if t.dep[at] in {"relcl", "acl"}:
                return None if t.is_action(t.head[at]) else at
            if t.dep[at] not in {"conj", "xcomp", "ccomp"}:
                return None
        return None

    def subject(self, v: int, depth: int = 0) -> Subject | None:
        if v not in self._subjects:
            self._subjects[v] = None
            self._subjects[v] = self._find(v, depth) if depth < _MAX_DEPTH else None
        return self._subjects[v]

    def _find(self, v: int, depth: int) -> Subject | None:
        t = self.tree
        own = self.own_subject(v)
        if own is not None:
            if t.tag[own] not in RELATIVE:
                return Subject(own, "own")
            top = self.relative_top(v)
            return None if top is None else self._described(top, "relative", depth)
        dep, head = t.dep[v], t.head[v]
        if head == v:
            return None
        if dep in {"relcl", "acl"} and not t.is_action(head):
            return None if t.is_infinitive(v) else self._described(v, "participle", depth)
        how: How | None = None
        source = head
        if dep == "conj":
            how = "shared"
        elif dep == "xcomp":
            if objects := [k for k in t.children(head, "dobj", "dative") if k < v]:
                return Subject(objects[-1], "control", (v,))
            how = "own"
            source = t.head[head] if t.dep[head] in {"acomp", "oprd"} else head
        elif dep in {"advcl", "ccomp", "dep", "parataxis"}:
            if t.tag[v] in {"VBG", "VBN"} or t.is_infinitive(v):
                how = "adverbial"
        elif dep == "pcomp" and t.dep[head] == "prep":
            source = t.head[head]
            if t.lower[head] in _OBJECT_CONTROL and (objects := t.children(source, "dobj")) and objects[0] < v:
                return Subject(objects[0], "control", (head,))
            how = "gerund"
        if how is None or not self.is_clause(source):
            return None
        found = self.subject(source, depth + 1)
        if found is None or how == "own" or (how == "shared" and found.how != "own"):
            return found
        return replace(found, how=how)

    def _described(self, v: int, how: How, depth: int) -> Subject:
        """The noun that the clause of `v` hangs from; in `X is a journal published by Y` that is X."""
        t = self.tree
        noun = t.head[v]
        clause = t.head[noun]
        if t.dep[noun] == "attr" and t.lower[clause] in BE:
            found = self.subject(clause, depth + 1)
            if found is not None and t.dep[found.head] != "expl" and t.tag[found.head] not in RELATIVE:
                return replace(found, how=how)
        return Subject(noun, how, (v,))

    def verb_group(self, v: int) -> Tokens:
        """The verb with auxiliaries, negation, particles, and adverbs that stand inside or just before."""
        t = self.tree
        group = [v, *t.children(v, "aux", "auxpass", "neg", "prt")]
        if t.dep[v] == "conj" and not t.has(v, "aux", "auxpass") and self.own_subject(v) is None:
            group += self._borrowed(v)
        first = min(group)
        for k in reversed(t.children(v, "advmod")):
            words = t.subtree(k)
            if k < v and t.tag[k] != "WRB" and len(words) <= 3 and (k > first or words[-1] == first - 1):
                group += words
                first = min(first, words[0])
        return sorted(set(group))

    def _borrowed(self, v: int) -> Tokens:
        """`was` for `flushed` in `was cut and flushed`."""
        t = self.tree
        tag = t.tag[v]
        if tag == "VBD" and not t.has(v, "dobj") and t.has(t.head[v], "auxpass"):
            # Participles of the second member are often taken for the past tense.
            tag = "VBN"
        if tag not in {"VB", "VBN", "VBG"}:
            return []
        for head in t.ancestors(v):
            if t.tag[head] != tag:
                break
            if found := t.children(head, "aux", "auxpass"):
                return found
            if t.dep[head] != "conj":
                break
        return []
