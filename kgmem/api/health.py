"""`/healthz`: the process answers. `/readyz`: and it can do its work."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse

from kgmem import errors
from kgmem.api.context import Services

READY_SECONDS = 5.0


class Health:
    """Both endpoints, over one process's services."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def alive(self, _: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def ready(self, _: Request) -> JSONResponse:
        """200, or 503 with what is missing."""
        services = self._services
        missing = {"encoder": services.warmth.missing} if services.warmth.missing else {}
        if services.warmth.tried:
            # Not before: the store is opened anew once the encoder is there.
            try:
                await services.call(lambda: services.kg.store.sources(limit=1), READY_SECONDS)
            except errors.KgmemError as error:
                missing["store"] = str(error)
        if missing:
            return JSONResponse({"status": "unavailable", "missing": missing}, 503)
        return JSONResponse({"status": "ok"})
