"""What a server engine needs beside its URL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Neo4jOptions:
    """Who signs in, where the data lies, and how the vector index is made.

    An empty `password` signs in as nobody, for servers without authentication; an empty `database`
    is the user's home database. `m`, `ef_construction` and `quantization` are the vector index's own
    settings; None and "" leave them to the server. They count when the index is made.
    """

    user: str = "neo4j"
    password: str = ""
    database: str = ""
    m: int | None = None
    ef_construction: int | None = None
    quantization: str = ""

    def __repr__(self) -> str:
        return f"Neo4jOptions(user={self.user!r}, database={self.database!r})"
