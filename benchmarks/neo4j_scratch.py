"""A Neo4j database that a benchmark may fill and empty again, if it was empty before."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import neo4j

from kgmem.settings import load_settings
from kgmem.store import Neo4jOptions


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

    def has_data(self) -> bool:
        return bool(self.rows("MATCH (n) RETURN 1 LIMIT 1"))

    def clear(self) -> None:
        """Remove everything, for a database that was empty before."""
        self.rows("DROP INDEX chunk_embedding IF EXISTS")
        with self.driver.session(database=self.database) as session:
            # Sentences and chunks first: an entity that much names has more edges than one transaction may remove.
            for label in (":Sentence", ":Chunk", ""):
                session.run(f"MATCH (n{label}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 1000 ROWS").consume()

    def settle(self) -> None:
        """Wait until every index is there."""
        self.rows("CALL db.awaitIndexes(300)")


@contextmanager
def borrowed(url: str) -> Iterator[Scratch]:
    """A database that is empty now and will be in the end."""
    with connect(url) as scratch:
        if scratch.has_data():
            raise SystemExit(f"The database at {url} holds data; name one that is empty.")
        try:
            yield scratch
        finally:
            scratch.clear()


@contextmanager
def connect(url: str) -> Iterator[Scratch]:
    """User, password and database are kgmem's settings for them."""
    options = load_settings(store=url).neo4j
    auth = (options.user, options.password) if options.password else None
    with neo4j.GraphDatabase.driver(url, auth=auth, notifications_min_severity="OFF") as driver:
        yield Scratch(url, options, driver)


def takes_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", required=True, help="a Neo4j database without data; what signs in is set as for kgmem")
