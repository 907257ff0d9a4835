"""Facts that verbs state: one for each subject and each first object, with all other arguments behind it."""

from __future__ import annotations

from dataclasses import dataclass

from kgmem.ingest.facts.arguments import ArgumentFinder, Arguments
from kgmem.ingest.facts.clauses import Clauses, Subject
from kgmem.ingest.facts.phrases import Phrases
from kgmem.ingest.facts.tree import RELATIVE, Phrase, Tokens

MAX_FACTS = 24
"""Of one clause; above it the subjects stay together."""

_NONE = frozenset({"no", "none", "nobody", "nothing", "neither", "nor"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact before it is weighed. `lead` is the verb that the text leaves out, `kind` names the rule."""

    kind: str
    anchor: int
    subject: Phrase
    lead: str
    predicate: tuple[int, ...]
    objects: tuple[Phrase, ...]
    negated: bool = False


class VerbalFacts:
    def __init__(self, phrases: Phrases, clauses: Clauses) -> None:
        self.tree = phrases.tree
        self.phrases = phrases
        self.clauses = clauses
        self.finder = ArgumentFinder(phrases, clauses)

    def of(self, v: int) -> list[Candidate]:
        if not self.clauses.is_clause(v) or self.finder.is_chained(v):
            return []
        subject = self.clauses.subject(v)
        if subject is None:
            return []
        arguments = self.finder.of(v)
        group = self._predicate(v, subject, arguments)
        return self._facts(v, subject, group, arguments)

    def _predicate(self, v: int, subject: Subject, arguments: Arguments) -> Tokens:
        """The verb group with those of the governing verbs; `arguments` takes over theirs."""
        t = self.tree
        group = self.clauses.verb_group(v)
        if subject.how == "control":
            return [i for i in group if t.lower[i] != "to"]
        for governor in reversed(self.finder.chain(v)):
            if self.clauses.is_clause(governor):
                group += self.clauses.verb_group(governor)
                arguments.inherit(self.finder.of(governor))
            else:
                group += t.subtree(governor, lambda k: t.dep[k] in {"xcomp", "conj", "cc", "prep"})
        if t.dep[v] == "conj" and subject.how == "shared":
            first = next((a for a in t.ancestors(v) if t.dep[a] != "conj"), v)
            arguments.front = arguments.front + self.finder.of(first).front
        return sorted(set(group))

    def _facts(self, v: int, subject: Subject, group: Tokens, arguments: Arguments) -> list[Candidate]:
        t = self.tree
        relative = self._relative_argument(v, subject, arguments)
        predicate = [*group, *arguments.stranded]
        rest = list(arguments.prepositions)
        firsts: list[list[Phrase]] = [[]]
        shape = "bare"
        if isinstance(relative, list):
            shape = "antecedent"
            others = [self.phrases.plain(k) for k in arguments.core]
            firsts = [[phrase, *others] for phrase in relative]
        elif arguments.core:
            shape, firsts = self._core(arguments.core)
        elif arguments.clauses:
            shape = "clause"
            clause = arguments.clauses[0]
            that = [k for k in t.children(clause, "mark") if t.lower[k] == "that"]
            predicate += that
            firsts = [[Phrase(clause, self.phrases.tidy(t.subtree(clause, lambda k: k in that)))]]
        else:
            for preposition in rest:
                words, phrases = self.finder.governed(preposition)
                if phrases:
                    shape = "preposition"
                    predicate += words
                    firsts = [[phrase] for phrase in phrases]
                    rest.remove(preposition)
                    break

        behind = [self.phrases.plain(k) for k in rest]
        for k in arguments.adverbs:
            if t.dep[k] == "advmod" and not t.kids[k] and shape in {"bare", "preposition", "clause"}:
                predicate.append(k)
            else:
                behind.append(self.phrases.plain(k))
        if arguments.core:
            behind += [Phrase(k, t.trim(t.subtree(k))) for k in arguments.clauses]
        behind = sorted((p for p in behind if p.tokens), key=lambda p: p.tokens)
        if isinstance(relative, Phrase):
            behind.append(relative)
        behind += [self.phrases.plain(k) for k in arguments.front]

        lead = ""
        if (subject.how in {"participle", "adverbial"} and t.tag[v] in {"VBN", "VBG"}
                and not any(t.dep[i] in {"aux", "auxpass"} for i in group)):
            lead = t.be_for(subject.head, v)
        subjects = self.phrases.split(subject.head, subject.drop)
        if len(subjects) * len(firsts) > MAX_FACTS:
            subjects = [self.phrases.plain(subject.head, subject.drop)]
        complete = tuple(sorted(set(predicate)))
        facts = []
        for who in subjects:
            for first in firsts:
                objects = tuple(p for p in (*first, *behind) if p.tokens)
                if who.tokens and objects:
                    negated = self._is_negated(group, who, first)
                    facts.append(Candidate(f"{subject.how}:{shape}", v, who, lead, complete, objects, negated))
        return facts

    def _core(self, core: Tokens) -> tuple[str, list[list[Phrase]]]:
        """The shape of the clause and its objects, the direct one (or else the last) split up."""
        t = self.tree
        direct = next((k for k in core if t.dep[k] == "dobj"), core[-1])
        fixed = [self.phrases.plain(k) for k in core if k != direct]
        firsts = [sorted([p, *fixed], key=lambda p: p.tokens) for p in self.phrases.split(direct)]
        return ("object" if t.dep[direct] in {"dobj", "dative"} else "complement"), firsts

    def _relative_argument(self, v: int, subject: Subject, arguments: Arguments) -> list[Phrase] | Phrase | None:
        """What the noun is to its relative clause beside the subject: the objects, one adverbial, or nothing.

        `the post he held`: object. `the club where she played`: adverbial, with the noun's own preposition.
        """
        t = self.tree
        if t.dep[v] != "relcl" or subject.how == "relative" or t.is_action(t.head[v]):
            return None
        noun = t.head[v]
        pronouns = [k for k in t.kids[v] if t.tag[k] in RELATIVE]
        if any(t.dep[k] == "dobj" for k in pronouns):
            return self.phrases.split(noun, (v,))
        if any(t.dep[k] == "advmod" for k in pronouns):
            if t.dep[noun] != "pobj":
                return self.phrases.plain(noun, (v,))
            return Phrase(noun, self.phrases.tidy([t.head[noun], *self.phrases.plain(noun, (v,)).tokens]))
        if not pronouns and not arguments.core and not any(t.tag[i] in RELATIVE for i in t.subtree(v)):
            return self.phrases.split(noun, (v,))
        return None

    def _is_negated(self, group: Tokens, who: Phrase, first: list[Phrase]) -> bool:
        t = self.tree
        if any(t.dep[i] == "neg" for i in group):
            return True
        heads = [who.head, *(p.head for p in first if not t.is_verb(p.head))]
        return any(t.lower[i] in _NONE for head in heads for i in (head, *t.children(head, "det", "preconj")))
