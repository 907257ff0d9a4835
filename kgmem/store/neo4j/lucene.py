"""Full-text queries: what a user wrote stands in them as quoted terms of a closed form and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MAX_TERMS = 1000
"""Lucene refuses a query of more than 1,024 clauses."""


def quoted(term: str) -> str:
    """The term as Lucene's query parser takes it for a string, whatever is in it."""
    return '"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"'


def any_term(number: int, terms: Iterable[str]) -> list[str]:
    """Queries for chunks of namespace `number` with any of these terms, whose scores add up; none where there is none.

    The namespace's clause saves looking at others' rows and adds nothing to a score. It is not what keeps
    namespaces apart: the statements do.
    """
    listed = _known(terms)
    return [every_word(number, [listed[i : i + MAX_TERMS]]) for i in range(0, len(listed), MAX_TERMS)]


def every_word(number: int, words: Sequence[Sequence[str]]) -> str:
    """A query for chunks of namespace `number` with at least one term of each word."""
    clauses = [
        f"+({' '.join(f'terms:{quoted(term)}' for term in known)})" for terms in words if (known := _known(terms))
    ]
    return f'+partition:"n{number}"^0 {" ".join(clauses)}' if clauses else ""


def _known(terms: Iterable[str]) -> list[str]:
    """Those that a chunk may have, each once. No indexed term is blank or holds a NUL."""
    return [term for term in dict.fromkeys(terms) if term.strip() and "\0" not in term]
