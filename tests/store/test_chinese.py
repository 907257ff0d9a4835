"""Chinese full text and names, words of two characters too."""

from __future__ import annotations

import pytest
from build import make_source
from dump import NO_FILTER, all_chunks

from kgmem.ingest.link import link_pending
from kgmem.store.contract import Store
from kgmem.terms import terms

TEXTS = {
    "pku": "北京大学在海淀区。它成立于一八九八年。",
    "orders": "订单审批流程需要三天。",
    "mixed": "他用Python写了一个审批系统。",
    "town": "南京市长江大桥。",
}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("北京", ["pku"]),
        ("审批", ["mixed", "orders"]),
        ("审批流程", ["mixed", "orders"]),
        ("大学", ["pku"]),
        ("海淀", ["pku"]),
        ("长江", ["town"]),
        ("python", ["mixed"]),
        ("上海", []),
    ],
)
def test_words_are_found_inside_a_sentence(store: Store, question, expected):
    store.put([make_source("default", uri, text) for uri, text in TEXTS.items()])
    ids = {c.ref: c.source.uri for c in all_chunks(store)}
    assert sorted(ids[r] for r, _ in store.term_search(terms(question), 5, NO_FILTER)) == expected


def test_the_chunk_with_more_of_the_question_comes_first(store: Store):
    store.put([make_source("default", uri, text) for uri, text in TEXTS.items()])
    ids = {c.ref: c.source.uri for c in all_chunks(store)}
    assert ids[store.term_search(terms("订单审批流程"), 5, NO_FILTER)[0][0]] == "orders"


def test_sentences_and_offsets_are_kept(store: Store):
    source = make_source("default", "pku", TEXTS["pku"])
    store.put([source])
    (chunk,) = store.source_chunks(source.source.id)
    assert [chunk.chunk.text[s:e] for s, e in chunk.chunk.sentences] == ["北京大学在海淀区。", "它成立于一八九八年。"]
    assert len(store.cosines([chunk.ref], source.vectors[0])[chunk.ref].sentences) == 2


def test_names_are_linked_forwards_and_backwards(store: Store):
    before = make_source("default", "before", "我在北京大学读书。")
    after = make_source("default", "after", "他去过北京大学。")
    named = make_source("default", "named", "北京大学很有名。", names=[("北京大学", "ORG")])
    for source in (before, named, after):
        store.put([source])
        link_pending(store)
    (entity,) = store.entities("北京大学")
    assert sorted(c.source.uri for c, _ in store.entity_chunks(entity.id, 10)) == ["after", "before", "named"]
