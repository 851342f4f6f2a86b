"""The import statements of src/infimum, read from the source without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import infimum

HOME = Path(infimum.__file__).parent
MODULES = {
    ".".join(("infimum", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(HOME.rglob("*.py"))
}


class Import(NamedTuple):
    """One module of the package that another one imports."""

    importer: str
    imported: str
    in_function: bool
    for_types: bool
    """Whether the statement stands under ``if TYPE_CHECKING``."""


def package(module: str) -> str:
    """Return the package or top-level module that a module belongs to: infimum.outputs.labels.sets -> outputs."""
    parts = module.split(".")
    if parts[1:] == ["__main__"]:  # the command line, by its other name
        return "cli"
    return parts[1] if len(parts) > 1 else "infimum"


def statements(
    tree: ast.AST, in_function: bool = False, for_types: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    """Yield all import statements below a node, and where they stand."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, in_function, for_types
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from statements(node, in_function, True)
        else:
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from statements(node, in_function or function, for_types)


@cache
def imports_of(module: str) -> frozenset[Import]:
    """Return the modules of the package that a module imports."""
    path, found = MODULES[module], set()
    here = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node, in_function, for_types in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        else:
            base = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            names = {f"{source}.{alias.name}" for alias in node.names}
            names = {name if name in MODULES else source for name in names}
        found |= {Import(module, name, in_function, for_types) for name in names & MODULES.keys() - {module}}
    return frozenset(found)


def all_imports() -> Iterator[Import]:
    """Yield all imports between modules of the package."""
    for module in MODULES:
        yield from imports_of(module)
