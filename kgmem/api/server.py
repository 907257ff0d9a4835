"""`serve`: opens a store and answers GraphQL on this machine until it is told to stop."""

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
    """Serve until SIGINT or SIGTERM. Raises `UsageError` for an address that other machines could reach."""
    family = check_loopback(settings.host)
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
                "Only this machine can reach it: no token is configured. Stop it with Ctrl+C.\n"
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


def check_loopback(host: str) -> socket.AddressFamily:
    """The address family of a loopback host. Raises `UsageError` for any other."""
    if host.lower() == "localhost":
        return socket.AF_INET
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise errors.UsageError(
            f"{host} can be reached from other machines, and no token is configured to tell who may; "
            "use 127.0.0.1, ::1 or localhost."
        )
    return socket.AF_INET if address.version == 4 else socket.AF_INET6


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
