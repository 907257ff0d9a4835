"""Gives each operation a context of its own, over HTTP as within one WebSocket connection."""

from __future__ import annotations

from collections.abc import Iterator

from strawberry.extensions import SchemaExtension

from kgmem.api.context import Context, Services


class Operation(SchemaExtension):
    """Puts a fresh `Context` in the place of the `Services` that the server gave."""

    def on_operation(self) -> Iterator[None]:
        services = self.execution_context.context
        if isinstance(services, Services):
            self.execution_context.context = Context.start(services)
        yield
