"""The web application: its requests, and the checks that they come from people with a token."""

from __future__ import annotations

import contextlib
import hmac
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from ...data.errors import InputError
from ...data.images import thumbnail
from .. import Contradiction
from .export import export
from .journal import parse
from .pool import TableContradiction
from .session import Session
from .views import (
    answers_view,
    guess_view,
    people_view,
    question_view,
    review_view,
    row_view,
    rows_view,
    state_view,
    sure_view,
    task_view,
)  # fmt: skip

LOCAL = ("127.0.0.1", "localhost", "[::1]")
BODY = 2**16  # bytes of a request at most
SIDE = 240  # pixels of an image in a list
N_THUMBNAILS = 512  # small images that are kept in memory
MAX_NAME = 40  # characters of the name of a person
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FILES = {"": ("index.html", "text/html; charset=utf-8"), "studio.css": ("studio.css", "text/css; charset=utf-8")}
SCRIPTS = ("studio.js", "panels.js", "parts.js", "guidelines.js")
FILES |= {name: (name, "text/javascript; charset=utf-8") for name in SCRIPTS}
REJECTED = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)
"""Errors of what a client has sent."""


class Access(NamedTuple):
    """Who may use the studio, and by which addresses."""

    tokens: dict[str, str]
    """Token -> name of the person; "" for a token that people share, who then enter their names."""
    hosts: frozenset[str]
    """Accepted values of the header Host; empty accepts all."""
    scheme: str = "http"


