"""A Neo4j database that a benchmark may fill: the driver, and a look whether it is empty."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import neo4j

from kgmem.settings import load_settings
from kgmem.store import Neo4jOptions

HELP = "of a Neo4j database without data; user, password and database as for kgmem, such as KGMEM_NEO4J_PASSWORD"


@dataclass(frozen=True, slots=True)
class Scratch:
    url: str
    options: Neo4jOptions
    driver: neo4j.Driver

    @property
    def database(self) -> str | None:
        return self.options.database or None

    def rows(self, text: str, **values: object) -> list[neo4j.Record]:
        return self.driver.execute_query(text, values, database_=self.database).records

    def version(self) -> str:
        name, versions, edition = self.rows("CALL dbms.components() YIELD name, versions, edition")[0].values()
        return f"{name} {versions[0]} {edition}"

    def refuse_data(self) -> None:
        """What kgmem notes of a namespace and of the encoder is no data."""
        if self.rows("MATCH (n) WHERE NOT n:Kgmem AND NOT n:Namespace RETURN 1 LIMIT 1"):
            raise SystemExit(f"The database at {self.url} holds data; name one that is empty.")

    def settle(self) -> None:
        """Wait until every index is there."""
        self.rows("CALL db.awaitIndexes(300)")


@contextmanager
def connect(url: str) -> Iterator[Scratch]:
    options = load_settings(store=url).neo4j
    auth = (options.user, options.password) if options.password else None
    with neo4j.GraphDatabase.driver(url, auth=auth, notifications_min_severity="OFF") as driver:
        yield Scratch(url, options, driver)


def takes_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", required=True, help=HELP)
