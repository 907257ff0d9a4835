"""Facts that noun phrases state without a verb: appositions, titles before a name, places.

Possessives (`X's Y`) and other nouns with a preposition (`Y of X`) were tried and left out: of such
facts readers write down one in five.
"""

from __future__ import annotations

from kgmem.ingest.facts.clauses import Clauses
from kgmem.ingest.facts.phrases import Phrases
from kgmem.ingest.facts.tree import Phrase
from kgmem.ingest.facts.verbal import Candidate

_PLACE = frozenset({"GPE", "LOC", "FAC", "ORG"})
_TITLE_PARTS = ("amod", "compound", "det", "nmod", "poss")


class NominalFacts:
    def __init__(self, phrases: Phrases, clauses: Clauses) -> None:
        self.tree = phrases.tree
        self.phrases = phrases
        self.clauses = clauses

    def of(self, i: int) -> list[Candidate]:
        dep = self.tree.dep[i]
        found: Candidate | None = None
        if dep == "appos":
            found = self._place_tail(i) if self.phrases.is_place_tail(i) else self._apposition(i)
        elif dep in {"compound", "nmod"}:
            found = self._title(i)
        elif dep == "prep":
            found = self._located(i)
        return [found] if found is not None and found.subject.tokens and found.objects[0].tokens else []

    def _place_tail(self, i: int) -> Candidate | None:
        """`Murray , Utah`: needs the recogniser's word that the second is a place."""
        t = self.tree
        head = t.head[i]
        if t.entity[i] != "GPE" or t.entity[head] not in _PLACE:
            return None
        place = Phrase(head, tuple(k for k in t.subtree(head, lambda k: k > head) if t.dep[k] != "cc"))
        return Candidate("place", i, place, "is in", (), (self.phrases.plain(i),))

    def _apposition(self, i: int) -> Candidate | None:
        """`Oslo , the capital`: one side is a name, the subject. Enumerations look the same and are left out."""
        t = self.tree
        head = t.head[i]
        if not (t.is_noun(i) and t.is_noun(head)) or not (t.is_name(i) or t.is_name(head)):
            return None
        if self.clauses.is_clause(i):
            return None
        if t.dep[head] in {"appos", "conj"} or t.has(i, "appos", "conj") or t.has(head, "conj"):
            return None
        what, who = self.phrases.plain(i), self.phrases.plain(head, (i,))
        if t.is_name(i) and not t.is_name(head):
            what, who = who, what
        return Candidate("apposition", i, who, t.be_for(who.head, who.head), (), (what,))

    def _title(self, i: int) -> Candidate | None:
        """`French physicist Marie Curie`."""
        t = self.tree
        name = t.head[i]
        if t.tag[i] != "NN" or not i < name or not t.is_name(name) or t.entity[name] not in {"PERSON", ""}:
            return None
        between = range(i + 1, name + 1)
        if t.dep[name] == "compound" or t.has(name, "poss") or not all(t.is_name(k) for k in between):
            return None
        before = [k for k in t.children(name, *_TITLE_PARTS) if k <= i]
        title = t.trim(sorted({x for k in before for x in t.subtree(k)}))
        return Candidate("title", i, Phrase(name, tuple(between)), "is", (), (Phrase(i, title),))

    def _located(self, i: int) -> Candidate | None:
        """`Usher Hall in Edinburgh`."""
        t = self.tree
        head = t.head[i]
        places = t.children(i, "pobj")
        if t.lower[i] not in {"in", "at"} or not t.is_name(head) or not places or not t.is_name(places[0]):
            return None
        what = self.phrases.plain(head, [k for k in t.kids[head] if k > head])
        return Candidate("located", i, what, t.be_for(head, head), (i,), (self.phrases.plain(places[0]),))
