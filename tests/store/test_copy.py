"""`kgmem copy`: one store into another, either way, and both are the same to every reading."""

from __future__ import annotations

import json

import numpy as np
import pytest
from build import DIMENSION, FP, OTHER_FP, embed, make_conversation, make_source
from click.testing import CliRunner
from dump import NO_FILTER, dump
from hypothesis import given, settings
from hypothesis import strategies as st
from test_namespaces import T, of

from kgmem import errors
from kgmem.cli import main
from kgmem.ingest.link import link_pending
from kgmem.store.export import Spot, titles_and_mentions
from kgmem.terms import terms
from kgmem.transfer import copy


def some(namespace):
    silent = make_source(namespace, "silent", "… !", vector=np.zeros(DIMENSION, np.float32))
    more = make_source(
        namespace,
        "file:北京.txt",
        "北京大学在海淀区。Ada Byron (AB) came.\n\nZara Zebra of Zanzibar met Ada Byron; AB left.",
        "Ada Byron",
        [("Ada Byron", "PERSON"), ("北京大学", "ORG"), "AB"],
        [("Ada Byron", "met", ("Zara Zebra",)), ("AB", "left", ())],
        pages=[0, 20],
        media_type="text/x-test",
    )
    talk = make_conversation(
        namespace, "chat", [("Ada Byron", "Hello.", T), ("Bo", "Otto Okapi sends his love.")], "A talk", ["Otto Okapi"]
    )
    return [*of(namespace), silent, more, talk]


@pytest.fixture
def filled(engine):
    for namespace in ("a", "b"):
        store = engine.open(namespace)
        store.put(some(namespace)[:-1] if namespace == "b" else some(namespace))
        link_pending(store)
    return engine


def answers(store):
    """What the arms give, by chunk id and in order."""
    ids = {}
    for name, found in {
        "vector": store.vector_search(embed("Zara Zebra met"), 5, NO_FILTER),
        "words": store.term_search(terms("zebra okapi byron"), 5, NO_FILTER),
    }.items():
        stored = store.chunks([ref for ref, _ in found])
        ids[name] = [(s.chunk.id, round(score, 3)) for s, (_, score) in zip(stored, found, strict=True)]
    return ids


def test_there_and_back_is_the_same(filled, another, tmp_path):
    """From the engine into a file, from the file into another file, and nothing is lost on the way."""
    done = copy(filled.url, another.url)
    assert [(c.namespace, c.added, c.unchanged) for c in done] == [("a", 6, 0), ("b", 5, 0)]
    for namespace in ("a", "b"):
        old, new = filled.open(namespace), another.open(namespace)
        assert dump(new) == dump(old)
        assert [s.ingested_at for s in new.sources()] == [s.ingested_at for s in old.sources()]
        assert answers(new)["vector"] == answers(old)["vector"]
        assert sorted(id for id, _ in answers(new)["words"]) == sorted(id for id, _ in answers(old)["words"])


def test_into_the_engine(engine, another):
    for namespace in ("a", "b"):
        store = another.open(namespace)
        store.put(some(namespace))
        link_pending(store)
    copy(another.url, engine.url)
    for namespace in ("a", "b"):
        assert dump(engine.open(namespace)) == dump(another.open(namespace))
    assert engine.open("a").fingerprint() == FP


def test_a_second_run_changes_nothing_and_takes_up_what_is_new(filled, another):
    copy(filled.url, another.url, namespaces=["b"])
    assert another.open("b").namespaces() == ["b"]
    store = filled.open("b")
    store.put([some("b")[-1], make_source("b", "silent", "Not any more.")])
    link_pending(store)
    (done,) = copy(filled.url, another.url, namespaces=["b"])
    assert (done.added, done.replaced, done.unchanged) == (1, 1, 4)
    assert dump(another.open("b")) == dump(store)


def test_what_cannot_be_copied_is_said(filled, another, tmp_path):
    with pytest.raises(errors.UsageError, match="same"):
        copy(filled.url, filled.url)
    with pytest.raises(errors.UsageError, match=r"no namespace 'c'.*a, b"):
        copy(filled.url, another.url, namespaces=["c"])
    with pytest.raises(errors.StoreError, match="empty"):
        copy(f"sqlite:///{tmp_path / 'new.db'}", filled.url)
    target = another.open("a")
    target.put([make_source("a", "its own", "Something else.")])
    with pytest.raises(errors.StoreError, match="some of its own"):
        copy(filled.url, another.url, namespaces=["a"])


def test_another_encoders_store_is_no_target(filled, another):
    another.open("a", OTHER_FP)
    with pytest.raises(errors.EncoderMismatch):
        copy(filled.url, another.url)
    assert another.open("a", None).counts().sources == 0


def test_an_unfinished_source_is_not_copied(engine, another):
    engine.open("a").put(some("a"))
    with pytest.raises(errors.StoreError, match="not finished"):
        copy(engine.url, another.url)


def test_the_command(filled, another, monkeypatch):
    ran = CliRunner().invoke(main, ["copy", "--from", filled.url, "--to", another.url, "--json"])
    assert ran.exit_code == 0, ran.output
    assert [(c["namespace"], c["added"], c["counts"]["sources"]) for c in json.loads(ran.stdout)] == [
        ("a", 6, 6),
        ("b", 5, 5),
    ]
    ran = CliRunner().invoke(main, ["copy", "--from", filled.url, "--to", another.url])
    assert "a: 0 added, 0 replaced, 6 unchanged" in ran.stdout
    ran = CliRunner().invoke(main, ["copy", "--from", "sqlite:////nowhere/at/all.db", "--to", another.url])
    assert ran.exit_code == 1
    assert "No store at" in ran.stderr


NAMES = st.sampled_from(["Ada", "ADA", "Ada Byron"])
KINDS = st.sampled_from(["PERSON", "OTHER", "ORG"])


@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, KINDS, st.sampled_from(["recognised", "acronym", "speaker"]))), st.booleans())
def test_forms_are_shared_out_so_that_they_count_the_same(written, own):
    """Whatever a source wrote: the mentions made from its counts give these counts again."""
    written = [(text, text if origin == "acronym" else name, kind, origin) for text, name, kind, origin in written]
    forms: dict[tuple[str, str], int] = {}
    for _, name, kind, _ in written:
        forms[name, kind] = forms.get((name, kind), 0) + 1
    if own:
        forms["Ada", "OTHER"] = forms.get(("Ada", "OTHER"), 0) + 1
    spots = [Spot(0, 0, i, i + 1, text, "ada", origin) for i, (text, _, _, origin) in enumerate(written)]
    titles, mentions = titles_and_mentions(spots, {"ada": forms}, ["ada"] if own else [])
    again: dict[tuple[str, str], int] = {}
    for m in mentions:
        name = m.surface if m.origin == "acronym" else m.name
        again[name, m.type] = again.get((name, m.type), 0) + 1
    for t in titles:
        again[t.name, t.type] = again.get((t.name, t.type), 0) + 1
    assert again == forms
    assert [(m.start, m.surface, m.origin) for m in mentions] == [(s.start, s.surface, s.origin) for s in spots]
