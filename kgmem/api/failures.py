"""Expected failures as data: the `Error` of every result union, and what becomes of anything else that goes wrong."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from enum import Enum

import strawberry
from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.schema import ExceptionHandler
from strawberry.types import Info, StreamExecutionResult
from strawberry.types.field import StrawberryField

from kgmem import errors

_log = logging.getLogger(__name__)


class Busy(errors.KgmemError):
    """Too much is waiting already; nothing of the request was taken."""

    code = "BUSY"


class TimedOut(errors.KgmemError):
    """The operation's time is up; its work is no longer waited for."""

    code = "TIMEOUT"


@strawberry.enum(description="What went wrong, for a program.")
class ErrorCode(Enum):
    """Every code of `kgmem.errors`, and the server's own two."""

    BUSY = "BUSY"
    DOCUMENT_EMPTY = "DOCUMENT_EMPTY"
    DOCUMENT_ENCRYPTED = "DOCUMENT_ENCRYPTED"
    DOCUMENT_TOO_LARGE = "DOCUMENT_TOO_LARGE"
    DOCUMENT_UNSUPPORTED = "DOCUMENT_UNSUPPORTED"
    ENCODER_FAILED = "ENCODER_FAILED"
    ENCODER_MISMATCH = "ENCODER_MISMATCH"
    KGMEM = "KGMEM"
    LOAD_FAILED = "LOAD_FAILED"
    NOT_FOUND = "NOT_FOUND"
    QUERY_INVALID = "QUERY_INVALID"
    QUERY_TOO_COMPLEX = "QUERY_TOO_COMPLEX"
    STORE_BUSY = "STORE_BUSY"
    STORE_FAILED = "STORE_FAILED"
    STORE_FULL = "STORE_FULL"
    STORE_READ_ONLY = "STORE_READ_ONLY"
    STORE_TOO_LARGE = "STORE_TOO_LARGE"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    TIMEOUT = "TIMEOUT"
    USAGE = "USAGE"


def code_of(error: errors.KgmemError) -> ErrorCode:
    """The error's code, or the nearest base's that the schema knows."""
    codes = (getattr(base, "code", "") for base in type(error).__mro__)
    return next((ErrorCode(code) for code in codes if code in ErrorCode.__members__), ErrorCode.KGMEM)


def code_named(code: str) -> ErrorCode:
    return ErrorCode.__members__.get(code, ErrorCode.KGMEM)


@strawberry.type(description="Why a request was not done. The message is one sentence that says what to do.")
class Error:
    code: ErrorCode
    message: str

    @classmethod
    def of(cls, error: errors.KgmemError) -> Error:
        return cls(code=code_of(error), message=str(error))


class ExpectedFailures(ExceptionHandler[errors.KgmemError, Error]):
    """Turns a `KgmemError` into the `Error` of the field's union."""

    def handle(self, exception: errors.KgmemError, *, field: StrawberryField, info: Info) -> Error:
        return Error.of(exception)


def masked(error: GraphQLError) -> GraphQLError:
    """The error as a client may see it. What was not raised on purpose becomes an id that is in the log."""
    original = error.original_error
    while isinstance(original, GraphQLError) and original.original_error is not None:
        original = original.original_error
    if original is None or isinstance(original, GraphQLError):
        return error
    if isinstance(original, errors.KgmemError):
        # A field that has no union to put it in.
        return _replaced(error, str(original), code_of(original).value)
    incident = secrets.token_hex(6)
    where = ".".join(map(str, error.path or ()))
    _log.error("internal error %s at %s", incident, where or "the operation", exc_info=original)
    return _replaced(error, f"internal error {incident}", "INTERNAL")


def _replaced(error: GraphQLError, message: str, code: str) -> GraphQLError:
    return GraphQLError(message, error.nodes, error.source, error.positions, error.path, extensions={"code": code})


class OpenMasking(SchemaExtension):
    """Masks the errors of every result, streamed or not."""

    _seen = False

    def show(self, error: GraphQLError) -> GraphQLError:
        return masked(error)

    def on_operation(self) -> Iterator[None]:
        yield
        result = self.execution_context.result
        if not self._seen and result is not None and result.errors:
            result.errors = [self.show(error) for error in result.errors]

    def on_stream_result(self, result: StreamExecutionResult) -> Iterator[None]:
        self._seen = True
        found = getattr(result, "errors", None)
        if found:
            result.errors = [self.show(error) for error in found]  # type: ignore[union-attr]
        yield


class Masking(OpenMasking):
    """As `OpenMasking`, and without the names that the server suggests for wrong ones."""

    def show(self, error: GraphQLError) -> GraphQLError:
        shown = masked(error)
        shown.message = shown.message.partition(" Did you mean ")[0]
        return shown
