"""What the parts of the SQLite engine share: the database, the namespace as a range of row ids, small look-ups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgmem.ids import to_json
from kgmem.model import EntityType, Ref
from kgmem.store.contract import EncoderFingerprint
from kgmem.store.handles import NOWHERE, called, namespace_range, within
from kgmem.store.sqlite.connection import Connection, Database


def place(n: int) -> str:
    return ",".join("?" * n)


class Base:
    db: Database
    namespace: str
    _fingerprint: EncoderFingerprint | None
    _known_range: tuple[int, int] | None = None

    def _range(self, c: Connection, *, create: bool = False) -> tuple[int, int]:
        """First and last row id of the namespace."""
        if self._known_range is not None:
            return self._known_range
        row = c.execute("SELECT id FROM namespace WHERE name = ?", (self.namespace,)).fetchone()
        if row is None and create:
            row = c.execute("INSERT INTO namespace (name) VALUES (?) RETURNING id", (self.namespace,)).fetchone()
        if row is None:
            return NOWHERE
        bounds = namespace_range(row[0])
        # What a writer sees may yet be rolled back, and the id then be another namespace's.
        if not self.db.is_writer(c):
            self._known_range = bounds
        return bounds

    def _own(self, c: Connection, refs: Iterable[Ref]) -> list[Ref]:
        """Those of `refs` that could be this namespace's: another's are no handles here."""
        return list(within(self._range(c), refs))

    def _entity_rows(self, c: Connection, keys: Iterable[str]) -> dict[str, int]:
        low, high = self._range(c)
        # CROSS JOIN keeps the look-up going from the keys into the index.
        return dict(
            c.execute(
                "SELECT e.key, e.rowid FROM json_each(?) AS j CROSS JOIN entity AS e INDEXED BY entity_key "
                "ON e.key = j.value AND e.rowid BETWEEN ? AND ?",
                (to_json(list(keys)), low, high),
            )
        )

    def _forms(self, entities: Sequence[Ref]) -> dict[Ref, tuple[str, EntityType, tuple[str, ...]]]:
        """Name (the most frequent form), type (the most frequent one) and other forms of each entity."""
        counted: dict[Ref, dict[tuple[str, EntityType], int]] = {entity: {} for entity in entities}
        for entity, surface, kind, count in self.db.reader().execute(
            "SELECT f.entity, f.surface, f.type, sum(f.count) FROM json_each(?) AS j "
            "CROSS JOIN form AS f ON f.entity = j.value GROUP BY 1, 2, 3",
            (to_json(list(entities)),),
        ):
            counted[entity][surface, kind] = count
        return {entity: called(forms) for entity, forms in counted.items()}

    def _encoder(self, c: Connection) -> EncoderFingerprint | None:
        """Whose vectors the store holds; None as long as nobody has opened it with an encoder."""
        if self._fingerprint is None:
            self._fingerprint = read_fingerprint(c)
        return self._fingerprint


def read_fingerprint(c: Connection) -> EncoderFingerprint | None:
    values = dict(c.execute("SELECT key, value FROM meta WHERE key LIKE 'encoder.%'"))
    if not values:
        return None
    return EncoderFingerprint(
        values["encoder.model"],
        values["encoder.weights"],
        int(values["encoder.dimension"]),
        values["encoder.normalised"] == "True",
    )
