"""kgmem: graph-plus-vector knowledge and long-term memory for AI agents.

from kgmem import Kgmem

with Kgmem(store="sqlite:///notes.db") as kg:
    kg.ingest(["notes/"])
    for hit in kg.search("Who founded the university that she studied at?"):
        print(hit.score, hit.source.title, hit.chunk.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Document", "Filter", "Hit", "Kgmem", "KgmemError", "SearchOptions", "Settings", "__version__"]

if TYPE_CHECKING:
    from kgmem.errors import KgmemError
    from kgmem.model import Document, Filter, Hit
    from kgmem.search.options import SearchOptions
    from kgmem.service import Kgmem
    from kgmem.settings import Settings

_HOMES = {
    "Document": "model",
    "Filter": "model",
    "Hit": "model",
    "Kgmem": "service",
    "KgmemError": "errors",
    "SearchOptions": "search.options",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    # The models' libraries take seconds to import; `import kgmem` does not.
    if name not in _HOMES:
        raise AttributeError(f"module 'kgmem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"kgmem.{_HOMES[name]}"), name)
