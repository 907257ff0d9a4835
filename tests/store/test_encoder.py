"""A store knows whose vectors it holds, and takes no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from build import FP, OTHER_FP, embed, make_source
from dump import NO_FILTER, all_chunks, dump

from kgmem import errors

SOURCE = make_source("default", "s", "Zara Zebra ran. Otto slept.", names=["Zara Zebra", "Otto"])


@pytest.mark.parametrize(
    "other",
    [
        OTHER_FP,
        replace(FP, model="renamed"),
        replace(FP, weights="f" * 16),
        replace(FP, dimension=24),
        replace(FP, normalised=False),
    ],
)
def test_another_encoder_is_refused_and_nothing_is_changed(engine, other):
    store = engine.open()
    store.put([SOURCE])
    before = dump(store)
    with pytest.raises(errors.EncoderMismatch) as refused:
        engine.open(fingerprint=other)
    sentence = str(refused.value)
    assert str(FP) in sentence
    assert str(other) in sentence
    assert "kgmem reindex" in sentence
    assert "\n" not in sentence
    assert dump(store) == before
    assert engine.open().fingerprint() == FP
    assert dump(engine.open()) == before


def test_another_encoder_is_refused_in_every_namespace(engine):
    engine.open("a").put([make_source("a", "s", "text")])
    with pytest.raises(errors.EncoderMismatch):
        engine.open("b", OTHER_FP)
    assert engine.open("a").namespaces() == ["a"]


def test_without_an_encoder_all_can_be_read(engine):
    engine.open().put([SOURCE])
    store = engine.open(fingerprint=None)
    assert store.fingerprint() == FP
    assert dump(store) == dump(engine.open())
    assert len(store.vector_search(embed("zebra"), 5, NO_FILTER)) == 1
    assert store.delete([SOURCE.source.id]) == 1


def test_an_empty_store_without_an_encoder(engine):
    store = engine.open(fingerprint=None)
    assert store.fingerprint() is None
    assert store.vector_search(embed("zebra"), 5, NO_FILTER) == []
    assert store.cosines([1, 2], embed("zebra")) == {}
    assert store.counts().sources == 0
    assert store.delete([SOURCE.source.id]) == 0
    with pytest.raises(errors.StoreError, match="encoder"):
        store.put([SOURCE])
    assert store.counts().sources == 0


def test_a_store_opened_before_there_was_an_encoder_follows(engine):
    early = engine.open(fingerprint=None)
    assert early.fingerprint() is None
    engine.open().put([SOURCE])
    assert early.fingerprint() == FP
    assert len(early.vector_search(embed("zebra"), 5, NO_FILTER)) == 1


def test_vectors_of_another_length_are_refused(engine):
    store = engine.open()
    with pytest.raises(errors.EncoderMismatch, match="24"):
        store.put([replace(SOURCE, vectors=np.ones((1, 24), np.float32))])
    assert store.counts().sources == 0


def test_vectors_come_back_as_they_were_given(engine):
    store = engine.open()
    store.put([SOURCE])
    (chunk,) = store.source_chunks(SOURCE.source.id)
    assert store.cosines([chunk.ref], SOURCE.vectors[0])[chunk.ref].whole > 0.998
    (prepared,) = store.prepared()
    assert prepared.vectors.tolist() == SOURCE.vectors.tolist()
    (kept,), given = prepared.sentence_vectors, SOURCE.sentence_vectors[0]
    assert kept.shape == given.shape
    assert kept.dtype == np.float32
    assert (np.einsum("ij,ij->i", kept, given) > 0.998).all()
    assert np.allclose(np.linalg.norm(kept, axis=1), 1, atol=1e-5)
    ((_, score),) = store.vector_search(SOURCE.vectors[0], 1, NO_FILTER)
    assert score == pytest.approx(1, abs=1e-5)


def test_cosines_are_those_of_the_vectors(engine):
    store = engine.open()
    store.put([SOURCE, make_source("default", "blank", "…")])
    refs = {c.source.uri: c.ref for c in all_chunks(store)}
    question = embed("Zara slept")
    found = store.cosines(list(refs.values()), question)
    assert set(found) == set(refs.values())
    near = found[refs["s"]]
    assert near.whole == pytest.approx(SOURCE.vectors[0] @ question, abs=0.01)
    assert near.sentences == pytest.approx(SOURCE.sentence_vectors[0] @ question, abs=0.01)
    assert near.best == near.sentences.max()
    (kept,) = next(p for p in store.prepared() if p.source.uri == "s").sentence_vectors
    assert near.sentences == pytest.approx(kept @ question, abs=1e-5)
    assert (found[refs["blank"]].whole, found[refs["blank"]].best) == (0, 0)
    assert store.cosines([], question) == {}


def test_a_chunk_has_its_own_vector_and_not_its_sentences(engine):
    store = engine.open()
    store.put([SOURCE, make_source("default", "blank", "…")])
    refs = {c.source.uri: c.ref for c in all_chunks(store)}
    found = store.chunk_vectors([*refs.values(), max(refs.values()) + 1])
    assert set(found) == set(refs.values())
    own = found[refs["s"]]
    assert own.shape == SOURCE.vectors[0].shape
    assert own @ SOURCE.vectors[0] > 0.998
    assert own @ SOURCE.sentence_vectors[0][0] < 0.99
    assert np.linalg.norm(own) == pytest.approx(1, abs=1e-5)
    assert not found[refs["blank"]].any()
    assert store.chunk_vectors([]) == {}
    assert engine.open("another").chunk_vectors(list(refs.values())) == {}


def test_an_open_store_adopts_its_first_encoder_and_refuses_another(engine):
    store = engine.open(fingerprint=None)
    store.adopt(FP)
    store.adopt(FP)
    assert store.fingerprint() == FP
    assert store.put([SOURCE]) == ["added"]
    before = dump(store)
    with pytest.raises(errors.EncoderMismatch, match="kgmem reindex"):
        store.adopt(OTHER_FP)
    assert store.fingerprint() == FP
    assert dump(store) == before


def test_of_two_that_adopt_the_first_holds(engine):
    one, two = engine.open(fingerprint=None), engine.open(fingerprint=None)
    one.adopt(FP)
    with pytest.raises(errors.EncoderMismatch):
        two.adopt(OTHER_FP)
    assert two.fingerprint() == FP
