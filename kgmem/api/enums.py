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


@strawberry.enum(
    description="How hits are found and ranked: by all arms together (the best in nearly every case), by the meaning "
    "of chunks alone, by their words alone (BM25), or along the graph from the entities that the question names."
)
class SearchMode(Enum):
    HYBRID = "hybrid"
    VECTOR = "vector"
    FULLTEXT = "fulltext"
    GRAPH = "graph"


@strawberry.enum(description="One arm of a search.")
class Arm(Enum):
    VECTOR = "vector"
    FULLTEXT = "fulltext"
    GRAPH = "graph"


@strawberry.enum(description="How far a job is. DONE and FAILED are final.")
class JobState(Enum):
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
