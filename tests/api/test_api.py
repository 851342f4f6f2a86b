"""The public interface: all of it is on the API page and documented by numpydoc's rules; one place has the version."""

import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import infimum

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.rst").read_text("utf-8")
LISTED = list(dict.fromkeys(re.findall(r"^   ([A-Za-z_][\w.]*)$", PAGE, flags=re.M)))
MODULES = ["", "outputs", "weights", "solvers", "selection", "metrics", "datasets", "diagnostics", "feedback_arc"]
MODULES += ["io", "conformal", "paper.theory"]
NOT_LISTED = {"weights.by_name", "weights.split", "solvers.check", "selection.SCORERS"}
NOT_LISTED |= {"io.TRUSTED_TYPES", "outputs.OUTPUT_TYPES"}  # lists, not objects

# numpydoc's checks that every public object keeps. Not required: extended summaries, See Also and Examples everywhere
# (ES01, SA01, EX01), Returns if the summary says it (RT01), the order of parameters that are described together (PR03).
CHECKS = {
    "GL01", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10", "SS01", "SS03", "SS04", "SS05", "SS06", "PR01",
    "PR02", "PR05", "PR07", "PR10", "RT05", "SA02", "SA03", "SA04",
}  # fmt: skip


def found(name: str):
    """The object that the page calls so."""
    owner, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"infimum.{owner}".rstrip(".")), last)


def is_record(thing) -> bool:
    """A named tuple, a dataclass or a result with Attributes and no Parameters: users read it, the library makes it."""
    text = inspect.getdoc(thing) or ""
    found_by_users = "\nAttributes\n" in text and "\nParameters\n" not in text
    is_data = dataclasses.is_dataclass(thing) and not hasattr(thing, "get_params")
    return inspect.isclass(thing) and (hasattr(thing, "_fields") or is_data or found_by_users)


def wrong(name: str) -> list[str]:
    """What numpydoc has against a docstring, of the checks above."""
    validate = pytest.importorskip("numpydoc.validate").validate
    thing = found(name)
    errors = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    left_out = {"PR01"} if is_record(thing) or (inspect.isclass(thing) and issubclass(thing, Exception)) else set()
    if (inspect.getdoc(thing) or "").partition("\n\n")[0].endswith("?"):
        left_out.add("SS03")  # a question ends so
    return [f"{code}: {text}" for code, text in errors if code in CHECKS - left_out]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_object_is_on_the_page(module):
    names = importlib.import_module(f"infimum.{module}".rstrip(".")).__all__
    here = {f"{module}.{name}".lstrip(".") for name in names}
    here = {name for name in here if not inspect.ismodule(found(name))}
    on_page = {id(found(name)) for name in LISTED}
    missing = {name for name in here - NOT_LISTED if id(found(name)) not in on_page}
    assert not missing, f"docs/api.rst misses {sorted(missing)}"


@pytest.mark.parametrize("name", LISTED)
def test_docstrings_are_valid_and_begin_with_plain_words(name):
    assert wrong(name) == []
    first = re.sub(r"``?[^`]*``?", "", (inspect.getdoc(found(name)) or "").partition("\n")[0])
    assert not re.search(r"[={}]|<=|>=", first), f"a formula belongs into the body: {first}"


@pytest.mark.parametrize("name", [name for name in LISTED if inspect.isclass(found(name))])
def test_public_methods_say_what_they_do(name):
    own = [(key, value) for key, value in inspect.getmembers(found(name), callable) if not key.startswith("_")]
    fields = vars(found(name)).get("__dataclass_fields__", {})
    own = [(key, value) for key, value in own if key not in fields]
    ours = [key for key, value in own if (getattr(value, "__module__", "") or "").startswith("infimum")]
    assert [key for key in ours if not inspect.getdoc(getattr(found(name), key))] == []


def test_the_checks_find_what_they_look_for():
    """A page whose docstrings lack a parameter, an end or a capital would not pass."""
    validate = pytest.importorskip("numpydoc.validate").validate
    assert {code for code, _ in validate("re.compile")["errors"]} & CHECKS
    assert len(LISTED) > 150


def test_the_version_stands_in_one_place():
    """The test of the wheel compares its name with it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    source = (ROOT / settings["tool"]["hatch"]["version"]["path"]).read_text("utf-8")
    assert re.findall(r'^__version__ = "(.*)"$', source, flags=re.M) == [infimum.__version__]


def test_import_takes_no_time_and_finds_every_name():
    code = "import sys, infimum; assert 'numpy' not in sys.modules; [getattr(infimum, name) for name in dir(infimum)]"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infimum.nothing  # noqa: B018
