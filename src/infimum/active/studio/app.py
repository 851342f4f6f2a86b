"""The web application: its requests, and the checks that they come from this machine."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from ...data.errors import InputError
from .. import Contradiction
from .export import FORMATS, export
from .session import Session
from .views import answers_view, question_view, row_view, state_view

HOSTS = ("127.0.0.1", "localhost")
BODY = 2**16  # bytes of a request at most
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
        " form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FILES = {"": ("index.html", "text/html; charset=utf-8"), "studio.js": ("studio.js", "text/javascript; charset=utf-8"),
         "studio.css": ("studio.css", "text/css; charset=utf-8")}  # fmt: skip


class Guard:
    """Middleware that accepts only requests of this web app: it checks the Host, the Origin and the token.

    Another site that resolves to 127.0.0.1 has another Host, and a request from another site has another Origin. Other
    programs on the machine do not have the token.
    """

    def __init__(self, app: Any, token: str, port: int):
        self.app, self.token, self.port = app, token, port

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request = Request(scope)
        problem = self.problem(request)
        if problem is not None:
            await JSONResponse({"error": problem}, 403, HEADERS)(scope, receive, send)
            return

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
                message["headers"] = [(k, v) for k, v in message["headers"] if k not in own] + list(own.items())
            await send(message)

        await self.app(scope, receive, sent)

    def problem(self, request: Request) -> str | None:
        """Return why a request is rejected; None if it is accepted."""
        hosts = {f"{host}:{self.port}" for host in HOSTS}
        if request.headers.get("host") not in hosts:
            return "Open the studio by the address that it printed: this Host is not its own."
        origin = request.headers.get("origin")
        if origin is not None and (urlsplit(origin).scheme != "http" or urlsplit(origin).netloc not in hosts):
            return "This request comes from another site."
        if request.method not in ("GET", "HEAD") and origin is None:
            return "Only the web app of the studio can post answers."
        path = request.url.path.strip("/")
        if path in ("studio.js", "studio.css", "favicon.ico"):
            return None  # they contain no data
        given = request.headers.get("x-token") or request.query_params.get("token") or ""
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return "The token is missing or wrong: open the address that the studio printed when it was started."
        return None


def create_app(session: Session, token: str, port: int) -> Any:
    """Return the application of a session, for uvicorn."""
    routes = [
        Route("/", static), Route("/studio.js", static), Route("/studio.css", static), Route("/favicon.ico", no_icon),
        Route("/api/state", _get(lambda session, q: state_view(session, q.get("who", "")))),
        Route("/api/next", _get(lambda session, q: _next(session, q.get("who", ""), q.get("kind", "auto")))),
        Route("/api/answers", _get(lambda s, q: answers_view(s, q.get("search", ""), int(q.get("offset", 0))))),
        Route("/api/answer", _post(_answer), methods=["POST"]),
        Route("/api/undo", _post(_undo), methods=["POST"]),
        Route("/api/skip", _post(_skip), methods=["POST"]),
        Route("/api/export", _post(_export), methods=["POST"]),
        Route("/image/{row:int}/{column:path}", image),
    ]  # fmt: skip
    app = Starlette(routes=routes)
    app.state.session = session
    return Guard(app, token, port)


async def static(request: Request) -> Response:
    name, kind = FILES[request.url.path.strip("/")]
    return Response(files("infimum.active.studio").joinpath("web", name).read_bytes(), media_type=kind)


async def no_icon(request: Request) -> Response:
    return Response(status_code=204)


async def image(request: Request) -> Response:
    session: Session = request.app.state.session
    found = session.task.image(request.path_params["row"], request.path_params["column"])
    if found is None:
        return JSONResponse({"error": "There is no such image in the folder of the table."}, 404)
    return FileResponse(found[0], media_type=found[1])


def _get(view: Callable) -> Any:
    async def endpoint(request: Request) -> Response:
        return await _response(lambda: view(request.app.state.session, request.query_params))

    return endpoint


def _post(act: Callable) -> Any:
    async def endpoint(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > BODY:
                return JSONResponse({"error": f"A request has at most {BODY} bytes."}, 413)
        try:
            given = json.loads(body)
        except ValueError:
            return JSONResponse({"error": "A request must be JSON."}, 400)
        if not isinstance(given, dict) or not isinstance(given.get("who"), str) or not 0 < len(given["who"]) <= 80:
            return JSONResponse({"error": "A request must contain who sends it: a text of at most 80 characters."}, 400)
        return await _response(lambda: act(request.app.state.session, given))

    return endpoint


async def _response(work: Callable[[], Any]) -> Response:
    """Return the result as JSON, or an error with its status; a contradiction is 409."""
    try:
        return JSONResponse(await run_in_threadpool(work))
    except Contradiction as error:
        return JSONResponse({"error": str(error), "row": error.row}, 409)
    except InputError as error:
        return JSONResponse({"error": str(error)}, 422)
    except (ValueError, TypeError, KeyError) as error:
        return JSONResponse({"error": f"This request cannot be understood: {error}"}, 400)
    except OSError as error:  # a full disk: nothing was acknowledged
        return JSONResponse({"error": f"The answer could not be written: {error}"}, 507)


def _next(session: Session, who: str, kind: str) -> dict:
    question = session.next(who, kind)
    found = None if question is None else {"question": question_view(question), "row": row_view(session, question.row)}
    return {"next": found, "state": state_view(session, who)}


def _answer(session: Session, given: dict) -> dict:
    id = given.get("id")
    if not isinstance(id, str) or not 8 <= len(id) <= 64:
        raise InputError("An answer has an id of 8 to 64 characters, so that it counts once.")
    session.answer(id, given["who"], given.get("question", {}), given.get("answer"), given.get("seconds"))
    return {"kept": id, **_next(session, given["who"], given.get("kind", "auto"))}


def _undo(session: Session, given: dict) -> dict:
    entry = session.undo(given["who"], given.get("id"))
    undone = None
    if entry is not None:
        asked = {"question": question_view(entry.question), "row": row_view(session, entry.question.row)}
        undone = {**asked, "answer": entry.question.answer_text(entry.answer)}
    return {"undone": undone, "state": state_view(session, given["who"])}


def _skip(session: Session, given: dict) -> dict:
    session.skip(given["who"], int(given["row"]))
    return _next(session, given["who"], given.get("kind", "auto"))


def _export(session: Session, given: dict) -> dict:
    form = given.get("form")
    if form not in FORMATS:
        raise InputError(f"The formats are {', '.join(FORMATS)}. Got {form!r}.")
    return {"path": str(export(session, str(form)))}
