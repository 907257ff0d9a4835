"""CSV, TSV and XLSX to Markdown tables. The first row with values is the header."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, tzinfo
from itertools import islice
from typing import Any

from openpyxl import load_workbook  # type: ignore[import-untyped]

from kgmem.errors import LoadError, TooLarge

from .charset import decode
from .clean import clean_text
from .office import open_office, with_properties
from .parsed import Parsed
from .table import pipe_table

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50
_SAMPLE = 65536
_MOST_ROWS = 1_048_576
"""What XLSX allows in a sheet; a row may be numbered beyond, and then all before it are filled up."""
_MOST_CELLS = 100_000_000


def read_csv(data: bytes, *, declared: str | None = None, tabs: bool = False) -> Parsed:
    """The rows as one table. Text that no delimiter divides is a table of one column."""
    text, encoding = decode(data, declared=declared)
    text = clean_text(text)
    delimiter = ""
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:  # written by and for Excel
        delimiter, text = first.strip()[4], rest
    rows = _rows(text, delimiter or find_delimiter(text, preferred="\t" if tabs else ","))
    metadata: dict[str, Any] = {} if encoding == "utf-8" else {"charset": encoding}
    return Parsed(pipe_table(rows), metadata=metadata)


def find_delimiter(text: str, *, preferred: str = ",") -> str:
    """The delimiter under which the first lines have the most even number of fields, more than one.

    csv.Sniffer isn't asked: on prose and on quoted text it gives letters,
    and its patterns take quadratic time.
    """
    sample = "\n".join(text[:_SAMPLE].splitlines()[:_SAMPLE_LINES])
    best = (0.0, 0)
    found = preferred
    for delimiter in [preferred, *_DELIMITERS.replace(preferred, "")]:
        try:
            widths = Counter(len(row) for row in _parse(sample, delimiter) if row)
        except csv.Error:
            continue
        if not widths:
            continue
        width, rows = max(widths.items(), key=lambda item: (item[1], item[0]))
        score = (rows / widths.total(), width) if width > 1 else (0.0, 0)
        if score > best:
            best, found = score, delimiter
    return found


def _rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(_parse(text, delimiter))
    except csv.Error:
        # A quote that is never closed takes in all that follows, up to the module's limit for a field.
        return [line.split(delimiter) for line in text.splitlines()]


def _parse(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)


def read_xlsx(data: bytes, *, max_bytes: int, default_zone: tzinfo | None = None) -> Parsed:
    """Each sheet with values under its name. Formulas give the value that was last calculated."""
    archive = open_office(data, max_bytes=max_bytes, xml_in_memory=False)
    try:
        with warnings.catch_warnings():
            # Said of extensions (validation, missing styles) that don't touch the values.
            warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\b")
            sheets = list(_sheets(data, most=4 * max_bytes))
    except LoadError:
        raise
    except Exception as error:  # whatever the library makes of a damaged file
        raise LoadError(f"the XLSX file is damaged ({type(error).__name__}); open it and save it again") from error
    text = "\n\n".join(f"## {' '.join(name.split())}\n\n{table}" for name, table in sheets if table)
    return with_properties(archive, clean_text(text), default_zone, sheets=[clean_text(name) for name, _ in sheets])


def _sheets(data: bytes, most: int) -> Iterator[tuple[str, str]]:
    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    try:
        for sheet in workbook.worksheets:
            # The size that a sheet declares may be wrong, or a million empty rows.
            sheet.reset_dimensions()
            rows = islice(sheet.iter_rows(values_only=True), _MOST_ROWS)
            yield sheet.title, pipe_table(_filled(rows, most))
    finally:
        workbook.close()


def _filled(rows: Iterable[Sequence[Any]], most: int) -> Iterator[list[str]]:
    """The rows with values. Raises TooLarge beyond `most` characters: a shared string may stand in every cell."""
    cells = characters = 0
    for row in rows:
        cells += len(row)
        if any(value is not None for value in row):
            texts = [cell_value(value) for value in row]
            characters += sum(map(len, texts))
            yield texts
        if cells > _MOST_CELLS or characters > most:
            raise TooLarge(f"a sheet of the workbook unpacks to more than {max(characters, cells)} characters; "
                           "raise --max-bytes or save its parts as smaller files")


def cell_value(value: Any) -> str:
    """A cell as its reader sees it: a whole number without ".0", a date without midnight."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
