"""Encoding a store anew: all of it or nothing, and nobody's writes are lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgmem import Kgmem
from kgmem.errors import StoreError
from kgmem.ingest.encode import Encoder
from kgmem.reindex import reindex
from kgmem.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path, encoder: Encoder) -> Settings:
    chosen = load_settings(store=f"sqlite:///{tmp_path / 'kg.db'}", processes=0, encoder_threads=1)
    for namespace in ("default", "team"):
        with Kgmem(chosen.model_copy(update={"namespace": namespace}), encoder=encoder) as kg:
            kg.ingest_text(f"Orla Fenwick of {namespace} lives in Turin.", uri="a", title="Orla Fenwick", tags=["x"])
    return chosen


def test_every_namespace_comes_through(settings: Settings, encoder: Encoder) -> None:
    assert reindex(settings) == 2
    with Kgmem(settings.model_copy(update={"namespace": "team"}), encoder=encoder) as kg:
        hit = kg.search("Who lives in Turin?")[0]
        assert "of team" in hit.chunk.text
        assert hit.source.tags == ("x",)
        assert kg.store.counts().pending == 0


def test_a_failure_leaves_the_old_store(
    settings: Settings, encoder: Encoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StoreError("no")

    before = sorted(p.name for p in tmp_path.iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(Kgmem, "ingest_documents", fail)
        with pytest.raises(StoreError, match="no"):
            reindex(settings)
    assert not [p for p in tmp_path.iterdir() if "reindex" in p.name]
    assert set(before) >= {"kg.db"}
    with Kgmem(settings, encoder=encoder) as kg:
        assert kg.search("Who lives in Turin?")


def test_what_had_the_old_file_open_is_told_and_writes_nothing_into_the_void(
    settings: Settings, encoder: Encoder
) -> None:
    with Kgmem(settings, encoder=encoder) as other:
        assert other.store.counts().sources == 1
        reindex(settings)
        with pytest.raises(StoreError, match="open the store again"):
            other.ingest_text("Lost words.", uri="b")
    with Kgmem(settings, encoder=encoder) as kg:
        assert kg.store.counts().sources == 1
        assert kg.ingest_text("Kept words.", uri="b").added == 1


def test_nothing_to_encode(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nothing to encode"):
        reindex(load_settings(store=f"sqlite:///{tmp_path / 'no.db'}"))
