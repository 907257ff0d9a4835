"""The enums of the schema. Their values are kgmem's own words, their names upper case."""

from __future__ import annotations

from enum import Enum

import strawberry


@strawberry.enum(description="What a source is.")
class SourceKind(Enum):
    DOCUMENT = "document"
    CONVERSATION = "conversation"
    MEMORY = "memory"


@strawberry.enum(description="What kind of thing a name is of.")
class EntityType(Enum):
    PERSON = "PERSON"
    ORG = "ORG"
    PLACE = "PLACE"
    GROUP = "GROUP"
    EVENT = "EVENT"
    WORK = "WORK"
    PRODUCT = "PRODUCT"
    LAW = "LAW"
    LANGUAGE = "LANGUAGE"
    OTHER = "OTHER"


@strawberry.enum(description="How hits are found and ranked.")
class SearchMode(Enum):
    HYBRID = strawberry.enum_value("hybrid", description="All arms together; the best in nearly every case.")
    VECTOR = strawberry.enum_value("vector", description="By the meaning of chunks alone.")
    FULLTEXT = strawberry.enum_value("fulltext", description="By words alone (BM25).")
    GRAPH = strawberry.enum_value("graph", description="From the entities that the question names, along the graph.")


@strawberry.enum(description="One arm of a search.")
class Arm(Enum):
    VECTOR = "vector"
    FULLTEXT = "fulltext"
    GRAPH = "graph"
