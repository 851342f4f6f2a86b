"""The walk-through: every command on the page runs with the default model and prints what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page):
    """The commands of the page, each with the output that it shows."""
    for block in re.findall(r"^```console\n(.*?)^```", page, flags=re.M | re.S):
        for part in block.split("$ ")[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def without_numbers(text):
    """The words of an output; numbers may differ in the last digit between machines."""
    return " ".join(re.sub(r"\d[\d.]*", "#", text).split())


def test_the_commands_of_the_page_print_what_it_shows(here, infimum, undrawn):
    """With the default model, as a reader runs them."""
    page = (DOCS / "walkthrough.md").read_text()
    ran = 0
    for command, shown in blocks(page):
        name, *arguments = command.split()
        if name == "python":
            script = DOCS / "_static" / "walkthrough" / arguments[0]
            subprocess.run([sys.executable, script, *arguments[1:]], check=True, cwd=here)
        elif name == "infimum":
            asked = arguments[0] == "convert" and "--meaning" not in arguments  # the page shows the question first
            said = without_numbers(infimum(*arguments, code=int(asked)))
            for part in shown.split("…\n"):
                assert without_numbers(part) in said, (command, part, said)
            ran += 1
    assert ran == 8
    assert (here / "clean.csv").exists()


def test_the_pictures_are_there():
    page = (DOCS / "walkthrough.md").read_text()
    for path in re.findall(r"\]\((_static/[^)]+)\)", page):
        assert (DOCS / path).exists(), path
