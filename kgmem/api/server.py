"""`serve`: opens a store and answers GraphQL, on this machine unless told otherwise, until it is told to stop."""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from kgmem import errors
from kgmem.api.app import create_app
from kgmem.api.guard import JSON_BYTES
from kgmem.service import Kgmem
from kgmem.settings import Settings

SHUTDOWN_SECONDS = 5


def serve(settings: Settings, dev: bool = False) -> None:
    """Serve until SIGINT or SIGTERM. Raises `UsageError` for an address that may not be listened on."""
    family = check_host(settings.host, allow_remote=settings.allow_remote)
    listening = _listen(settings.host, settings.port, family)
    try:
        with Kgmem(settings) as kg:
            app = create_app(kg, dev=dev)
            config = uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                lifespan="on",
                proxy_headers=False,
                ws="websockets-sansio",
                ws_max_size=JSON_BYTES,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            )
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            port = listening.getsockname()[1]
            sys.stdout.write(
                f"kgmem is listening on http://{host}:{port}/graphql\n"
                f"{_who(settings.host)}: no token is configured. Stop it with Ctrl+C.\n"
            )
            sys.stdout.flush()
            with _stopped_by_signals():
                uvicorn.Server(config).run([listening])
    finally:
        listening.close()


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let SIGTERM end the server as SIGINT does; uvicorn raises both again once it has shut down."""
    previous = None
    if threading.current_thread() is threading.main_thread():
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        if previous is not None:
            signal.signal(signal.SIGTERM, previous)


def check_host(host: str, *, allow_remote: bool = False) -> socket.AddressFamily:
    """The address family of a host. Raises `UsageError` for one that isn't loopback, unless `allow_remote`."""
    if host.lower() == "localhost":
        return socket.AF_INET
    address = _address(host)
    if allow_remote and address is None:
        raise errors.UsageError(f"{host!r} is no IP address; use one of this machine, or 0.0.0.0 for all it has.")
    if address is None or not (allow_remote or address.is_loopback):
        raise errors.UsageError(
            f"{host} can be reached from other machines, and no token is configured to tell who may; "
            "use 127.0.0.1, ::1 or localhost. Set KGMEM_ALLOW_REMOTE=true only where something else keeps others out."
        )
    return socket.AF_INET if address.version == 4 else socket.AF_INET6


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _who(host: str) -> str:
    address = _address(host)
    if address is None or address.is_loopback:
        return "Only this machine can reach it"
    return "Whoever can reach this address can read and change everything"


def _listen(host: str, port: int, family: socket.AddressFamily) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise errors.UsageError(
            f"{host}:{port} can't be listened on ({error.strerror}); choose another port with --port."
        ) from None
    return listening
