"""One `Settings` object: from arguments, `KGMEM_*` variables, or `kgmem.toml` in the working folder, in that order."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from kgmem import errors
from kgmem.ingest.encode import DEFAULT_MODEL
from kgmem.ingest.extract import DEFAULT_ENGLISH
from kgmem.store.options import Neo4jOptions


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Settings(BaseSettings):
    """Every setting with its default. Build it with `load_settings`, which words what is wrong."""

    model_config = SettingsConfigDict(env_prefix="KGMEM_", toml_file="kgmem.toml", extra="forbid")

    store: str = Field(
        "sqlite:///kgmem.db", description="Where the data is: sqlite:///path/to/file.db or neo4j://host:7687"
    )
    neo4j_user: str = Field("neo4j", description="User of a Neo4j store")
    neo4j_password: str = Field(
        "", description="Its password; empty where the server asks for none", repr=False
    )
    neo4j_database: str = Field("", description="Database of a Neo4j store; the user's home database if empty")
    neo4j_m: int | None = Field(None, ge=1, le=512, description="Neighbours of a vector in a new Neo4j vector index")
    neo4j_ef_construction: int | None = Field(
        None, ge=1, le=3200, description="Vectors looked at when one is added to a new Neo4j vector index"
    )
    neo4j_quantization: str = Field(
        "", pattern="^(?i:none|scalar|binary)?$", description="Of a new Neo4j vector index: none, scalar or binary"
    )
    namespace: str = Field("default", description="Which part of the store; parts can't see each other")
    encoder: str = Field(DEFAULT_MODEL, description="sentence-transformers model, by name or path")
    encoder_url: str = Field("", description="OpenAI-compatible embeddings endpoint to use instead of a local model")
    encoder_key: str = Field("", description="Key for that endpoint", repr=False)
    precision: str = Field("auto", description="Arithmetic of the encoder: auto, float32 or bfloat16")
    encoder_threads: int = Field(default_factory=_cores, ge=1, description="Batches encoded at once while ingesting")
    reranker: str = Field("", description="Cross-encoder for searches that ask for it, by name or path")
    english: str = Field(DEFAULT_ENGLISH, description="spaCy pipeline for English, by package or path")
    chinese: str = Field("", description="spaCy pipeline for Chinese; else zh_core_web_sm if installed, or jieba")
    processes: int = Field(
        default_factory=lambda: max(_cores() // 2, 1),
        ge=0,
        description="Processes that analyse text while ingesting; 0: none of their own",
    )
    chunk_size: int = Field(256, ge=1, description="Tokens of a chunk at most; never more than the encoder reads")
    chunk_overlap: int = Field(0, ge=0, description="Tokens that neighbouring chunks of prose may share")
    min_confidence: float = Field(0.0, ge=0, le=1, description="Facts below it are not kept")
    max_bytes: int = Field(64 * 2**20, ge=1, description="Files above it are refused, as is what unpacks far beyond it")
    host: str = Field("127.0.0.1", description="Address the server listens on; loopback unless others are allowed")
    allow_remote: bool = Field(False, description="Listen on other addresses too; whoever reaches them can do all")
    port: int = Field(8642, ge=0, le=65535, description="Port the server listens on")

    @property
    def neo4j(self) -> Neo4jOptions:
        return Neo4jOptions(
            self.neo4j_user,
            self.neo4j_password,
            self.neo4j_database,
            self.neo4j_m,
            self.neo4j_ef_construction,
            self.neo4j_quantization,
        )

    @field_validator("chunk_overlap")
    @classmethod
    def _overlap_fits(cls, overlap: int, info: object) -> int:
        size = getattr(info, "data", {}).get("chunk_size")
        if size is not None and overlap >= size:
            raise ValueError(f"chunk_overlap ({overlap}) must be smaller than chunk_size ({size})")
        return overlap

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**given: object) -> Settings:
    """Settings, what is given winning; arguments that are None are left to the other sources. Raises `UsageError`."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise errors.UsageError(f"The setting {name or 'combination'} can't be used: {first['msg']}.") from None
    except ValueError as error:
        raise errors.UsageError(f"{Path('kgmem.toml')} can't be read: {error}.") from None
