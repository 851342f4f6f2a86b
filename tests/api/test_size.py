"""How large the package is: packages, files, and type checks on output types outside their own folder."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from api.imports import HOME, MODULES, package
from infimum import outputs
from infimum.outputs import OutputSpace, Sets

MAX_PACKAGES = 22
MAX_LINES = 400  # per file
MAX_FUNCTION = 60  # per function, without its parameters and its docstring
MAX_ISINSTANCE = 5  # generic code asks the output space or the sets instead

KINDS = {
    name: thing
    for name, thing in vars(outputs).items()
    if inspect.isclass(thing) and issubclass(thing, OutputSpace | Sets) and thing not in (OutputSpace, Sets)
}
"""The output spaces and the kinds of sets, by name."""


def imported_kinds(tree: ast.Module) -> set[str]:
    """Return the names in a module that stand for an output space or a kind of sets."""
    names = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in KINDS
    }
    return names | {"outputs"}


def type_checks(module: str) -> Iterator[str]:
    """Yield the checks of a type against an output space or a kind of sets of another folder.

    These are calls of isinstance and issubclass, comparisons such as ``type(sets) is Intervals``, patterns of match,
    and functions that singledispatch selects by a type.
    """
    path = MODULES[module]
    tree = ast.parse(path.read_text("utf-8"))
    known = imported_kinds(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            checked: ast.AST = node.args[1]
        elif isinstance(node, ast.MatchClass) or (isinstance(node, ast.Compare) and "type(" in ast.unparse(node)):
            checked = node
        elif isinstance(node, ast.FunctionDef) and any("register" in ast.unparse(d) for d in node.decorator_list):
            checked = node.args
        else:
            continue
        names = {part.id for part in ast.walk(checked) if isinstance(part, ast.Name) and part.id in known}
        names |= {part.attr for part in ast.walk(checked) if isinstance(part, ast.Attribute)}
        if any(Path(inspect.getfile(KINDS[name])).parent != path.parent for name in names & KINDS.keys()):
            yield f"{path.relative_to(HOME)}:{node.lineno}: {ast.unparse(node)[:100]}"


def test_number_of_packages():
    found = {package(module) for module in MODULES} - {"infimum"}
    assert len(found) <= MAX_PACKAGES, sorted(found)


def test_no_file_is_too_long():
    lines = {str(path.relative_to(HOME)): len(path.read_text("utf-8").splitlines()) for path in MODULES.values()}
    assert {name: n for name, n in lines.items() if n > MAX_LINES} == {}


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of lines of a function without its parameters and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_function_is_too_long():
    found = {
        f"{module}.{node.name}": lines
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (lines := body_lines(node)) > MAX_FUNCTION
    }
    assert found == {}
    assert body_lines(ast.parse("def f(a,\n b):\n  'doc'\n  return (\n a)").body[0]) == 2


def test_tests_patch_objects_and_no_dotted_paths():
    home = Path(__file__).parents[1]
    patched = re.compile(r"setattr\(\s*[\"']infimum\b")
    found = [str(path.relative_to(home)) for path in home.rglob("*.py") if patched.search(path.read_text("utf-8"))]
    assert found == []


def test_type_checks_on_output_types_outside_their_folder():
    found = [check for module in MODULES for check in type_checks(module)]
    assert len(found) <= MAX_ISINSTANCE, "\n".join(found)
