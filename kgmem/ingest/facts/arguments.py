"""What a verb takes: objects, prepositional phrases, adverbs, clauses; and chains of verbs with one predicate."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgmem.ingest.facts.clauses import Clauses
from kgmem.ingest.facts.phrases import Phrases
from kgmem.ingest.facts.tree import RELATIVE, Phrase, Tokens

_MAX_CHAIN = 6


@dataclass(slots=True)
class Arguments:
    """Heads of a verb's arguments. `front` stands before the subject, `stranded` are bare prepositions."""

    core: Tokens = field(default_factory=list)
    prepositions: Tokens = field(default_factory=list)
    adverbs: Tokens = field(default_factory=list)
    front: Tokens = field(default_factory=list)
    clauses: Tokens = field(default_factory=list)
    stranded: Tokens = field(default_factory=list)

    def inherit(self, governor: Arguments) -> None:
        """Take over what the outer verb of a chain (`helped yesterday to raise …`) has besides the chain."""
        self.prepositions = governor.prepositions + self.prepositions
        self.adverbs = self.adverbs + governor.adverbs
        self.front = self.front + governor.front


class ArgumentFinder:
    def __init__(self, phrases: Phrases, clauses: Clauses) -> None:
        self.tree = phrases.tree
        self.phrases = phrases
        self.clauses = clauses

    def chain(self, v: int) -> Tokens:
        """Governors whose predicate goes on in `v` (`helped` of `raise`; `were`, `able` of `reach`), outermost
        first.
        """
        t = self.tree
        found: Tokens = []
        at = v
        while len(found) < _MAX_CHAIN:
            up = at
            while t.dep[up] == "conj" and t.head[up] != up and self.clauses.own_subject(up) is None:
                up = t.head[up]
            head = t.head[up]
            if t.dep[up] != "xcomp" or head == up or self.clauses.own_subject(up) is not None:
                break
            links = [head]
            if t.dep[head] in {"acomp", "oprd"} and t.head[head] != head:
                head = t.head[head]
                links = [head, *links]
            if not self.clauses.is_clause(head) or any(k < up for k in t.children(head, "dobj", "dative")):
                break
            found = links + found
            at = head
        return found

    def is_chained(self, v: int) -> bool:
        """Whether a verb below `v` carries on its predicate and so states its facts."""
        t = self.tree
        below = [*t.children(v, "xcomp"), *(x for k in t.children(v, "acomp", "oprd") for x in t.children(k, "xcomp"))]
        return any(self.clauses.is_clause(k) and v in self.chain(k) for k in below)

    def of(self, v: int) -> Arguments:
        t = self.tree
        found = Arguments()
        subject = self.clauses.own_subject(v)
        for k in t.kids[v]:
            dep = t.dep[k]
            if t.tag[k] in RELATIVE:
                continue
            front = k < v and (subject is None or k < subject)
            if (
                dep in {"dobj", "attr", "oprd", "acomp"}
                or (dep == "dative" and t.tag[k] not in {"IN", "TO"})
                or (dep == "xcomp" and not self.clauses.is_clause(k))
            ):
                found.core.append(k)
            elif dep == "ccomp" or (dep == "xcomp" and v not in self.chain(k)):
                found.clauses.append(k)
            elif dep in {"prep", "agent", "dative"}:
                if t.kids[k]:
                    (found.front if front else found.prepositions).append(k)
                elif k > v and not found.core:
                    found.stranded.append(k)
            elif dep == "npadvmod":
                (found.front if front else found.adverbs).append(k)
            elif dep == "advmod" and k > v:
                found.adverbs.append(k)
        if found.core:
            # A clause before a verb with an object of its own is a neighbour, not what the verb says.
            found.clauses = [k for k in found.clauses if k > v]
        return found

    def governed(self, preposition: int) -> tuple[Tokens, list[Phrase]]:
        """The words of a preposition (`out of`) and the phrases it governs, none where that is a clause."""
        t = self.tree
        words = [preposition]
        inner = preposition
        for _ in range(3):
            if objects := t.children(inner, "pobj"):
                if t.tag[objects[0]] in RELATIVE:
                    break
                words += [k for k in t.children(inner, "advmod", "npadvmod", "neg") if k < objects[0] and not t.kids[k]]
                return sorted(set(words)), self.phrases.split(objects[0])
            nested = [k for k in t.children(inner, "prep", "pcomp") if not t.is_verb(k)]
            if not nested:
                break
            inner = nested[0]
            words.append(inner)
        return [], []
