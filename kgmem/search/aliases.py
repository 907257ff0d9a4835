"""Query expansion: the other names of the entities that a question names, as index terms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice, zip_longest

from kgmem.store.contract import KnownName, Store
from kgmem.terms import terms

ALIAS_TERMS = 16
"""An entity may have been written in hundreds of ways; each term costs time and takes weight from the others."""


def alias_terms(store: Store, asked: Sequence[str], seeds: Sequence[KnownName]) -> list[str]:
    """Up to ALIAS_TERMS terms that are not among the question's own and that its seeds' other names have.

    Of each entity the most frequent names come first, and all entities take turns.
    """
    named = store.entity_names([seed.ref for seed in seeds])
    known = [named[seed.ref] for seed in seeds if seed.ref in named]
    turns = zip_longest(*((entity.name, *entity.aliases) for entity in known), fillvalue="")
    found = dict.fromkeys(term for name in chain.from_iterable(turns) for term in terms(name))
    return list(islice((term for term in found if term not in asked), ALIAS_TERMS))
