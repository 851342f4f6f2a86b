"""One import direction: what a room imports when it is itself imported lies below it, and nothing imports the paper."""

import ast
from functools import cache
from pathlib import Path

import infimum

HOME = Path(infimum.__file__).parent
MODULES = {
    ".".join(("infimum", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(HOME.rglob("*.py"))
}


def at_import(tree: ast.AST):
    """The import statements that run when a module is imported: not those of functions, nor those for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_import(node)


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of the library that a module imports."""
    path, found = MODULES[module], set()
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in at_import(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        name = ".".join([*base, *([node.module] if node.module else [])])
        below = {f"{name}.{alias.name}" for alias in node.names}
        found |= {each if each in MODULES else name for each in below}
    return frozenset(found & MODULES.keys()) - {module}


def test_no_module_is_imported_in_a_circle():
    state: dict[str, str] = {}

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert state.get(module) != "open", f"a circle: {' -> '.join([*path[path.index(module):], module])}"
        if module in state:
            return
        state[module] = "open"
        for other in sorted(imported(module)):
            visit(other, (*path, module))
        state[module] = "done"

    for module in MODULES:
        visit(module, ())


def room(module: str) -> str:
    """infimum.outputs.labels.sets -> outputs."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "infimum"


LAYERS = [
    {"data", "feedback_arc"},
    {"loss", "outputs"},
    {"weights", "calibration"},
    {"solvers"},
    {"metrics", "disambiguation"},
    {"recipe"},
    {"selection"},
    {"probabilities"},
    {"estimators"},
    {"conformal"},
]
"""From what everything stands on to what users call. A room imports rooms of lower layers only."""


def test_rooms_import_downwards():
    layer = {name: k for k, names in enumerate(LAYERS) for name in names}
    up = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imported(module)
        if room(module) in layer and room(other) != room(module) and layer.get(room(other), 99) > layer[room(module)]
    ]
    assert not up, "\n".join(up)


def test_nothing_but_the_command_imports_the_paper():
    asked = {room(module) for module in MODULES for other in imported(module) if room(other) == "paper"}
    assert asked <= {"paper", "cli"}
