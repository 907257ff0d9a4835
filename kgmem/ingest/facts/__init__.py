"""Facts (subject, predicate, objects) from spaCy's dependency parse, by rules and without a language model.

`tree` and `phrases` cut text out of the parse, `clauses` finds predicates and subjects, `arguments` what a
verb takes, `verbal` and `nominal` make candidate facts, `confidence` weighs them. Nothing here knows entities
or stores anything.

The rules follow clause types (Del Corro and Gemulla 2013, ClausIE) and write arguments as the readers of
CaRB do (Bhardwaj, Aggarwal and Mausam 2019): coordinations part, relative pronouns give way to their nouns,
a preposition goes to the predicate where the verb has no object.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgmem.ingest.facts.clauses import Clauses
from kgmem.ingest.facts.confidence import confidence
from kgmem.ingest.facts.nominal import NominalFacts
from kgmem.ingest.facts.phrases import Phrases
from kgmem.ingest.facts.tree import Tree
from kgmem.ingest.facts.verbal import Candidate, VerbalFacts

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["MAX_SENTENCE", "RawFact", "extract_facts"]

MAX_SENTENCE = 200
"""Longer "sentences" (in tokens) are tables or lists without a full stop; no fact is taken from them."""


@dataclass(frozen=True, slots=True)
class RawFact:
    """A fact as the sentence states it. Spans are character offsets in `doc.text`, end exclusive.

    `subject_span` and `object_spans` (one for each object) mark the head noun phrase, for entity linking.
    `confidence` estimates the share of the fact's words that a reader's own fact would have.
    """

    subject: str
    predicate: str
    objects: tuple[str, ...]
    confidence: float
    negated: bool
    subject_span: tuple[int, int]
    object_spans: tuple[tuple[int, int], ...]
    sentence: tuple[int, int]


def extract_facts(doc: Doc, *, min_confidence: float = 0.0) -> list[RawFact]:
    """The facts of all sentences, in text order. `doc` needs tags, heads and sentence starts.

    Entities (`doc.ents`), where set, add facts such as `Murray is in Utah`. Every fact has an object;
    questions state none.
    """
    tree = Tree(doc)
    facts: dict[tuple[int, str, str, tuple[str, ...]], RawFact] = {}
    for (start, end), candidate in _candidates(tree):
        certainty = confidence(tree, (start, end), candidate)
        if certainty < min_confidence:
            continue
        fact = RawFact(
            subject=tree.text(candidate.subject.tokens),
            predicate=f"{candidate.lead} {tree.text(candidate.predicate)}".strip(),
            objects=tuple(tree.text(o.tokens) for o in candidate.objects),
            confidence=certainty,
            negated=candidate.negated,
            subject_span=tree.span(candidate.subject),
            object_spans=tuple(tree.span(o) for o in candidate.objects),
            sentence=(tree.offset[start], tree.offset[end - 1] + len(tree.word[end - 1])),
        )
        if not all(any(map(str.isalnum, part)) for part in (fact.subject, fact.predicate, *fact.objects)):
            continue  # a mark of Markdown is no argument
        key = (start, fact.subject, fact.predicate, fact.objects)
        if key not in facts or facts[key].confidence < certainty:
            facts[key] = fact
    return list(facts.values())


def _candidates(tree: Tree) -> Iterator[tuple[tuple[int, int], Candidate]]:
    phrases = Phrases(tree)
    clauses = Clauses(tree)
    verbal, nominal = VerbalFacts(phrases, clauses), NominalFacts(phrases, clauses)
    for start, end in tree.sentences:
        if end - start <= MAX_SENTENCE and not tree.is_question(start, end):
            for i in range(start, end):
                for candidate in (*verbal.of(i), *nominal.of(i)):
                    yield (start, end), candidate
