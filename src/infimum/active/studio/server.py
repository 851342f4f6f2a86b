"""Server of the studio on a port of this machine."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from typing import Any

from .session import Session


def serve(session: Session, port: int = 0, token: str | None = None, ready: Callable[[str], Any] | None = None) -> None:
    """Serve the web app on 127.0.0.1 until it is interrupted.

    `ready` is called with the address, including the token, as soon as the port is open. Port 0 stands for any free
    port.
    """
    import uvicorn

    from .app import create_app

    token = secrets.token_urlsafe(24) if token is None else token
    listener = listening(port)
    own = listener.getsockname()[1]
    config = uvicorn.Config(create_app(session, token, own), log_level="warning", lifespan="off", server_header=False)
    if ready is not None:
        ready(f"http://127.0.0.1:{own}/?token={token}")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        session.close()


def listening(port: int) -> socket.socket:
    """Return a socket on 127.0.0.1.

    It is declared as TCP because asyncio sets TCP_NODELAY only on such sockets; otherwise each answer takes 40 ms more.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    return listener
