"""Writing the same thing again changes nothing; ids are the same wherever and whenever it is written."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from build import NOW, make_conversation, make_source
from dump import dump

from kgmem.store.contract import Store

TEXT = "Ada Lovelace wrote notes. Charles Babbage built the Analytical Engine.\n\nAda Lovelace died in London."
NAMES = (("Ada Lovelace", "PERSON"), ("Charles Babbage", "PERSON"), "Analytical Engine", ("London", "PLACE"))
FACTS = (("Charles Babbage", "built", ("the Analytical Engine",)), ("Ada Lovelace", "died in", ("London",)))


def ada(namespace="default", **changes):
    return make_source(
        namespace, "file:ada.txt", **{"text": TEXT, "title": "Ada", "names": NAMES, "facts": FACTS} | changes
    )


def test_the_same_source_twice_changes_nothing(store: Store):
    assert store.put([ada()]) == ["added"]
    before = dump(store)
    assert store.put([ada(ingested_at=NOW + timedelta(days=3))]) == ["unchanged"]
    assert dump(store) == before
    assert store.source(ada().source.id).ingested_at == NOW


def test_a_source_twice_in_one_batch_counts_once(store: Store, another):
    assert store.put([ada(), ada()]) == ["added", "unchanged"]
    alone = another.open()
    alone.put([ada()])
    assert dump(store) == dump(alone)


def test_later_of_two_versions_in_one_batch_stays(store: Store, another):
    assert store.put([ada(text="Zuse built the Z3.", names=["Zuse"], facts=()), ada()]) == ["added", "replaced"]
    alone = another.open()
    alone.put([ada()])
    assert dump(store) == dump(alone)


def test_four_sources_that_name_one_thing_make_one_entity(store: Store):
    for i, spelling in enumerate(("DGIA", "dgia", "The DGIA", "DGIA")):
        store.put([make_source("default", f"session:{i}", f"{spelling} met today.", names=[spelling])])
    (entity,) = store.entities()
    assert (entity.name, entity.chunk_count, entity.aliases) == ("DGIA", 4, ("The DGIA", "dgia"))


def test_ids_do_not_depend_on_what_else_is_there(store: Store, another):
    store.put(
        [make_source("default", "other", "Grace Hopper met Ada Lovelace.", names=["Grace Hopper", "Ada Lovelace"])]
    )
    store.put([ada()])
    alone = another.open()
    alone.put([ada()])
    assert {c["id"] for c in dump(alone)["chunks"]} < {c["id"] for c in dump(store)["chunks"]}
    assert {e.id for e in dump(alone)["entities"]} < {e.id for e in dump(store)["entities"]}


def test_an_empty_batch_and_a_source_without_chunks(store: Store):
    assert store.put([]) == []
    empty = make_source("default", "blank", "  \n ", title="Blank")
    assert store.put([empty]) == ["added"]
    assert store.put([empty]) == ["unchanged"]
    assert (store.counts().sources, store.counts().chunks) == (1, 0)
    assert store.text(empty.source.id) == "  \n "
    assert store.delete([empty.source.id]) == 1
    assert store.counts().entities == 0


def test_hashes_tell_what_is_there(store: Store):
    store.put([ada()])
    assert store.hashes([ada().source.id, "d" + "0" * 24]) == {ada().source.id: ada().source.content_hash}
    assert store.hashes([]) == {}


def test_a_batch_is_written_whole_or_not_at_all(store: Store):
    store.put([ada()])
    before = dump(store)
    broken = make_source("default", "broken", "Grace Hopper wrote a compiler.", names=["Grace Hopper"])
    broken = replace(broken, vectors=broken.vectors[:0])
    with pytest.raises(ValueError, match="shorter"):
        store.put(
            [make_source("default", "good", "Alan Turing thought.", names=["Alan Turing"]), ada(text="Ada."), broken]
        )
    assert dump(store) == before
    good = make_conversation("default", "talk", [("Ann", "Hello Bob."), ("Bob", "Hello Ann.")])
    assert store.put([good]) == ["added"]
