"""What is deleted is gone from the file in the forms that only this engine knows: packed texts and vectors."""

from __future__ import annotations

import random

import numpy as np
from build import FP, make_source

from kgmem.store import open_store
from kgmem.store.codec import pack_text, pack_unit


def written(i):
    words = " ".join(
        f"{random.Random(i * 100 + j).randrange(10**9)}" for j in range(random.Random(i).choice((5, 50, 900)))
    )
    return make_source("default", f"s{i}", f"Secret {i} {words}.\n\nMore {words[::-1]}.", f"Title {i}", [f"Secret {i}"])


def forms(source):
    yield pack_text(source.text)
    for vector, sentences in zip(source.vectors, source.sentence_vectors, strict=True):
        yield vector.astype(np.float32).tobytes()
        yield pack_unit(np.concatenate([vector[None], sentences]))


def raw(path):
    return b"\0".join(p.read_bytes() for p in sorted(path.parent.iterdir()))


def test_packed_forms_are_gone_too(tmp_path):
    path = tmp_path / "store.db"
    store = open_store(f"sqlite:///{path}", "default", FP)
    sources = [written(i) for i in range(80)]
    store.put(sources[:40])
    store.put(sources[40:])
    # A large text lies on pages of its own, cut by page headers: its beginning will do.
    pieces = {i: [form[:4000] for form in forms(source)] for i, source in enumerate(sources)}
    before = raw(path)
    store.close()
    before += raw(path)
    assert all(piece in before for found in pieces.values() for piece in found)
    store = open_store(f"sqlite:///{path}", "default", FP)
    gone = random.Random(1).sample(range(80), 60)
    store.delete([sources[i].source.id for i in gone[:30]])
    store.put([make_source("default", f"s{i}", "Plain.") for i in gone[30:]])
    after = raw(path)
    assert [i for i in gone if any(piece in after for piece in pieces[i])] == []
    store.close()
    after = raw(path)
    assert all(piece in after for i in set(range(80)) - set(gone) for piece in pieces[i])
