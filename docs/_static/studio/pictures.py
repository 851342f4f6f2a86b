"""The figures of the page about the studio, made by simulated people: python pictures.py.

Needs playwright and a chromium. Ann and Bob are always right; Cem is often wrong.
"""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
GUIDELINES = """Read the whole message. If two classes fit, choose the team that has to act.

## account

Login, password, profile, users of a team.

- **Not** the price or the invoice: that is *billing*.

## billing

Invoices, payments and prices.

- Charged twice is billing.
- A customer who wants the money back is *refund*.

## delivery

Parcels, couriers, tracking numbers, missing parts.

## refund

The customer wants the money back, or waits for it.

## technical

The app or the website does not work.
"""
SIZES = {"wide": (1280, 800), "tablet": (768, 1024), "phone": (390, 844)}


class Studio:
    """A studio in a process of its own."""

    def __init__(self, table: Path, truth: list[str], *options: str):
        self.truth = truth
        code = "from infimum.cli import app; app()"
        command = [sys.executable, "-c", code, "studio", str(table), "--target", "label", "--people", "Ann,Bob,Cem"]
        self.process = subprocess.Popen(
            [*command, "--overlap", "2", "--overlap-share", "0.6", *options], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "COLUMNS": "300"},
        )  # fmt: skip
        self.addresses: dict[str, str] = {}
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.match(r"(\w+): open (\S+)", line)
            if found:
                self.addresses[found[1]] = found[2]
            if len(self.addresses) == 3:
                break

    def call(self, who: str, path: str, body: dict | None = None) -> dict:
        """Send a request of a person; return the response."""
        origin, token = self.addresses[who].split("/?token=")
        data = None if body is None else json.dumps({**body, "tab": "simulated"}).encode()
        request = urllib.request.Request(origin + path, data, {"X-Token": token, "Origin": origin})
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read())

    def answer(self, who: str, count: int, errors: float, seed: int) -> None:
        """Give answers, a share of which is wrong."""
        rng = random.Random(seed)
        found = self.call(who, "/api/next?tab=simulated")
        for k in range(count):
            if found["next"] is None:
                return
            question, row = found["next"]["question"], found["next"]["row"]["row"]
            names = sorted(set(self.truth))
            label = rng.choice(names) if rng.random() < errors else self.truth[row]
            body = {"id": f"{who}-{k:08}", "question": question["asked"], "answer": _answer(question, label),
                    "seconds": rng.uniform(1.2, 3.5)}  # fmt: skip
            try:
                found = self.call(who, "/api/answer", body)
            except urllib.error.HTTPError:  # a wrong answer that contradicts an earlier one
                found = self.call(who, "/api/skip", {"row": row})
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def _answer(question: dict, label: str) -> Any:
    if question["input"] == "yes-no":
        return label in question["about"]
    values = [option["value"] for option in question["options"]]
    return label if label in values else values[-1]


def tickets(folder: Path) -> tuple[Path, list[str]]:
    """Write the shipped tickets without their labels; return the table and the labels."""
    source = files("infimum").joinpath("datasets", "tables", "tickets_new.csv")
    with source.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    path = folder / "tickets.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "message", "plan", "label"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "label": ""} for row in rows)
    return path, [row["label"] for row in rows]


def opened(browser: Any, address: str, size: str, scheme: str = "light") -> Any:
    """Open the studio in a window."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=size != "wide"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#ask:not([aria-busy]) #options button")
    page.wait_for_timeout(1500)
    return page


def main() -> None:
    """Take all screenshots."""
    from infimum.active.studio.demo import demo_table

    folder = Path(tempfile.mkdtemp())
    digits = [str(digit) for digit in load_digits().target]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        studio = Studio(demo_table(folder / "digits"), digits, "--classes", "0,1,2,3,4,5,6,7,8,9")
        for seed, (who, count, errors) in enumerate((("Ann", 60, 0.0), ("Bob", 50, 0.0), ("Cem", 20, 0.2))):
            studio.answer(who, count, errors, seed)
        page = opened(browser, studio.addresses["Ann"], "wide")
        page.screenshot(path=HERE / "wide.png")
        page.click("#sure")
        page.wait_for_timeout(800)
        page.screenshot(path=HERE / "batch.png")
        opened(browser, studio.addresses["Ann"], "tablet", "dark").screenshot(path=HERE / "dark.png")
        opened(browser, studio.addresses["Bob"], "phone").screenshot(path=HERE / "phone.png")
        studio.stop()
        table, labels = tickets(folder)
        (folder / "guidelines.md").write_text(GUIDELINES, encoding="utf-8")
        studio = Studio(table, labels, "--classes", ",".join(sorted(set(labels))), "--guidelines",
                        str(folder / "guidelines.md"))  # fmt: skip
        for seed, (who, errors) in enumerate((("Ann", 0.0), ("Bob", 0.0), ("Cem", 0.5))):
            studio.answer(who, 22, errors, seed)
        page = opened(browser, studio.addresses["Ann"], "wide")
        page.eval_on_selector("#kind", "e => { e.value = 'Is'; e.dispatchEvent(new Event('change')); }")
        page.wait_for_selector("#options .yes")
        page.eval_on_selector("#chart", "e => { e.closest('details').open = false; }")
        page.screenshot(path=HERE / "guidelines.png")
        page.eval_on_selector("#guidelines", "e => { e.open = false; }")
        page.eval_on_selector("#review-panel", "e => { e.open = true; e.previousElementSibling.open = true; }")
        page.wait_for_selector("#review li button")
        page.locator("#review li button").first.click()
        page.eval_on_selector("#people-panel", "e => e.scrollIntoView()")
        page.wait_for_timeout(800)
        page.screenshot(path=HERE / "review.png")
        studio.stop()
        browser.close()


if __name__ == "__main__":
    main()
