"""The GraphQL endpoint: Strawberry's, with what it leaves open about bad bodies and numbers settled."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from cross_web import AsyncHTTPRequestAdapter, FormData, HTTPException, StarletteRequestAdapter
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLRequestData
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL

from kgmem import errors
from kgmem.api.context import Services
from kgmem.api.mutation import MAX_FILES
from kgmem.api.schema import make_schema
from kgmem.ingest.load.clean import clean_json

SUBSCRIPTIONS = 10
INIT_SECONDS = 10
BOOKMARK = "kgmem-bookmark"
"""Header of answers and requests: what has been written by one replica and is to be seen through another."""
MAX_BOOKMARKS = 20
_BAD_BODY = "The body is no GraphQL request; send a JSON object with query and variables."


class Adapter(StarletteRequestAdapter):
    async def get_form_data(self) -> FormData:
        form = await self._request.form(max_files=MAX_FILES, max_fields=10)
        return FormData(files=form, form=form)


class Endpoint(GraphQL[Services, None]):
    """Serves one schema with one process's services."""

    request_adapter_class = Adapter

    def __init__(self, services: Services, *, dev: bool) -> None:
        super().__init__(
            make_schema(dev=dev),
            graphql_ide=None,
            allow_queries_via_get=dev,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
            connection_init_wait_timeout=timedelta(seconds=INIT_SECONDS),
            multipart_uploads_enabled=True,
            max_subscriptions_per_connection=SUBSCRIPTIONS,
        )
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            try:
                await self._follow(request)
                response: Response = await self.run(request)
                if bookmarks := self._services.kg.store.bookmarks():
                    response.headers[BOOKMARK] = ",".join(bookmarks)
            except HTTPException as error:
                response = PlainTextResponse(error.reason, error.status_code)
            await response(scope, receive, send)
        finally:
            # Not before: a streamed mutation reads its uploads while it answers.
            await request.close()

    async def _follow(self, request: Request) -> None:
        """See what another replica has written, where the client says so."""
        given = [part.strip() for part in request.headers.get(BOOKMARK, "").split(",")]
        bookmarks = [part for part in given if part]
        if not bookmarks:
            return
        if len(bookmarks) > MAX_BOOKMARKS:
            raise HTTPException(400, f"The header {BOOKMARK} has {len(bookmarks)} bookmarks; send the last ones.")
        try:
            await self._services.call(lambda: self._services.kg.store.follow(bookmarks), self._services.timeout)
        except errors.UsageError as error:
            raise HTTPException(400, str(error)) from None
        except errors.KgmemError as error:
            raise HTTPException(503, str(error)) from None

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Services:
        return self._services

    def decode_json(self, data: str | bytes) -> object:
        """The value, its strings without lone surrogates. Raises `JSONDecodeError` for whatever is no JSON."""
        try:
            return _repaired(json.loads(data, parse_constant=_refuse_constant))
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError):
            raise json.JSONDecodeError("no JSON", "", 0) from None

    def encode_json(self, data: object) -> str:
        try:
            return json.dumps(data, separators=(",", ":"), allow_nan=False)
        except ValueError:
            # Metadata from elsewhere may hold what JSON can't.
            return json.dumps(clean_json(data), separators=(",", ":"))

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData | list[GraphQLRequestData]:
        try:
            return await super().parse_http_body(request)
        except (HTTPException, StarletteHTTPException, json.JSONDecodeError):
            raise
        except MultiPartException as error:
            raise HTTPException(400, error.message) from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
            raise HTTPException(400, _BAD_BODY) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        # Neither a log, nor a database, nor UTF-8 takes lone surrogates.
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in value.items()}
    return value
