"""Keyset pages give everything once, whatever their size and whatever changes between them."""

from __future__ import annotations

import pytest
from build import make_conversation, make_source
from dump import paged

from kgmem.store.contract import Store


@pytest.fixture
def filled(store: Store) -> Store:
    store.put(
        [
            make_source(
                "default",
                f"{'even' if i % 2 == 0 else 'odd'}/{i}",
                f"Person{i} met Place{i % 5}.\n\nAgain.",
                names=[f"Person{i}", f"Place{i % 5}"],
                facts=[(f"Person{i}", "met", (f"Place{i % 5}",))],
            )
            for i in range(23)
        ]
    )
    store.put([make_conversation("default", "talk", [("A", "x"), ("B", "y")])])
    return store


@pytest.mark.parametrize("limit", [1, 2, 7, 23, 24, 1000])
def test_pages_of_any_size_cover_all_once(filled: Store, limit):
    for read, count, key in (
        (filled.sources, 24, lambda s: s.id),
        (filled.entities, 23 + 5 + 2, lambda e: e.id),
        (filled.facts, 23, lambda f: f.id),
    ):
        rows = paged(read, key, limit)
        ids = [row.id for row in rows]
        assert ids == sorted(set(ids))
        assert len(ids) == count


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_filtered_pages_cover_all_that_fit(filled: Store, limit):
    assert len(paged(filled.sources, lambda s: s.id, limit, kinds=("document",))) == 23
    assert len(paged(filled.sources, lambda s: s.id, limit, kinds=("document", "conversation"))) == 24
    assert len(paged(filled.sources, lambda s: s.id, limit, uri_prefix="even/")) == 12
    assert len(paged(filled.sources, lambda s: s.id, limit, kinds=("memory",))) == 0
    assert len(paged(filled.entities, lambda e: e.id, limit, match="person1")) == 11
    assert len(paged(filled.facts, lambda f: f.id, limit, object="place3")) == 4
    (place,) = filled.entities("place3")
    assert len(paged(filled.facts, lambda f: f.id, limit, entity_id=place.id)) == 4


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_a_sources_chunks_in_pages(store: Store, limit):
    source = make_source("default", "s", "\n\n".join(f"Paragraph {i}." for i in range(11)))
    store.put([source])
    rows = paged(lambda **kw: store.source_chunks(source.source.id, **kw), lambda c: c.chunk.ordinal, limit)
    assert [c.chunk for c in rows] == list(source.chunks)


def test_what_goes_between_two_pages_is_left_out_and_the_rest_comes_once(filled: Store):
    first = filled.sources(limit=10)
    rest = [s.id for s in filled.sources(after=first[-1].id, limit=100)]
    filled.delete([first[-1].id, rest[0], rest[3]])
    after = [s.id for s in filled.sources(after=first[-1].id, limit=100)]
    assert after == [id for i, id in enumerate(rest) if i not in (0, 3)]


def test_documents_go_on_while_sources_go(filled: Store):
    documents = filled.documents()
    seen = [next(documents).uri for _ in range(3)]
    filled.delete([s.id for s in filled.sources(limit=100)][3:10])
    seen += [d.uri for d in documents]
    assert len(seen) == len(set(seen)) == 17
