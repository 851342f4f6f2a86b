"""Hostile HTTP requests to the studio: no error of the server, no data without a token, no unacknowledged answer."""

from __future__ import annotations

import asyncio
import functools
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from infimum.active.studio import Journal, Session, read_task
from infimum.active.studio.app import HEADERS, Access, create_app

from .contract import Broken, Case

TOKEN, HOST = "right-token", "127.0.0.1:8000"
SECRET = "only-for-people-with-a-token"
"""Text of a cell, which no response without the token may contain."""
STATIC = ("/studio.js", "/studio.css", "/favicon.ico", "/guide.js", "/logo.svg")


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Studio:
    """A studio in this process, on a table in a folder that is removed when the process ends."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.table = Path(self.folder.name) / "pets.csv"
        rows = [f"{k % 4},{SECRET} {k},{['', 'cat|dog', '', ''][k % 4]}" for k in range(24)]
        self.table.write_text("\n".join(["size,text,label", *rows]) + "\n")
        self.kept: dict[str, Any] = {}
        """The answers that were acknowledged and not taken back, by their id."""
        self.open()

    def open(self) -> None:
        task = read_task(self.table, "label", classes=["cat", "dog", "owl"])
        self.session = Session(task, Journal(self.table.with_suffix(".jsonl"), task.header()), background=False)
        self.app = create_app(self.session, Access({TOKEN: ""}, frozenset({HOST})))

    def call(self, method: str, path: bytes, query: bytes, headers: list[tuple[bytes, bytes]], body: bytes) -> Response:
        """Send one request; whatever the application raises is raised here."""
        sent: list[dict] = []
        parts = [body[:1000], body[1000:]]

        async def receive() -> dict:
            if not parts:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: dict) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path.decode("utf-8", "replace"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }
        with ThreadPoolExecutor(1) as pool:  # this thread may have a running loop, that of a browser test
            pool.submit(asyncio.run, self.app(scope, receive, send)).result()
        start = next(message for message in sent if message["type"] == "http.response.start")
        found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return Response(start["status"], found, b"".join(message.get("body", b"") for message in sent))


@functools.cache
def studio() -> Studio:
    """Return the studio of this process."""
    return Studio()


def strict(body: bytes) -> Any:
    """Parse JSON that has neither NaN nor infinity."""
    return json.loads(
        body, parse_constant=lambda name: (_ for _ in ()).throw(Broken("wrong answer", f"JSON of {name}"))
    )


VIEWS = ("task", "state", "people", "next", "answers", "rows", "review", "guess", "sure")
ACTS = ("join", "answer", "undo", "skip", "accept")
PATHS = st.one_of(
    st.sampled_from([f"/api/{name}" for name in (*VIEWS, *ACTS)]),
    st.sampled_from(
        [
            "/",
            *STATIC,
            "/export/csv",
            "/export/colour",
            "/image/0/text",
            "/image/../pets.csv",
            "//",
            "/api/",
            "/image/0/..%2f..%2fetc%2fpasswd",
            "/image/-1/text",
            f"/image/{'9' * 5000}/text",
            "/nowhere",
            "/export/../pets.csv",
            "/image/0/\x00",
            "/api/state/",
            "/API/STATE",
            "/studio.js/../api/state",
        ]
    ),
    st.text(max_size=20).map(lambda text: "/" + text),
)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.sampled_from([10**30, -1, 1e308, 0.5, "", "cat", "\x00", "a" * 90]),
    st.text(max_size=12),
    st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.text(max_size=4), st.none(), max_size=2),
)
QUESTIONS = st.one_of(
    st.builds(
        lambda kind, row, about: {"type": kind, "row": row, "about": about},
        st.sampled_from(["Is", "OneOf", "Which", "FullLabel", "Below", "x", None]),
        st.one_of(st.integers(-2, 26), ODD),
        st.one_of(st.sampled_from(["cat", "dog", ["cat", "dog"], ["cat"], [], "cow", ["cat", "cat"]]), ODD),
    ),
    ODD,
)
FIELDS = {
    "who": st.one_of(st.sampled_from(["ann", "ben"]), ODD),
    "id": st.one_of(st.integers(0, 10**9).map(lambda k: f"answer-{k:09}"), ODD),
    "question": QUESTIONS,
    "answer": st.one_of(st.sampled_from([True, False, "cat", "dog", "owl", "none of these", None]), ODD),
    "seconds": st.one_of(st.floats(allow_nan=False, allow_infinity=False), ODD),
    "kind": st.one_of(st.sampled_from(["auto", "Is", "FullLabel"]), ODD),
    "row": st.one_of(st.integers(0, 25), ODD),
    "tab": ODD,
    "review": st.one_of(st.booleans(), ODD),
    "answers": st.one_of(
        st.lists(st.tuples(st.integers(-1, 25), st.sampled_from(["cat", "cow", None])), max_size=3), ODD
    ),
}
IDS = st.integers(0, 10**9).map(lambda k: f"answer-{k:09}")
VALID = {
    "join": {"who": st.sampled_from(["ann", "ben"])},
    "answer": {
        "who": st.sampled_from(["ann", "ben"]),
        "id": IDS,
        "question": st.builds(
            lambda kind, row, about: {"type": kind, "row": row, "about": about},
            st.sampled_from(["Is", "FullLabel"]),
            st.integers(0, 23),
            st.sampled_from(["cat", "dog", "owl"]),
        ),
        "answer": st.sampled_from([True, False, "cat", "dog", "owl", None]),
    },
    "undo": {"who": st.sampled_from(["ann", "ben"])},
    "skip": {"who": st.sampled_from(["ann", "ben"]), "row": st.integers(0, 23)},
    "accept": {
        "who": st.just("ann"),
        "id": IDS,
        "answers": st.lists(st.tuples(st.integers(0, 23), st.sampled_from(["cat", "owl"])), min_size=1, max_size=3),
    },
}
"""What the page itself sends: requests that are accepted, unless they contradict what is stored."""
RAW = st.one_of(
    st.fixed_dictionaries({}, optional=FIELDS).map(lambda given: json.dumps(given).encode()),
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"",
            b"null",
            b"[]",
            b"{",
            b"[" * 60_000,
            b'{"a":' * 12_000,
            b'{"who": NaN}',
            b"\xff\xfe",
            b"1e999",
            b'{"who": "ann", "answer": 1e999}',
            b'{"who":"' + b"a" * 70_000 + b'"}',
            b'{"who": "\\ud800"}',
        ]
    ),
)
WORDS = st.sampled_from(["ann", "", "0", "-1", "auto", "9" * 5000, "1e5", "%00", "%ff", "NaN", "all", "Is", "23"])
QUERIES = st.builds(
    "who={}&kind={}&row={}&offset={}&search={}&filter={}&queue={}".format,
    *[st.one_of(WORDS, st.text("abz019%&=+", max_size=6))] * 7,
)
HOSTS = st.sampled_from([HOST, "evil.example:8000", "127.0.0.1", "", "localhost:8000", "[::1", "\xff"])
ORIGINS = st.sampled_from(
    [f"http://{HOST}", None, "null", "http://[::1", "http://evil.example", f"https://{HOST}", "\xff"]
)
TOKENS = st.sampled_from([TOKEN, None, "", "guess", TOKEN + "x", TOKEN[:-1], "\xff", "a" * 5000])
METHODS = st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "x"])


@st.composite
def requests(draw: Any) -> Case:
    """A request of the page with up to two fields replaced, of a page that reads, or of anybody."""
    sender = draw(st.sampled_from(["page", "page", "reader", "stranger"]))
    host, origin, token, in_query, body = HOST, f"http://{HOST}", TOKEN, draw(st.booleans()), b""
    query: str = draw(st.one_of(st.just(""), QUERIES))
    if sender == "page":
        act = draw(st.sampled_from(["answer", "answer", *ACTS]))
        given = draw(st.fixed_dictionaries(VALID[act]))
        for name in draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=2)):
            given[name] = draw(FIELDS[name])
        method, path = "POST", f"/api/{act}"
        body = json.dumps(given).encode() if draw(st.integers(0, 9)) else draw(RAW)
    elif sender == "reader":
        method, path = "GET", draw(st.one_of(st.sampled_from([f"/api/{name}" for name in VIEWS]), PATHS))
    else:
        method, path, host, origin, token = draw(METHODS), draw(PATHS), draw(HOSTS), draw(ORIGINS), draw(TOKENS)
        query = draw(st.one_of(QUERIES, st.text(st.characters(max_codepoint=255), max_size=30)))
        body = b"" if method in ("GET", "HEAD") else draw(RAW)
    headers = [(b"host", host.encode("latin-1"))]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1")))
    if token is not None and not in_query:
        headers.append((b"x-token", token.encode("latin-1")))
    if token is not None and in_query:
        query = f"token={token}&{query}"
    own = host == HOST and token == TOKEN and origin in (None, f"http://{HOST}")
    own = own and (origin is not None or method in ("GET", "HEAD"))
    raw = path.encode("utf-8", "replace")

    def run() -> None:
        try:
            check_response(studio(), method, raw, query.encode("latin-1", "replace"), headers, body, own)
        except Broken:
            studio.cache_clear()  # what follows is not blamed on this request
            raise

    return Case(run, note=f"{method} {path!r:.80}?{query!r:.60} {host} {origin} {token!r:.20} {body!r:.200}")


def check_response(at: Studio, method: str, path: bytes, query: bytes, headers: list, body: bytes, own: bool) -> None:
    """Send a request, and compare the response and what the studio has stored with what is documented."""
    before = at.table.with_suffix(".jsonl").read_bytes()
    try:
        found = at.call(method, path, query, headers, body)
    except Exception as error:
        raise Broken("server error", f"{type(error).__name__}: {error}") from error
    after = at.table.with_suffix(".jsonl").read_bytes()
    if found.status >= 500:
        raise Broken("server error", f"{found.status} {found.body[:200]!r}")
    if not after.startswith(before):
        raise Broken("wrong answer", "the journal was changed, not appended to")
    for name, value in HEADERS.items():
        if found.headers.get(name.lower()) != value:
            raise Broken("wrong answer", f"the response has no {name}")
    if not own and (
        after != before or SECRET.encode() in found.body or (found.status == 200 and found.body[:1] == b"{")
    ):
        raise Broken("wrong answer", f"{found.status} without access: {found.body[:100]!r}")
    if found.status != 200 and after != before:
        raise Broken("wrong answer", f"{found.status}, and the journal has a new line: {after[len(before) :][:200]!r}")
    if own and path.startswith(b"/api/") and found.status in (200, 400, 409, 413, 422):
        answer = strict(found.body) if method != "HEAD" else {}
        if found.status != 200 and not str(answer.get("error", "")).strip():
            raise Broken("wrong answer", f"{found.status} without words")
        acknowledge(at, path.decode(), answer, body) if found.status == 200 and method == "POST" else None
    check_state(at)


def acknowledge(at: Studio, path: str, answer: dict, body: bytes) -> None:
    """Note what the studio has promised to keep, and what it has taken back."""
    stored = {entry.id: entry.answer for entry in at.session.pool.entries}
    if path == "/api/answer" and answer.get("kept") not in stored:
        raise Broken("wrong answer", f"an answer was acknowledged and is not stored: {body[:200]!r}")
    if path in ("/api/answer", "/api/accept", "/api/undo"):
        at.kept = stored


def check_state(at: Studio) -> None:
    """The state can be read, and after every tenth new answer the studio opens again with all of them."""
    headers = [(b"host", HOST.encode()), (b"x-token", TOKEN.encode())]
    state = at.call("GET", b"/api/state", b"who=ann", headers, b"")
    if state.status != 200 or strict(state.body)["answers"] != len(at.session.pool.entries):
        raise Broken("wrong answer", f"/api/state: {state.status} {state.body[:200]!r}")
    if {entry.id: entry.answer for entry in at.session.pool.entries} != at.kept:
        raise Broken("wrong answer", "answers have changed without an acknowledgement")
    if len(at.kept) % 10 == 9:
        at.session.close()
        at.open()
        if {entry.id: entry.answer for entry in at.session.pool.entries} != at.kept:
            raise Broken("wrong answer", "acknowledged answers are gone after a restart")
