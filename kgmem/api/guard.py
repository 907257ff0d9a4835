"""What may reach the server: requests for its own hosts, from no other site's pages, of a size and kind it takes.

The server has no passwords, so a page in the same machine's browser must not
be able to use it. A page of another site is known by its `Origin`; one that
has had its own name point here (DNS rebinding) by its `Host`; and what
browsers send unasked, forms and GET, is not taken at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from strawberry.http.websocket_origin import is_same_origin

JSON_BYTES = 1_000_000
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PREFLIGHT = ("graphql-preflight", "graphql-require-preflight", "apollo-require-preflight", "x-requested-with")
"""Headers that a browser sends to another site only after having asked it."""


class HostGuard:
    """Refuses requests for other hosts than `hosts`, and those of other sites' pages."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        reason = self._refusal(Headers(scope=scope))
        if reason is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            # Closed before it was accepted: the handshake is answered with 403.
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            status, message = reason
            await PlainTextResponse(message + "\n", status)(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host_name(host) not in self._hosts:
            return 421, "This server answers for the host it is bound to, and for localhost."
        origin = headers.get("origin")
        if origin is not None and not is_same_origin(origin, host):
            return 403, "This server takes no requests from other sites' pages."
        if headers.get("sec-fetch-site") == "cross-site":
            return 403, "This server takes no requests from other sites' pages."
        return None


def host_name(host: str) -> str:
    """The name in a `Host` header, without its port and brackets; empty where it is none."""
    try:
        parts = urlsplit(f"//{host.strip()}")
        _ = parts.port
        return "" if parts.path or parts.query or parts.username is not None else (parts.hostname or "").lower()
    except ValueError:
        return ""


class BodyGuard:
    """Refuses what is neither JSON nor a multipart upload, and bodies above the limit of their kind."""

    def __init__(self, app: ASGIApp, *, upload_bytes: int, allow_get: bool) -> None:
        self._plain = app
        self._json = RequestBodyLimitMiddleware(app, JSON_BYTES)
        # Room for the parts' headers and the operation itself.
        self._upload = RequestBodyLimitMiddleware(app, upload_bytes + JSON_BYTES)
        self._allow_get = allow_get

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._plain(scope, receive, send)
            return
        if scope["method"] == "GET" and self._allow_get:
            await self._json(scope, receive, send)
            return
        if scope["method"] != "POST":
            await _refuse(405, "Send GraphQL requests with POST.", scope, receive, send, {"Allow": "POST"})
            return
        headers = Headers(scope=scope)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            await self._json(scope, receive, send)
        elif kind != "multipart/form-data":
            await _refuse(415, "Send application/json, or multipart/form-data to upload.", scope, receive, send)
        elif not any(headers.get(name) for name in PREFLIGHT):
            await _refuse(403, "Send uploads with the header GraphQL-Preflight: 1.", scope, receive, send)
        else:
            await self._upload(scope, receive, send)


async def _refuse(
    status: int, message: str, scope: Scope, receive: Receive, send: Send, headers: dict[str, str] | None = None
) -> None:
    await PlainTextResponse(message + "\n", status, headers)(scope, receive, send)
