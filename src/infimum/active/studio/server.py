"""serve: the studio on a port of this machine."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from typing import Any

from .desk import Desk


def serve(desk: Desk, port: int = 0, token: str | None = None, ready: Callable[[str], Any] | None = None) -> None:
    """Answer on 127.0.0.1 until interrupted; `ready` is called with the address, token included, once it is open.

    Port 0 takes any that is free.
    """
    import uvicorn

    from .app import create_app

    token = secrets.token_urlsafe(24) if token is None else token
    listener = listening(port)
    own = listener.getsockname()[1]
    config = uvicorn.Config(create_app(desk, token, own), log_level="warning", lifespan="off", server_header=False)
    if ready is not None:
        ready(f"http://127.0.0.1:{own}/?token={token}")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        desk.close()


def listening(port: int) -> socket.socket:
    """A socket on 127.0.0.1.

    It is named as TCP: asyncio sends at once on such sockets alone, and otherwise 40 ms go by with every answer.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    return listener
