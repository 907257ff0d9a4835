"""The ASGI application: `/graphql`, `/healthz` and `/readyz` over one open `Kgmem`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute

from kgmem.api.context import TIMEOUT, Services
from kgmem.api.endpoint import Endpoint
from kgmem.api.guard import LOOPBACK, BodyGuard, HostGuard
from kgmem.api.health import Health
from kgmem.service import Kgmem


def create_app(kg: Kgmem, *, dev: bool = False, timeout: float = TIMEOUT) -> Starlette:
    """The application. `kg` stays the caller's to close, after the application was shut down.

    `dev` allows introspection, GET queries and name suggestions. `timeout` is
    how many seconds an operation may take.
    """
    services = Services(kg, timeout=timeout)
    health = Health(services)
    endpoint = Endpoint(services, dev=dev)
    graphql = BodyGuard(endpoint, upload_bytes=kg.settings.max_bytes, allow_get=dev)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        services.start()
        try:
            yield
        finally:
            await anyio.to_thread.run_sync(services.close)

    app = Starlette(
        routes=[
            Route("/healthz", health.alive),
            Route("/readyz", health.ready),
            Route("/graphql", graphql),
            WebSocketRoute("/graphql", endpoint),
        ],
        middleware=[Middleware(HostGuard, hosts=(*LOOPBACK, kg.settings.host))],
        lifespan=lifespan,
    )
    app.state.services = services
    return app
