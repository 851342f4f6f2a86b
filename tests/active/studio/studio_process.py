"""A table of digit images, and a studio in a process of its own."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from infimum.active.studio import Journal, Session, read_task

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "src"
ROWS = 300


def digits_table(folder: Path, n: int = ROWS) -> tuple[Path, list[str]]:
    """n images of digits, a table that names them, and the digits."""
    Image = pytest.importorskip("PIL.Image", reason="images are written by Pillow")
    from sklearn.datasets import load_digits

    data = load_digits()
    (folder / "images").mkdir()
    for k in range(n):
        Image.fromarray((data.images[k] * 15.9).astype("uint8")).save(folder / "images" / f"{k}.png")
    path = folder / "digits.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "label"])
        writer.writerows([f"images/{k}.png", ""] for k in range(n))
    return path, [str(digit) for digit in data.target[:n]]


def certificate(folder: Path) -> tuple[str, ...]:
    """Make a certificate for this machine; return the options that use it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(folder / "k.pem"), "-out", str(folder / "c.pem")]
    subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names, *files], check=True,
                   capture_output=True)  # fmt: skip
    return "--certificate", str(folder / "c.pem"), "--key", str(folder / "k.pem")


class Studio:
    """`infimum studio` in a process of its own."""

    def __init__(self, table: Path, *options: str):
        self.table, self.options = table, options
        self.process = None

    def start(self):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                       "COLUMNS": "300"}  # fmt: skip
        if "--people" not in self.options:
            environment["INFIMUM_TOKEN"] = "a-token-for-tests"
        command = [sys.executable, "-c", "from infimum.cli import app; app()", "studio", str(self.table), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        printed, self.people, self.tokens = "", {}, {}
        named = self.options[self.options.index("--people") + 1].split(",") if "--people" in self.options else [""]
        for line in self.process.stdout:
            printed += line
            found = re.search(r"https?://127\.0\.0\.1:(\d+)/\?token=(\S+)", line)
            if found:
                self.port, self.token = int(found[1]), found[2]
                self.address = found[0]
                name = line.partition(": open ")[0]
                self.people[name], self.tokens[name] = found[0], found[2]
                if len(self.people) == len(named):
                    return self
        raise AssertionError(f"the studio did not start: {printed}")

    def kill(self, how=signal.SIGKILL):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(timeout=30)
            self.process.stdout.close()
            self.process = None

    def call(self, path, body=None, **headers):
        """(status, what came back); headers=None leaves one out."""
        own = f"http://127.0.0.1:{self.port}"
        sent = {"X-Token": self.token, "Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            sent["Origin"] = own
        for name, value in headers.items():
            sent[name.replace("_", "-")] = value
        sent = {name: value for name, value in sent.items() if value is not None}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(own + path, data=data, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read()
                return response.status, json.loads(text) if text[:1] in b"{[" else text
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def journal(self):
        path = self.table.with_name(f"{self.table.name}.answers.jsonl")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def opened(table, **settings):
    """Return a session about the labels of a table, which learns in the foreground."""
    task = read_task(table, "label", classes=["cat", "dog", "owl"])
    journal = Journal(table.with_name("journal.jsonl"), task.header())
    return Session(task, journal, background=False, **settings)
