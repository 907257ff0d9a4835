"""What happens to each operation before it is executed: a context of its own, the parser's limits, validation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping

from graphql import GraphQLError, NoSchemaIntrospectionCustomRule, ValidationRule
from strawberry.extensions import SchemaExtension
from strawberry.schema.schema import validate_document

from kgmem import errors
from kgmem.api.context import Context, Services
from kgmem.api.limits import check

PARSER = {"max_lexical_tokens": 2000, "max_comments": 200, "max_source_length": 100_000}


class OpenOperation(SchemaExtension):
    """For clients that may look at the schema. An operation comes with `Services`, and goes on with a `Context`."""

    rules: tuple[type[ValidationRule], ...] = ()

    def on_operation(self) -> Iterator[None]:
        # Within one WebSocket connection too, where Strawberry has one context for all operations.
        services: Services = self.execution_context.context
        self.execution_context.context = Context.start(services)
        self.execution_context.parse_options.update(PARSER)  # type: ignore[typeddict-item]
        self.execution_context.validation_rules += self.rules
        yield

    async def on_validate(self) -> AsyncIterator[None]:
        """Validate in a thread, since the specification's rules take up to half a second within the limits."""
        context: Context = self.execution_context.context
        try:
            found = await context.services.call(self._validate, context.deadline.remaining)
        except errors.KgmemError as error:
            found = [GraphQLError(str(error), extensions={"code": error.code})]
        # A list, even an empty one, tells Strawberry that this is done.
        self.execution_context.pre_execution_errors = found
        yield

    def _validate(self) -> list[GraphQLError]:
        operation = self.execution_context
        schema, document = operation.schema._schema, operation.graphql_document
        assert document is not None
        variables = operation.variables if isinstance(operation.variables, Mapping) else {}
        return check(schema, document, variables) or validate_document(schema, document, operation.validation_rules)


class Operation(OpenOperation):
    """As `OpenOperation`, for clients that may not look at the schema."""

    rules = (NoSchemaIntrospectionCustomRule,)
