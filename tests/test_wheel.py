"""The built wheel, installed into an empty environment without extras, runs the README and the pages."""

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDS = {"security.md": "skops", "io.md": "pandas", "from_snorkel.md": "pandas"}  # pages about more than the wheel
NEEDS |= {"command_line.md": "skops", "conformal.md": "matplotlib"}

# Runs in the empty environment: the blocks of every page, one name space a page, in a folder of its own.
RUN = r"""
import json, os, re, sys, tempfile
results = {}
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    os.chdir(tempfile.mkdtemp())
    space = {}
    try:
        for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
            exec(compile(block, path, "exec"), space)
    except ImportError as error:
        results[os.path.basename(path)] = f"ImportError: {error}"
    except Exception as error:
        results[os.path.basename(path)] = f"{type(error).__name__}: {error}"
    else:
        results[os.path.basename(path)] = "ran"
import infimum
print("RESULTS" + json.dumps({"pages": results, "version": infimum.__version__, "file": infimum.__file__}))
"""
OFFLINE = re.compile(r"No matching distribution|Could not find a version|Connection|Temporary failure|retries", re.I)


def run(*command: object, **settings) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8", **settings)


def pip(python: Path, *arguments: object) -> None:
    """pip in the empty environment; without a registry, the test is skipped loudly."""
    quiet = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15")
    done = run(python, "-m", "pip", *arguments, *quiet)
    if done.returncode and OFFLINE.search(done.stderr):
        pytest.skip(f"THE WHEEL WAS NOT TESTED: no package registry can be reached here. {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> tuple[Path, Path]:
    """An empty environment's Python with the wheel in it, and the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    venv.create(folder / "empty", with_pip=True)
    python = folder / "empty" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip(python, "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("infimum-*.whl")
    pip(python, "install", "--no-compile", wheel)
    return python, wheel


@pytest.mark.slow
def test_the_wheel_runs_the_readme_and_the_pages(installed, tmp_path):
    python, wheel = installed
    script = tmp_path / "run.py"
    script.write_text(RUN, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = run(python, "-W", "ignore", script, *PAGES, cwd=tmp_path, env=environment)
    assert "RESULTS" in done.stdout, done.stderr[-3000:]
    found = json.loads(done.stdout.rpartition("RESULTS")[2])
    assert not Path(found["file"]).is_relative_to(ROOT / "src")
    assert wheel.name == f"infimum-{found['version']}-py3-none-any.whl"
    pages = found["pages"]
    assert {name: told for name, told in pages.items() if told != "ran" and name not in NEEDS} == {}
    assert all("ImportError" in pages[name] and package in pages[name] for name, package in NEEDS.items())
    assert len(pages) == len(PAGES)


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(installed):
    from zipfile import ZipFile

    names = ZipFile(installed[1]).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"infimum"}
    assert "infimum/py.typed" in names
    assert "infimum/datasets/registry.sha256" in names
    assert not [name for name in names if re.search(r"\.(pyc|nbi|nbc)$|__pycache__", name)]


def test_the_packages_of_the_readme_are_dependencies():
    """What the README imports comes with the wheel: nothing but the library and what it depends on."""
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGES[0].read_text("utf-8"), flags=re.M | re.S))
    imported = set(re.findall(r"^(?:from|import) (\w+)", code, flags=re.M))
    assert imported <= {"infimum", "numpy", "sklearn", *sys.stdlib_module_names}
