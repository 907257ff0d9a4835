"""Full-text queries: what a user wrote stands in them as quoted terms of a closed form and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MAX_TERMS = 1000
"""Lucene refuses a query of more than 1,024 clauses."""


def quoted(term: str) -> str:
    """The term as Lucene's query parser takes it for a string, whatever is in it."""
    return '"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"'


def any_term(number: int, terms: Iterable[str]) -> str:
    """A query for chunks of namespace `number` with any of these terms; empty where there is none.

    The namespace's clause saves looking at others' rows and adds nothing to a score. It is not what keeps
    namespaces apart: the statements do.
    """
    return every_word(number, [list(terms)])


def every_word(number: int, words: Sequence[Sequence[str]]) -> str:
    """A query for chunks of namespace `number` with at least one term of each word."""
    clauses = [clause for terms in words if (clause := _any(terms))]
    return f'+partition:"n{number}"^0 {" ".join(clauses)}' if clauses else ""


def _any(terms: Sequence[str]) -> str:
    # No indexed term holds a NUL.
    listed = [f"terms:{quoted(term)}" for term in dict.fromkeys(terms) if term and "\0" not in term][:MAX_TERMS]
    return f"+({' '.join(listed)})" if listed else ""
