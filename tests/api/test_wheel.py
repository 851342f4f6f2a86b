"""The built wheel, installed into an empty environment without extras, runs the README and the pages as they say."""

import json
import os
import re
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDS = {"security.md": "skops", "io.md": "pandas", "from_snorkel.md": "pandas"}  # pages about more than the wheel
NEEDS |= {"command_line.md": "skops", "conformal.md": "matplotlib", "README.md": "pandas", "multioutput.md": "pandas"}
NEEDS |= {"people.md": "pandas", "start.md": "pandas", "rankings.md": "pandas"}

# Runs in the empty environment: the blocks of every page, one name space a page, in a folder of its own. Every block
# prints what the block of text below it says.
RUN = r"""
import contextlib, io, json, os, re, sys, tempfile, warnings
import infimum
warnings.simplefilter("ignore")
warnings.simplefilter("error", infimum.InfimumWarning)
results = {}
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    os.chdir(tempfile.mkdtemp())
    space, result = {}, "ran"
    try:
        for block, says in re.findall(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```)?", text, flags=re.M | re.S):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block, path, "exec"), space)
            if says and printed.getvalue().split() != says.split():
                result = f"a block prints {printed.getvalue()!r}; below it stands {says!r}"
                break
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    results[os.path.basename(path)] = result
print("RESULTS" + json.dumps({"pages": results, "version": infimum.__version__, "file": infimum.__file__}))
"""
OFFLINE = re.compile(r"No matching distribution|Could not find a version|Connection|Temporary failure|retries", re.I)


def run(*command: object, **settings) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8", **settings)


class Offline(Exception):
    """No package registry can be reached."""


def pip(*arguments: object) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15")
    done = run(sys.executable, "-m", "pip", *arguments, *quiet)
    if done.returncode and OFFLINE.search(done.stderr):
        raise Offline(done.stderr[-300:])
    assert done.returncode == 0, done.stderr[-3000:]


def dependencies(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """The installed distributions that an installation of `name` without extras brings, `name` included."""
    if canonicalize_name(name) not in found:
        found[canonicalize_name(name)] = distribution(name)
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                dependencies(needed.name, found)
    return found


def installed(folder: Path) -> tuple[Path, Path]:
    """A Python that sees the wheel and links to its dependencies and nothing else, and the wheel.

    The dependencies are the files that are installed here: to download and compile them again takes half a minute.
    """
    venv.create(folder / "empty")
    python = folder / "empty" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip("wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("infimum-*.whl")
    pip("--python", python, "install", "--no-deps", "--no-compile", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    for name, found in dependencies("infimum", {}).items():
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if name != "infimum":
                (site / top).symlink_to(Path(found.locate_file(top)).resolve())
    pip("--python", python, "check")
    return python, wheel


def results_of(python: Path | str, pages: list[Path], folder: Path, **variables: str) -> dict:
    """What became of every page, run by this interpreter."""
    script = folder / "run.py"
    script.write_text(RUN, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = run(python, script, *pages, cwd=folder, env=environment)
    assert "RESULTS" in done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.rpartition("RESULTS")[2])


@pytest.mark.slow
def test_the_wheel_runs_the_readme_and_the_pages(tmp_path):
    """Without a registry the pages are run here, and the rest is skipped loudly. (One test: it is built once.)"""
    try:
        python, wheel = installed(tmp_path)
    except Offline as error:
        found = results_of(sys.executable, PAGES, tmp_path, PYTHONPATH=str(ROOT / "src"))
        assert {name: result for name, result in found["pages"].items() if result != "ran"} == {}
        pytest.skip(f"THE WHEEL WAS NOT TESTED: no package registry can be reached here. {error}")
    holds_the_package_and_nothing_else(wheel)
    pages = [page for page in PAGES if page.name not in NEEDS]
    found = results_of(python, pages, tmp_path)
    assert not Path(found["file"]).is_relative_to(ROOT / "src")
    assert wheel.name == f"infimum-{found['version']}-py3-none-any.whl"
    assert found["pages"] == {page.name: "ran" for page in pages}


def holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"infimum"}
    assert "infimum/py.typed" in names
    assert "infimum/datasets/registry.sha256" in names
    assert "infimum/datasets/tables/tickets.csv" in names
    assert {"infimum/report/web/report.css", "infimum/active/studio/web/studio.js"} <= set(names)
    assert not [name for name in names if re.search(r"\.(pyc|nbi|nbc)$|__pycache__", name)]


def test_pages_about_more_than_the_wheel_run_here(tmp_path):
    pages = [page for page in PAGES if page.name in NEEDS]
    found = results_of(sys.executable, pages, tmp_path, PYTHONPATH=str(ROOT / "src"), MPLBACKEND="Agg")
    assert found["pages"] == dict.fromkeys(NEEDS, "ran")


def test_the_packages_of_the_readme_are_dependencies():
    """What the README imports comes with the installation that it names."""
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGES[0].read_text("utf-8"), flags=re.M | re.S))
    imported = set(re.findall(r"^(?:from|import) (\w+)", code, flags=re.M))
    assert imported <= {"infimum", "numpy", "pandas", "sklearn", *sys.stdlib_module_names}
