"""The figures of the tutorial without Python, made by its own commands: run it in an empty folder.

Needs playwright and a chromium. All data are simulated with a fixed seed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
COMMANDS = [
    "convert animals.json --from label-studio --meaning one_of --annotators intersect --skipped unknown"
    " --conflict unknown --out animals.csv",
    "report animals.csv --target label --truth truth",
]


def main() -> None:
    subprocess.run([sys.executable, HERE / "export.py"], check=True)
    for command in COMMANDS:
        call = [sys.executable, "-c", "from infimum.cli import app; app()", *command.split()]
        subprocess.run(call, check=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 1000})
        page.goto(Path("report.html").resolve().as_uri())
        page.evaluate("document.querySelectorAll('main > section > details').forEach(each => { each.open = true; })")
        parts = (("main", "there", 780), ("#identifiability", "tell", 900), ("#results", "learned", 620))
        for part, name, height in parts:
            page.locator(part).scroll_into_view_if_needed()
            box = page.locator(part).bounding_box()
            page.screenshot(
                path=HERE / f"{name}.png", full_page=True,
                clip={
                    "x": 0, "y": box["y"] + page.evaluate("scrollY"),
                    "width": 900, "height": min(height, box["height"]),
                },
            )  # fmt: skip
        phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        phone.goto(Path("report.html").resolve().as_uri())
        phone.screenshot(path=HERE / "phone.png")
        browser.close()


if __name__ == "__main__":
    main()
