"""What a question says before anything is searched: index terms, entities it names, dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kgmem import errors, names
from kgmem.model import Filter
from kgmem.search.dates import named_dates
from kgmem.search.relative import Interval
from kgmem.store.contract import KnownName, Store
from kgmem.terms import words

MAX_QUESTION = 20_000
"""Characters; a longer question is refused rather than cut."""


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question: its text, the index terms of each word, no term twice, and the times it names."""

    text: str
    words: tuple[tuple[str, ...], ...]
    dates: tuple[Interval, ...]

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(term for word in self.words for term in word)


def check_question(text: str) -> str:
    """The question without white space around it. Raises `QueryError` for an empty or an endless one."""
    text = text.strip()
    if not text:
        raise errors.QueryError("The question is empty; ask something.")
    if len(text) > MAX_QUESTION:
        raise errors.QueryError(f"The question has {len(text):,} characters; ask in at most {MAX_QUESTION:,}.")
    return text


def analyse(text: str, as_of: datetime | None = None) -> Question:
    """What the text says by itself. Raises `QueryError`."""
    text = check_question(text)
    return Question(text, _distinct(words(text)), tuple(named_dates(text, as_of)))


def _distinct(said: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The words without the terms that came before, those left with none dropped."""
    seen: dict[str, None] = {}
    found = []
    for word in said:
        fresh = tuple(dict.fromkeys(term for term in word if term not in seen))
        seen.update(dict.fromkeys(fresh))
        found.append(fresh)
    return tuple(filter(None, found))


def find_seeds(store: Store, text: str, where: Filter) -> list[KnownName]:
    """The known entities that the question names, each once: the longest names first, none inside another.

    A question written without capitals may name them in any case.
    """
    any_case = not any(c.isupper() for c in text[1:])
    spans = list(names.candidates(text, any_case=any_case))
    keys = {s.key for s in spans}
    named = {k.key: k for k in store.named(keys, {s.key for s in spans if s.head}, where)}
    known = {key: k for key, k in named.items() if key in keys and names.linkable(key)}
    longer: dict[str, list[str]] = {}
    for key in named:
        if head := names.key_head(key):
            longer.setdefault(head, []).append(key)
    fitting = [s for s in spans if s.key in known]
    for span in spans:
        if span.head and span.key in longer and (whole := names.extend(text, span, longer[span.key])) is not None:
            fitting.append(whole)
    chosen = [named[s.key] for s in names.longest_first(fitting)]
    return list({seed.ref: seed for seed in chosen if seed.chunk_count > 0}.values())
