"""Real files of many kinds come out as their list of expectations says."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from kgmem.errors import EmptyDocument
from kgmem.ingest.load import load_file
from kgmem.model import Document, Skipped

SAMPLES = Path(os.environ.get("KGMEM_SHARED") or Path(__file__).parents[3] / "shared") / "samples"
LIST = SAMPLES / "expect.jsonl"
EXPECTED: list[dict[str, Any]] = (
    [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()] if LIST.exists() else [])


def fold(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.skipif(not EXPECTED, reason=f"no sample files at {SAMPLES} (set KGMEM_SHARED to the folder above them)")
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected["file"])
def test_sample_file(expected: dict[str, Any]) -> None:
    found = list(load_file(SAMPLES / expected["file"]))
    assert len(found) == 1
    result = found[0]
    if expected["status"] == "ok":
        assert isinstance(result, Document), result
        text = fold(result.text)
        assert result.title
        assert list(result.pages) == sorted(result.pages)
        assert all(0 <= start <= len(result.text) for start in result.pages)
        json.dumps(dict(result.metadata), allow_nan=False)
        for phrase in expected["contains"]:
            assert fold(phrase) in text
        for phrase in expected.get("excludes", ()):
            assert fold(phrase) not in text
    else:
        assert isinstance(result, Skipped)
        assert result.failed
        assert result.reason
        assert (result.code == EmptyDocument.code) == (expected["status"] == "empty")
