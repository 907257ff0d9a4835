"""The mutations."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from io import BytesIO
from typing import Annotated, Any

import strawberry
from starlette.datastructures import UploadFile
from strawberry.file_uploads import Upload
from strawberry.scalars import JSON

from kgmem import errors, ids
from kgmem.api import jobs
from kgmem.api.context import Info
from kgmem.api.failures import Error
from kgmem.api.job_types import IngestJob, JobOutcome
from kgmem.api.searching import MAX_VALUES, aware
from kgmem.api.types import not_found
from kgmem.ingest.load import load_bytes, load_jsonl
from kgmem.ingest.load.clean import clean_json, clean_text, is_blank
from kgmem.model import Document, Skipped

MAX_FILES = 100
MAX_NAME = 2000
Wait = Annotated[
    bool, strawberry.argument(description="Whether to answer once the job is done, or the operation's time is up.")
]


@strawberry.input
class IngestTextInput:
    text: str
    uri: str = strawberry.field(default="", description="Its name; a text with the same uri is replaced.")
    title: str = ""
    timestamp: datetime | None = strawberry.field(
        default=None, description="When its content dates from, with a time zone."
    )
    tags: list[str] = strawberry.field(default_factory=list)
    metadata: JSON | None = strawberry.field(default=None, description="An object.")


@strawberry.type(description="A source that is gone, with all that nothing else supported.")
class DeletedSource:
    id: strawberry.ID


DeleteOutcome = Annotated[DeletedSource | Error, strawberry.union("DeleteOutcome")]


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Take a text in.")
    async def ingest_text(self, info: Info, input: IngestTextInput, wait: Wait = False) -> JobOutcome:
        timestamp = aware("timestamp", input.timestamp)
        tags, metadata = _tags(input.tags), _metadata(input.metadata)
        _check_name("uri", input.uri)
        _check_name("title", input.title)
        if is_blank(input.text):
            raise errors.EmptyDocument("There is no text in it; send some.")
        job = info.context.jobs.submit(
            lambda kg, _: kg.ingest_text(
                input.text, uri=input.uri, title=input.title, timestamp=timestamp, tags=tags, metadata=metadata
            ),
            total=1,
            size=len(input.text),
        )
        return await _answer(info, job, wait)

    @strawberry.mutation(description="Take files in, sent as the GraphQL multipart request specification has it.")
    async def ingest_files(
        self,
        info: Info,
        files: list[Upload],
        tags: list[str] | None = None,
        wait: Wait = False,
    ) -> JobOutcome:
        kept = _tags(tags or [])
        named = await _contents(files)
        limit = info.context.kg.settings.max_bytes
        job = info.context.jobs.submit(
            lambda kg, progress: kg.ingest_documents(_documents(named, kept, limit), progress),
            total=len(named),
            size=sum(len(data) for _, data in named),
        )
        return await _answer(info, job, wait)

    @strawberry.mutation(description="Remove a source with all that nothing else supports.")
    async def delete_source(self, info: Info, id: strawberry.ID) -> DeleteOutcome:
        if id.startswith((ids.CHUNK, ids.FACT)):
            raise errors.UsageError(f"{id[:80]!r} is only a part of a source; ask `source` for the whole one's id.")
        # It needs no encoder, so it is done as a read is.
        if not await info.context.read(lambda _: info.context.kg.delete([id])):
            raise not_found("source", id)
        return DeletedSource(id=id)


async def _answer(info: Info, job: jobs.Job, wait: bool) -> IngestJob:
    if wait:
        job = await info.context.jobs.wait(job.id, info.context.deadline.remaining)
    return IngestJob.of(job)


async def _contents(files: Sequence[Any]) -> list[tuple[str, bytes]]:
    """Name and bytes of each file. Raises `UsageError` where one is no file, or two have one name."""
    if not 1 <= len(files) <= MAX_FILES:
        raise errors.UsageError(f"{len(files)} files were sent; send 1 to {MAX_FILES}.")
    found: dict[str, bytes] = {}
    for file in files:
        if not isinstance(file, UploadFile):
            raise errors.UsageError("A file is missing; send files as parts of a multipart request.")
        name = clean_text(file.filename or "")
        _check_name("file name", name)
        if not name:
            raise errors.UsageError("A file has no name; give each its own.")
        if name in found:
            raise errors.UsageError(f"Two files are named {name[:80]!r}; give each its own name.")
        found[name] = await file.read()
    return list(found.items())


def _documents(named: Sequence[tuple[str, bytes]], tags: Sequence[str], limit: int) -> Iterator[Document | Skipped]:
    for name, data in named:
        uri = f"upload:{name}"
        if name.casefold().endswith((".jsonl", ".ndjson")):
            yield from load_jsonl(BytesIO(data), uri=uri, max_bytes=limit, tags=tags)
            continue
        try:
            yield load_bytes(data, uri=uri, name=name, max_bytes=limit, tags=tags)
        except errors.LoadError as error:
            yield Skipped(uri, error.code, str(error))


def _tags(tags: Sequence[str]) -> list[str]:
    if len(tags) > MAX_VALUES:
        raise errors.UsageError(f"{len(tags)} tags are too many; give at most {MAX_VALUES}.")
    for tag in tags:
        _check_name("tag", tag)
    return [clean_text(tag) for tag in tags]


def _metadata(given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise errors.UsageError('metadata has to be an object, as in {"author": "Ada"}.')
    cleaned: dict[str, Any] = clean_json(given)
    return cleaned


def _check_name(what: str, name: str) -> None:
    if len(name) > MAX_NAME:
        raise errors.UsageError(f"The {what} has {len(name)} characters; use at most {MAX_NAME}.")
