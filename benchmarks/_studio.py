"""Answers a minute that the studio holds: the real server in a process of its own, people who answer at once."""

from __future__ import annotations

import csv
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from infimum.active import from_dict
from infimum.outputs import Labels

SECONDS = 20.0  # for which answers are counted, once a person has given the first
TOKEN = "a-token-of-the-benchmark"


class Table(NamedTuple):
    path: Path
    truth: list[str]
    classes: list[str]


class Tally(NamedTuple):
    answers: int
    slowest: float
    """Seconds of the slowest of a hundred answers (99 %), from sending it to having the next question."""
    behind: float
    """How many answers the model had not seen when it chose a question, in the median."""


def digits(folder: Path) -> Table:
    data = load_digits()
    return _written(folder / "digits.csv", data.data, data.target)


def blobs(folder: Path, n: int = 5000) -> Table:
    rng = np.random.default_rng(0)
    truth = rng.integers(10, size=n)
    return _written(folder / "blobs.csv", rng.normal(size=(10, 20))[truth] + rng.normal(size=(n, 20)), truth)


def _written(path: Path, X: Any, truth: Any) -> Table:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{k}" for k in range(X.shape[1])])
        writer.writerows([f"{value:.5g}" for value in row] for row in X)
    return Table(path, [str(t) for t in truth], [str(k) for k in range(10)])


class Server:
    """`infimum studio` in a process of its own, on one thread of the linear algebra."""

    def __init__(self, table: Table):
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "INFIMUM_TOKEN": TOKEN, "COLUMNS": "300"}
        code = "from infimum.cli import app; app()"
        command = [sys.executable, "-c", code, "studio", str(table.path), "--target", "label", "--classes",
                   ",".join(table.classes)]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **one})
        assert self.process.stdout is not None
        found = next(filter(None, (re.search(r"127\.0\.0\.1:(\d+)/", line) for line in self.process.stdout)), None)
        if found is None:
            raise RuntimeError("the studio did not start")
        self.port = int(found[1])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


class Person(threading.Thread):
    """Answers what is asked, at once and truly, on one connection."""

    def __init__(self, port: int, table: Table, name: str):
        super().__init__(name=name, daemon=True)
        self.port, self.table = port, table
        self.space = Labels(classes=table.classes).fit([])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.took: list[float] = []
        self.behind: list[int] = []
        self.problem: str | None = None

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        sent = {"X-Token": TOKEN, "Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), sent)
        response = self.connection.getresponse()
        found = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {found}")
        return found

    def run(self) -> None:
        try:
            self._answer()
        except (RuntimeError, OSError) as error:
            self.problem = str(error)

    def _answer(self) -> None:
        found = self.call("GET", f"/api/next?who={self.name}")
        start = time.perf_counter()
        while found["next"] is not None and time.perf_counter() - start < SECONDS:
            asked = found["next"]["question"]["asked"]
            z = self.table.classes.index(self.table.truth[asked["row"]])
            answer = from_dict(asked, self.space).true_answer(z)
            before = time.perf_counter()
            body = {"id": uuid.uuid4().hex, "who": self.name, "question": asked, "answer": answer, "seconds": 1.0}
            found = self.call("POST", "/api/answer", body)
            self.took.append(time.perf_counter() - before)
            self.behind.append(found["state"]["answers"] - found["state"]["learned"])


def held(table: Table, people: int) -> Tally:
    """Return how many answers so many people give in `SECONDS`, or until all rows are labelled."""
    with Server(table) as server:
        crowd = [Person(server.port, table, f"person{k}") for k in range(people)]
        start = time.perf_counter()
        for person in crowd:
            person.start()
        for person in crowd:
            person.join()
        spent = time.perf_counter() - start
    problem = next((person.problem for person in crowd if person.problem), None)
    if problem is not None:
        raise RuntimeError(problem)
    took = [t for person in crowd for t in person.took]
    behind = [b for person in crowd for b in person.behind]
    return Tally(round(len(took) * 60 / spent), float(np.quantile(took, 0.99)), float(np.median(behind)))


def measure(table: Any) -> None:
    """One and two people on the digits and on 5,000 rows."""
    for name, write in (("digits, 1,797 rows", digits), ("5,000 rows", blobs)):
        for people in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                tally = held(write(Path(folder)), people)
            words = f"{tally.answers:,}, slowest {tally.slowest * 1e3:.0f} ms, {tally.behind:.0f} behind"
            who = "one person" if people == 1 else "two people"
            table.row(f"answers per minute, {name}, {who}", words, "at least 1,000", tally.answers >= 1000)
