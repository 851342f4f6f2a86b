"""The walk-through: every command on the page runs, and the verdicts are those that the page tells."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_commands_of_the_page_run(here, infimum, undrawn):
    page = (DOCS / "walkthrough.md").read_text()
    commands = re.findall(r"^\$ (.+)$", page, flags=re.M)
    assert len(commands) >= 9
    said = {}
    for command in commands:
        name, *arguments = command.split()
        if name == "python":
            script = DOCS / "_static" / "walkthrough" / arguments[0]
            subprocess.run([sys.executable, script, *arguments[1:]], check=True, cwd=here)
        elif name == "infimum":
            quick = ["--weights", "kernel"] if arguments[0] in ("fit", "report", "clean") else []
            quick += ["--principle", "infimum"] if arguments[0] in ("fit", "report") else []
            asked = arguments[0] == "convert" and "--meaning" not in arguments  # the page shows the question first
            said[command] = " ".join(infimum(*arguments, *quick, code=int(asked)).split())
    reports = [text for command, text in said.items() if command.startswith("infimum report")]
    assert "No: crow and jackdaw are never apart in the 64 rows that hold them" in reports[0]
    assert "id 33: is it crow, rather than jackdaw?" in reports[0]
    assert "Yes: every two classes are apart in some rows" in reports[1]
    assert (here / "clean.csv").exists()


def test_the_pictures_are_there():
    page = (DOCS / "walkthrough.md").read_text()
    for path in re.findall(r"\]\((_static/[^)]+)\)", page):
        assert (DOCS / path).exists(), path
