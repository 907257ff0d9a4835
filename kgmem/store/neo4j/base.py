"""What the parts of the Neo4j engine share: the database and the namespace as a range of handles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kgmem import errors
from kgmem.model import Ref
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.handles import NOWHERE, namespace_range, within
from kgmem.store.neo4j.connection import Database, Transaction


class Base:
    db: Database
    namespace: str
    _fingerprint: EncoderFingerprint | None
    _replacing: bool = False
    _known_range: tuple[int, int] | None = None

    def _range(self) -> tuple[int, int]:
        """First and last handle of the namespace, as committed."""
        if self._known_range is None:
            rows = self.db.read("namespace_number", namespace=self.namespace)
            if not rows:
                return NOWHERE
            self._known_range = namespace_range(rows[0][0])
        return self._known_range

    def _own(self, refs: Iterable[Ref]) -> list[int]:
        return within(self._range(), refs)

    def _encoder(self) -> EncoderFingerprint | None:
        """Whose vectors the store holds; None as long as nobody has opened it with an encoder."""
        if self._fingerprint is None:
            rows = self.db.read("encoder")
            self._fingerprint = EncoderFingerprint(*rows[0]) if rows else None
        return self._fingerprint

    def _lock(self, tx: Transaction) -> int | None:
        """The namespace's number, once nobody else is writing to it; None where it is not there."""
        rows = tx.rows("lock_namespace", namespace=self.namespace)
        if not rows:
            return None
        number, *encoder, replaced_by = rows[0]
        if replaced_by and not self._replacing:
            raise errors.StoreBusy(f"{self.db.where} is being encoded anew by `kgmem reindex`; write to it afterwards.")
        now = EncoderFingerprint(*encoder) if encoder[0] is not None else None
        if now not in (None, self._fingerprint):
            raise errors.EncoderMismatch(
                f"{self.db.where} was encoded anew with {now} since it was opened; open it again."
            )
        return int(number)

    def _lock_or_create(self, tx: Transaction) -> int:
        number = self._lock(tx)
        if number is None:
            tx.rows("create_namespace", namespace=self.namespace)
            number = self._lock(tx)
        assert number is not None
        return number

    def _mark(self, tx: Transaction) -> int:
        """A mark for pending chunks that has never been given."""
        taken: int = tx.rows("take_refs", **counts_taken(self.namespace, marks=1))[0][4]
        return taken


def counts_taken(namespace: str, **counts: int) -> dict[str, Any]:
    """The parameters of `take_refs`."""
    return {"namespace": namespace} | dict.fromkeys(("sources", "chunks", "entities", "facts", "marks"), 0) | counts
