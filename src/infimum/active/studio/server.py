"""Server of the studio, on this machine or for a team."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Any

from ...data.errors import InputError
from .session import Session


def serve(
    session: Session, port: int = 0, token: str | None = None, ready: Callable[[dict[str, str]], Any] | None = None, *,
    host: str = "127.0.0.1", people: Sequence[str] = (), certificate: Any = None, key: Any = None,
) -> None:  # fmt: skip
    """Serve the web app until it is interrupted.

    Parameters
    ----------
    session : Session
        The session.
    port : int, default 0
        The port; 0 stands for any free one.
    token : str, optional
        The token that all people share; by default a new one.
    ready : callable, optional
        Called with the address for each person, including the token, as soon as the port is open. Without `people`,
        the only address has the name "".
    host : str, default "127.0.0.1"
        The address or name on which the server listens; "0.0.0.0" listens on all addresses of this machine.
    people : list of str
        Names of people; each of them has a token of their own.
    certificate, key : path, optional
        Files of a certificate and of its private key, for HTTPS.
    """
    import uvicorn

    from .app import LOCAL, Access, create_app

    if people and token is not None and len(people) > 1:
        raise InputError(
            "--token cannot be combined with several people, who each get a token of their own. Leave out --token."
        )
    if len(set(people)) < len(people):
        raise InputError(f"The names of people must be distinct. Got {', '.join(people)}.")
    names = {name: secrets.token_urlsafe(24) for name in people} or {"": token or secrets.token_urlsafe(24)}
    if people and token is not None:
        names = {people[0]: token}
    listener = listening(port, host)
    own, scheme = listener.getsockname()[1], "http" if certificate is None else "https"
    local = _is_local(host)
    # other addresses of this machine cannot all be known; the token protects them, and Origin must equal Host
    hosts = frozenset(f"{name}:{own}" for name in {*LOCAL, host}) if local else frozenset()
    access = Access({given: name for name, given in names.items()}, hosts, scheme)
    settings: dict[str, Any] = {} if certificate is None else {"ssl_certfile": certificate, "ssl_keyfile": key}
    config = uvicorn.Config(
        create_app(session, access), log_level="warning", lifespan="off", server_header=False, **settings
    )
    if ready is not None:
        shown = socket.gethostname() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        for name in people:
            session.join(name)
        ready({name: f"{scheme}://{shown}:{own}/?token={given}" for name, given in names.items()})
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        session.close()


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(port: int, host: str = "127.0.0.1") -> socket.socket:
    """Return a socket on an address of this machine.

    It is declared as TCP because asyncio sets TCP_NODELAY only on such sockets; otherwise each answer takes 40 ms more.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"The studio cannot listen on {host}, port {port}: {error.strerror or error}.") from None
    listener.listen(128)
    return listener
