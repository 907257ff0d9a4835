"""What an ingest did, for a person and for a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kgmem.model import PreparedSource, Skipped
from kgmem.store.contract import PutResult

_COUNTS = ("added", "replaced", "unchanged", "pruned", "chunks", "truncated", "facts", "linked")


@dataclass(slots=True)
class Report:
    """Counts of one run. `seen` are the ids of all sources that came by, changed or not."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    pruned: int = 0
    chunks: int = 0
    truncated: int = 0
    facts: int = 0
    linked: int = 0
    failed: list[Skipped] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    source_ids: list[str] = field(default_factory=list)

    def skip(self, item: Skipped) -> None:
        (self.failed if item.failed else self.skipped).append(item)

    def fail(self, uri: str, code: str, reason: str) -> None:
        self.failed.append(Skipped(uri, code, reason))

    def has_failed(self, uri: str) -> bool:
        return any(item.uri == uri for item in self.failed)

    def count(self, result: PutResult, prepared: PreparedSource) -> None:
        if result == "unchanged":
            self.unchanged += 1
            return
        if result == "added":
            self.added += 1
        else:
            self.replaced += 1
        self.chunks += len(prepared.chunks)
        self.truncated += sum(chunk.truncated for chunk in prepared.chunks)
        self.facts += len(prepared.facts)
        self.source_ids.append(prepared.source.id)

    def add(self, other: Report) -> None:
        """Add another run's counts and lists to these."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failed += other.failed
        self.skipped += other.skipped
        self.source_ids += other.source_ids
        self.seen |= other.seen

    @property
    def done(self) -> int:
        """Documents dealt with so far."""
        return self.added + self.replaced + self.unchanged + len(self.failed)

    @property
    def exit_code(self) -> int:
        """0 all well, 1 some failed or were empty."""
        return 1 if self.failed else 0

    def as_dict(self) -> dict[str, Any]:
        items = {
            name: [{"uri": i.uri, "code": i.code, "reason": i.reason} for i in getattr(self, name)]
            for name in ("failed", "skipped")
        }
        return {**{name: getattr(self, name) for name in _COUNTS}, **items}
