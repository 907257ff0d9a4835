"""Loading: files, folders, bytes and JSON lines to Documents. Doesn't split, encode or store them.

Nothing here raises for one bad file: it gives a Skipped with the reason, and
the run goes on. Only `load_bytes` raises (LoadError and its subclasses).
"""

from .clean import clean_text
from .files import load_file, load_paths
from .jsonl import load_jsonl
from .kinds import is_markdown
from .read import MAX_BYTES, load_bytes

__all__ = ["MAX_BYTES", "clean_text", "is_markdown", "load_bytes", "load_file", "load_jsonl", "load_paths"]
