"""How far to trust a fact: a logistic model over a dozen properties of the fact and its sentence.

What it estimates is the F1 of the fact's words against the reader's fact that it was paired with (0 where
there is none), on the Wikipedia part of CaRB's dev split: 392 sentences, 964 facts. The weights were fitted
with an L2 penalty of 3 and rounded to 0.05; the properties are those of some forty that backward elimination
by cross-validated log loss kept. Ten folds over sentences give F1 60.5 at the best threshold (60.1 unweighed)
and, at precision 0.70, recall 0.51. The estimate is calibrated within 0.05 above 0.5 on the sentences it was
fitted to.
"""

from __future__ import annotations

from math import exp, log, log1p

from kgmem.ingest.facts.tree import BE, Tree
from kgmem.ingest.facts.verbal import Candidate

_BIAS = 0.8
_SENTENCE_LENGTH = -0.5  # log of its tokens: the parser errs more in long sentences
_SUBJECT_LENGTH = 0.35  # log of 1 + tokens, here and below: pronouns and bare numbers match seldom
_PREDICATE_LENGTH = 0.4  # fuller predicates
_OBJECT_LENGTH = 0.25
_SUBJECT_VERB = -0.45  # the subject holds a clause
_OBJECT_VERB = -0.6  # an object holds a finite clause: readers cut it up
_OBJECT_CONJUNCTION = -0.65  # an object holds a coordination: readers part it
_APPOSITION = -0.3
_BE = -0.4  # the verb is "be"
_OWN_SUBJECT = 0.35  # the subject was in the clause, or shared in a coordination
_MAIN_CLAUSE = 0.45
_DEPTH = -0.2  # for each verb above


def confidence(tree: Tree, sentence: tuple[int, int], fact: Candidate) -> float:
    """Between 0 and 1, to three decimals."""
    t = tree
    objects = [i for phrase in fact.objects for i in phrase.tokens]
    inside = set(objects)
    score = (
        _BIAS
        + _SENTENCE_LENGTH * log(sentence[1] - sentence[0])
        + _SUBJECT_LENGTH * log1p(len(fact.subject.tokens))
        + _PREDICATE_LENGTH * log1p(len(fact.predicate))
        + _OBJECT_LENGTH * log1p(len(objects))
    )
    if any(t.is_verb(i) for i in fact.subject.tokens):
        score += _SUBJECT_VERB
    if any(t.tag[i] in {"VBD", "VBZ", "VBP", "MD"} for i in objects):
        score += _OBJECT_VERB
    if any(t.dep[i] == "conj" and t.head[i] in inside for i in objects):
        score += _OBJECT_CONJUNCTION
    how, _, shape = fact.kind.partition(":")
    if how == "apposition":
        score += _APPOSITION
    if shape:
        verb = fact.anchor
        score += _BE * (t.lower[verb] in BE)
        score += _OWN_SUBJECT * (how in {"own", "shared"})
        score += _MAIN_CLAUSE * (t.dep[verb] in {"ROOT", "conj"})
        score += _DEPTH * sum(t.is_verb(i) for i in t.ancestors(verb))
    return round(1 / (1 + exp(-score)), 3)
