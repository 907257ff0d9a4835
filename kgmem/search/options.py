"""What a search can be asked to do beside ranking. All of it is off by default."""

from __future__ import annotations

from dataclasses import dataclass

from kgmem import errors

MAX_NEIGHBOURS = 5


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Ways to change a search, in the order in which they act. Raises `QueryError` for what can't be.

    `aliases` adds the other names of the question's entities to its words.
    `rerank` has the first hits ordered anew by the reranker of the settings.
    `diversity`, 0 to 1, puts hits back that resemble better ones, the more the
    higher it is. `neighbours` gives each hit so many chunks before and after it.
    """

    rerank: bool = False
    diversity: float = 0.0
    aliases: bool = False
    neighbours: int = 0

    def __post_init__(self) -> None:
        # Nothing compares with NaN, so it is refused too.
        if not 0 <= self.diversity <= 1:
            raise errors.QueryError(f"diversity is {self.diversity}; give 0 (off) to 1.")
        if not 0 <= self.neighbours <= MAX_NEIGHBOURS:
            raise errors.QueryError(f"neighbours is {self.neighbours}; ask for 0 (none) to {MAX_NEIGHBOURS}.")


NO_OPTIONS = SearchOptions()
