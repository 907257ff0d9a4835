"""What the parts of the Neo4j engine share: the database and the namespace as a range of handles."""

from __future__ import annotations

from collections.abc import Iterable

from kgmem.model import Ref
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.handles import NOWHERE, namespace_range, within
from kgmem.store.neo4j.connection import Database


class Base:
    db: Database
    namespace: str
    _fingerprint: EncoderFingerprint | None
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
