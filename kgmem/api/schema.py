"""The schema. `python -m kgmem.api.schema` writes its SDL to `schema/schema.graphql`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import strawberry
from graphql import GraphQLError, build_schema, lexicographic_sort_schema, print_schema
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.graphql import OperationType

from kgmem.api.failures import ExpectedFailures, Masking, OpenMasking
from kgmem.api.mutation import Mutation
from kgmem.api.operation import OpenOperation, Operation
from kgmem.api.query import Query
from kgmem.api.subscription import Subscription

SDL = Path(__file__).parents[2] / "schema" / "schema.graphql"


class Schema(strawberry.Schema):
    """Errors are logged where they are masked, with their ids; what is the client's own mistake is not logged."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        pass

    async def execute(self, query: str | None, *args: Any, **more: Any) -> ExecutionResult:
        # Subscriptions come by `stream`; here they would give null for what is none.
        allowed = set(more.get("allowed_operation_types") or OperationType) - {OperationType.SUBSCRIPTION}
        return await super().execute(query, *args, **{**more, "allowed_operation_types": allowed})


def make_schema(*, dev: bool = False) -> Schema:
    """The schema with its limits. `dev` lets clients look at it, and suggests names for wrong ones."""
    return Schema(
        Query,
        Mutation,
        Subscription,
        extensions=[OpenMasking, OpenOperation] if dev else [Masking, Operation],
        exception_handlers=[ExpectedFailures()],
    )


def sdl() -> str:
    """The schema in GraphQL's own language, everything in alphabetical order."""
    # Sorted as text: Strawberry's `sort_schema` leaves enums that can't be written any more (0.341).
    return print_schema(lexicographic_sort_schema(build_schema(make_schema().as_str()))) + "\n"


if __name__ == "__main__":
    SDL.write_text(sdl(), encoding="utf-8")
    sys.stdout.write(f"wrote {SDL}\n")
