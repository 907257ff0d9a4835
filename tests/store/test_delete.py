"""A delete leaves nothing behind: no entity, fact, mention or text that only the deleted source supported."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from build import make_conversation, make_source
from dump import NO_FILTER, dump

from kgmem.names import entity_key
from kgmem.store.contract import Store
from kgmem.terms import terms

CANARY = "Xyzzyquux"


def canaried(uri="secret", namespace="default", canary=CANARY):
    """A source with a canary in every place that a text can go."""
    return make_source(
        namespace,
        f"file:{canary}/{uri}.txt",
        f"{canary} Corporation lies in Oslo.\n\nOslo knows {canary} as {canary}-secret, says {canary}.",
        title=f"{canary} (firm)",
        names=[(f"{canary} Corporation", "ORG"), "Oslo", canary],
        facts=[(f"{canary} Corporation", f"lies {canary}", ("Oslo", f"{canary} town"))],
        tags=[f"{canary}-tag"],
        metadata={f"{canary}-key": f"{canary}-value"},
        media_type=f"text/x-{canary}",
    )


def keeper(namespace="default"):
    return make_source(namespace, "file:oslo.txt", "Oslo is a city. Oslo lies in Norway.", "Oslo", ["Oslo", "Norway"])


def holds(engine, canary=CANARY):
    raw = engine.raw_bytes().lower()
    return any(canary.lower().encode(code) in raw for code in ("utf-8", "utf-16-le", "utf-16-be"))


def test_the_canary_is_seen_before_the_delete(engine):
    store = engine.open()
    store.put([canaried()])
    assert holds(engine)


def test_no_text_is_left_on_disk_after_a_delete(engine):
    store = engine.open()
    store.put([keeper(), canaried()])
    assert store.delete([canaried().source.id]) == 1
    assert not holds(engine)


def test_no_text_is_left_on_disk_after_a_replacement(engine):
    store = engine.open()
    store.put([keeper(), canaried()])
    plain = make_source("default", "file:plain", "Oslo only.", names=["Oslo"])
    assert store.put([replace(plain, source=replace(plain.source, id=canaried().source.id))]) == ["replaced"]
    assert not holds(engine)


@cache
def many():
    """240 sources of all sizes, each with a canary of its own."""
    rnd = random.Random(7)
    made = {}
    for i in range(240):
        canary = f"Canary{i:03}q"
        filler = " ".join(rnd.choices(("oslo", "bergen", "molde", "narvik"), k=rnd.choice((3, 300, 3000))))
        made[canary] = make_source(
            "default",
            f"file:{canary}",
            f"{canary} is in Oslo. {filler}\n\n{filler} {canary}.",
            title=canary,
            names=[canary, "Oslo"],
            facts=[(canary, "is in", ("Oslo",))],
            metadata={"note": canary},
        )
    return made


# In each of these orders SQLite moves rows from page to page that are deleted later.
@pytest.mark.parametrize("seed", [2, 3, 5, 8, 16])
def test_no_text_of_any_of_many_is_left(engine, seed):
    """Among many, in many batches and any order."""
    rnd = random.Random(seed)
    store = engine.open()
    order = rnd.sample(sorted(many()), len(many()))
    gone = set()
    for batch in range(12):
        canaries = order[batch * 20 : batch * 20 + 20]
        store.put([many()[canary] for canary in canaries])
        gone.update(canary for canary in canaries if rnd.random() < 0.5)
        if batch % 3 == 2:
            store.delete([many()[canary].source.id for canary in gone])
    raw = engine.raw_bytes().lower()
    assert [canary for canary in gone if canary.lower().encode() in raw] == []
    assert all(canary.lower().encode() in raw for canary in set(order) - gone)


def test_text_goes_once_a_reader_of_the_old_state_is_done(engine):
    store, other = engine.open(), engine.open()
    store.put([keeper(), canaried()])
    with other.snapshot():
        assert other.counts().sources == 2
        store.delete([canaried().source.id])
        assert other.text(canaried().source.id) == (canaried().text if engine.one_state else None)
    store.put([make_source("default", "next", "Bergen is wet.")])
    assert not holds(engine)


def test_text_goes_when_ones_own_snapshot_ends(engine):
    store = engine.open()
    store.put([keeper(), canaried()])
    with store.snapshot():
        assert store.counts().sources == 2
        store.delete([canaried().source.id])
    assert not holds(engine)


def test_what_only_the_deleted_source_supports_goes_with_it(store: Store, another):
    store.put([canaried(), keeper()])
    store.delete([canaried().source.id])
    alone = another.open()
    alone.put([keeper()])
    assert dump(store) == dump(alone)
    assert store.term_search(terms(CANARY), 10, NO_FILTER) == []
    assert store.find_names([entity_key(CANARY)], NO_FILTER) == []
    assert store.facts() == []


def test_shared_entities_keep_the_names_and_counts_of_the_rest(store: Store):
    store.put(
        [
            make_source("default", "a", "OSLO OSLO OSLO OSLO.", names=[("OSLO", "ORG")]),
            make_source("default", "b", "Oslo. Oslo.", names=[("Oslo", "PLACE")]),
        ]
    )
    (entity,) = store.entities("oslo")
    assert (entity.name, entity.type, entity.chunk_count, entity.aliases) == ("OSLO", "ORG", 2, ("Oslo",))
    store.delete([make_source("default", "a", "").source.id])
    (entity,) = store.entities("oslo")
    assert (entity.name, entity.type, entity.chunk_count, entity.aliases) == ("Oslo", "PLACE", 1, ())


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_writes_and_deletes_ends_in_the_same_graph(engine, another, seed):
    """Weights and counts too, to the last bit: nothing drifts."""
    rnd = random.Random(seed)
    names = ["Ada", "Bert", "Cleo", "Dora", "Emil"]

    def version(i):
        told = [rnd.choice(names) for _ in range(rnd.randrange(1, 9))]
        text = "\n\n".join(f"{a} saw {b} and {a}." for a, b in zip(told, reversed(told), strict=True))
        if i % 5 == 0:
            return make_conversation("default", f"s{i}", [(a, f"I saw {b}.") for a, b in zip(told, names)], names=names)  # noqa: B905
        return make_source("default", f"s{i}", text, rnd.choice(("", *names)), names, [(told[0], "saw", (told[-1],))])

    store, there = engine.open(), {}
    for _ in range(60):
        i = rnd.randrange(12)
        if i in there and rnd.random() < 0.4:
            assert store.delete([there.pop(i).source.id]) == 1
        else:
            there[i] = version(i)
            store.put([there[i]])
    alone = another.open()
    for i in rnd.sample(sorted(there), len(there)):
        alone.put([there[i]])
    assert dump(store) == dump(alone)


def test_deleting_what_is_not_there(store: Store):
    store.put([keeper()])
    assert store.delete([]) == 0
    assert store.delete(["d" + "0" * 24, "", "' OR 1=1 --"]) == 0
    assert store.delete(iter([keeper().source.id, keeper().source.id])) == 1
    assert store.delete([keeper().source.id]) == 0
    assert dump(store)["counts"] == dict.fromkeys(dump(store)["counts"], 0)