class Guard:
    """Middleware that accepts only requests of this web app: it checks the Host, the Origin and the token.

    Another site that resolves to this machine has another Host, and a request from another site has another Origin.
    Other programs do not have the token.
    """

    def __init__(self, app: Any, access: Access):
        self.app, self.access = app, access

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request = Request(scope)
        if not scope["query_string"].isascii():  # other characters of an address are percent-encoded
            await JSONResponse({"error": "The address must be ASCII text."}, 400, HEADERS)(scope, receive, send)
            return
        problem = self.problem(request)
        if problem is not None:
            await JSONResponse({"error": problem}, 403, HEADERS)(scope, receive, send)
            return
        scope["person"] = self.access.tokens.get(_token(request), "")

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
                message["headers"] = [(k, v) for k, v in message["headers"] if k not in own] + list(own.items())
            await send(message)

        await self.app(scope, receive, sent)

    def problem(self, request: Request) -> str | None:
        """Return why a request is rejected; None if it is accepted."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if self.access.hosts and host not in self.access.hosts:
            return "Open the studio by the address that it printed: this Host is not its own."
        if origin is not None and origin != f"{self.access.scheme}://{host}":
            return "This request comes from another site."
        if request.method not in ("GET", "HEAD") and origin is None:
            return "Only the web app of the studio can post answers."
        if request.url.path.strip("/") in (*FILES, "favicon.ico") and request.url.path != "/":
            return None  # they contain no data
        given = _token(request).encode()
        if not any([hmac.compare_digest(given, token.encode()) for token in self.access.tokens]):
            return "The token is missing or wrong: open the address that the studio printed when it was started."
        return None


def _token(request: Request) -> str:
    return request.headers.get("x-token") or request.query_params.get("token") or ""


def create_app(session: Session, access: Access) -> Any:
    """Return the application of a session, for uvicorn."""
    views: dict[str, Callable] = {
        "task": lambda s, q, who: {**task_view(s), "you": who},
        "state": lambda s, q, who: state_view(s, who or q.get("who", "")),
        "people": lambda s, q, who: people_view(s),
        "next": lambda s, q, who: _next(s, {**q, "who": who or q.get("who", "")}),
        "answers": lambda s, q, who: answers_view(s, q.get("search", ""), int(q.get("offset", 0))),
        "rows": lambda s, q, who: rows_view(s, q.get("search", ""), q.get("filter", "all"), int(q.get("offset", 0))),
        "review": lambda s, q, who: review_view(s, q.get("queue", "")),
        "guess": lambda s, q, who: guess_view(s, int(q.get("row", -1))),
        "sure": lambda s, q, who: sure_view(s),
    }
    acts = {"join": _join, "answer": _answer, "undo": _undo, "skip": _skip, "accept": _accept}
    routes = [
        *(Route(f"/{name}", static) for name in FILES), Route("/favicon.ico", no_icon),
        *(Route(f"/api/{name}", _get(view)) for name, view in views.items()),
        *(Route(f"/api/{name}", _post(act), methods=["POST"]) for name, act in acts.items()),
        Route("/export/{form}", download), Route("/image/{row}/{column:path}", image),
    ]  # fmt: skip
    app = Starlette(routes=routes)
    app.state.session = session
    return Guard(app, access)


async def static(request: Request) -> Response:
    name, kind = FILES[request.url.path.strip("/")]
    return Response(files("infimum.active.studio").joinpath("web", name).read_bytes(), media_type=kind)


async def no_icon(request: Request) -> Response:
    return Response(status_code=204)


async def image(request: Request) -> Response:
    session: Session = request.app.state.session
    row = request.path_params["row"]
    found = None
    if len(row) < 12 and row.isdecimal():
        found = session.task.image(int(row), request.path_params["column"])
    if found is None:
        return JSONResponse({"error": "There is no such image in the folder of the table."}, 404)
    if request.query_params.get("small") == "1":
        with contextlib.suppress(ValueError, ImportError, OSError):  # it cannot be decoded: the browser may try
            small = await run_in_threadpool(_thumbnail, found[0], found[0].stat().st_mtime)
            return Response(small, media_type="image/png")
    return FileResponse(found[0], media_type=found[1])


@lru_cache(N_THUMBNAILS)
def _thumbnail(path: Path, changed: float) -> bytes:
    return thumbnail(path, SIDE)


async def download(request: Request) -> Response:
    session, form = request.app.state.session, request.path_params["form"]
    people = request.query_params.get("people") == "1"

    def written() -> tuple[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = export(session, form, folder, people)
            return path.name, path.read_bytes()

    try:
        name, data = await run_in_threadpool(written)
    except InputError as error:
        return JSONResponse({"error": str(error)}, 422)
    kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(kept)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


def _get(view: Callable) -> Any:
    async def endpoint(request: Request) -> Response:
        who = request.scope["person"]
        return await _response(lambda: view(request.app.state.session, request.query_params, who))

    return endpoint


def _post(act: Callable) -> Any:
    async def endpoint(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > BODY:
                return JSONResponse({"error": f"A request has at most {BODY} bytes."}, 413)
        try:
            given = parse(body)
        except ValueError as error:
            return JSONResponse({"error": f"A request must be a JSON object: {error}."}, 400)
        given["who"] = request.scope["person"] or given.get("who")
        if not _is_name(given["who"]):
            words = f"A request must contain the name of the person who sends it, of at most {MAX_NAME} characters."
            return JSONResponse({"error": words}, 400)
        return await _response(lambda: act(request.app.state.session, given))

    return endpoint


def _is_name(who: Any) -> bool:
    return isinstance(who, str) and 0 < len(who) <= MAX_NAME and who.isprintable() and who == who.strip()


async def _response(work: Callable[[], Any]) -> Response:
    """Return the result as JSON, or an error with its status; a contradiction is 409."""
    try:
        return JSONResponse(await run_in_threadpool(work))
    except Contradiction as error:
        in_table = isinstance(error, TableContradiction)
        return JSONResponse({"error": str(error), "row": error.row, "table": in_table}, 409)
    except InputError as error:
        return JSONResponse({"error": str(error)}, 422)
    except REJECTED as error:
        return JSONResponse({"error": f"This request cannot be understood: {error!s:.200}"}, 400)
    except OSError as error:  # a full disk: nothing was acknowledged
        return JSONResponse({"error": f"The answer could not be written: {error}"}, 507)


def _next(session: Session, given: Mapping) -> dict:
    who, tab, row = given["who"], str(given.get("tab", ""))[:MAX_NAME], given.get("row")
    question = session.next(who, given.get("kind", "auto"), None if row is None else int(row), tab)
    found = None
    if question is not None:
        view = question_view(session, question, session.purpose(question.row, who, tab))
        found = {"question": view, "row": row_view(session, question.row)}
    return {"next": found, "state": state_view(session, who)}


def _join(session: Session, given: dict) -> dict:
    session.join(given["who"])
    return task_view(session)


def _answer(session: Session, given: dict) -> dict:
    review = given.get("review") is True
    session.check_kind(given.get("kind", "auto"))  # before anything is stored
    entry = session.answer(
        _id(given), given["who"], given.get("question", {}), given.get("answer"), given.get("seconds"), review,
        str(given.get("tab", ""))[:MAX_NAME],
    )  # fmt: skip
    found = {"kept": entry.id, "disagrees": entry.question.row in session.pool.disagreements}
    if review:
        return {**found, "state": state_view(session, given["who"])}
    return {**found, **_next(session, {**given, "row": None})}


def _id(given: dict) -> str:
    id = given.get("id")
    if not isinstance(id, str) or not 8 <= len(id) <= 64:
        raise InputError(
            "The id of an answer must be a text of 8 to 64 characters. It prevents that an answer counts twice."
        )
    return id


def _accept(session: Session, given: dict) -> dict:
    entries = session.accept(_id(given), given["who"], given.get("answers", []))
    return {"kept": len(entries), "state": state_view(session, given["who"])}


def _undo(session: Session, given: dict) -> dict:
    gone = session.undo(given["who"], given.get("id"), str(given.get("tab", ""))[:MAX_NAME])
    undone = None
    if gone:
        question = gone[-1].question
        asked = {"question": question_view(session, question, gone[-1].purpose), "row": row_view(session, question.row)}
        undone = {**asked, "answer": question.answer_text(gone[-1].answer), "count": len(gone),
                  "mine": gone[-1].who == given["who"]}  # fmt: skip
    return {"undone": undone, "state": state_view(session, given["who"])}


def _skip(session: Session, given: dict) -> dict:
    session.skip(given["who"], given.get("row"))  # type: ignore[arg-type]
    return _next(session, {**given, "row": None})
