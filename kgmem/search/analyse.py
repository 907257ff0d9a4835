"""What a question says before anything is searched: index terms, entities it names, dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kgmem import errors, names
from kgmem.model import Filter
from kgmem.search.dates import Interval, named_dates
from kgmem.store.contract import KnownName, Store
from kgmem.terms import terms

MAX_QUESTION = 20_000
"""Characters; a longer question is refused rather than cut."""


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question. `seeds` are the entities it names, each once."""

    text: str
    terms: tuple[str, ...]
    seeds: tuple[KnownName, ...]
    dates: tuple[Interval, ...]


def check_question(text: str) -> str:
    """The question without white space around it. Raises `QueryError` for an empty or an endless one."""
    text = text.strip()
    if not text:
        raise errors.QueryError("The question is empty; ask something.")
    if len(text) > MAX_QUESTION:
        raise errors.QueryError(f"The question has {len(text):,} characters; ask in at most {MAX_QUESTION:,}.")
    return text


def analyse(store: Store, text: str, where: Filter, as_of: datetime | None = None) -> Question:
    """Analyse a question against what the store knows. Raises `QueryError`."""
    text = check_question(text)
    return Question(
        text, tuple(dict.fromkeys(terms(text))), tuple(find_seeds(store, text, where)), tuple(named_dates(text, as_of))
    )


def find_seeds(store: Store, text: str, where: Filter) -> list[KnownName]:
    """The known entities that the question names: the longest names first, none inside another.

    A question written without capitals may name them in any case.
    """
    any_case = not any(c.isupper() for c in text[1:])
    spans = list(names.candidates(text, any_case=any_case))
    known = {k.key: k for k in store.find_names({s.key for s in spans}, where) if names.linkable(k.key)}
    longer = store.known_by_head({s.key for s in spans if s.head})
    fitting = [s for s in spans if s.key in known]
    for span in spans:
        if span.head and span.key in longer and (whole := names.extend(text, span, longer[span.key])) is not None:
            fitting.append(whole)
    missing = {s.key for s in fitting} - known.keys()
    known |= {k.key: k for k in store.find_names(missing, where)} if missing else {}
    chosen = [known[s.key] for s in names.longest_first(fitting) if s.key in known]
    return list({seed.ref: seed for seed in chosen if seed.chunk_count > 0}.values())
