"""Every statement finds its rows through an index; pages do not sort all that there is."""

from __future__ import annotations

import re

import pytest
from build import FP, make_source
from test_namespaces import READS, arguments, of

from kgmem.ingest.link import link_pending
from kgmem.store import open_store

# Lists that come as parameters, sub-queries of few rows, the two indexes that are virtual tables, the pages of one.
SCANNED = re.compile(r"SCAN (j|w|o|t|json_each|json_each EXISTS|chunk_terms(_idx)?|term_count|vector)\b(?! USING)")
PAGED = {"sources", "entities", "facts", "documents"}


@pytest.fixture
def store(tmp_path):
    opened = open_store(f"sqlite:///{tmp_path / 'store.db'}", "default", FP)
    opened.put(of("default"))
    link_pending(opened)
    yield opened
    opened.close()


class Traced:
    """The statements that a connection runs, each with its plan."""

    def __init__(self, connection):
        self.connection = connection
        self.statements: dict[str, None] = {}

    def __enter__(self):
        self.connection.exec_trace = lambda _, statement, values: self.statements.setdefault(statement) is None
        return self

    def __exit__(self, *_):
        self.connection.exec_trace = None

    def plans(self):
        for statement in self.statements:
            if re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE)", statement):
                values = [None] * statement.count("?")
                yield statement, [row[3] for row in self.connection.execute("EXPLAIN QUERY PLAN " + statement, values)]


def assert_indexed(traced):
    for statement, plan in traced.plans():
        for step in plan:
            assert not step.startswith("SCAN") or SCANNED.match(step), (statement, plan)


@pytest.mark.parametrize("method", READS)
def test_every_reading_goes_through_an_index(store, method):
    calls = arguments(store)[method]
    with Traced(store.db.reader()) as traced:
        for args in calls:
            result = getattr(store, method)(*args)
            if method in ("documents", "prepared"):
                list(result)
    assert traced.statements
    assert_indexed(traced)
    if method in PAGED:
        with Traced(store.db.reader()) as paging:
            list(getattr(store, method)())
        for statement, plan in paging.plans():
            assert not any("FOR ORDER BY" in step for step in plan), (statement, plan)


def test_an_entitys_facts_are_found_through_it(store):
    (zara,) = store.entities("zara")
    with Traced(store.db.reader()) as traced:
        assert len(store.facts(entity_id=zara.id)) == 1
    ((_, plan),) = list(traced.plans())
    assert any("fact_subject" in step for step in plan)
    assert any("fact_object" in step for step in plan)


def test_pending_names_are_not_sought_among_all(store):
    with Traced(store.db.reader()) as traced:
        store.pending_names(10)
    ((_, plan),) = [(s, p) for s, p in traced.plans() if "pending_name" in s]
    assert plan[0].startswith("SEARCH p ")


def test_every_write_goes_through_an_index(store):
    store.put([])
    with Traced(store.db._writer) as traced:
        for text in ("Zara Zebra ran.", "Zara Zebra slept with Otto Okapi."):
            store.put([make_source("default", "w", text, "Zara", ["Zara Zebra"], [("Zara Zebra", "ran", ())])])
            link_pending(store)
        store.put([make_source("default", f"more{i}", "Some more.") for i in range(9)])
        link_pending(store)
        store.put([make_source("default", "v", "Nova Name.", names=["Nova Name"])])
        link_pending(store)
        store.delete([s.id for s in store.sources()])
    assert any("chunk_terms MATCH" in statement for statement in traced.statements)
    assert_indexed(traced)
