"""Imports point down: the package graph, function-level imports included, follows the layers of the design."""

from __future__ import annotations

from collections import defaultdict

from api.imports import MODULES, all_imports, imports_of, package

LAYERS = [
    {"data"},
    {"feedback_arc", "evidence"},
    {"outputs"},
    {"loss"},
    {"weights", "solvers"},
    {"disambiguation", "metrics", "plotting", "recipe"},
    {"selection"},
    {"estimators"},
    {"conformal", "active", "diagnostics", "io", "report", "torch", "datasets"},
    {"paper", "cli", "infimum"},
]
"""From the layer that all others may import to the commands. Packages of one layer import each other in no cycle."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def components(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of nodes that reach each other, those of one node left out."""
    reach = {node: set(ends) for node, ends in graph.items()}
    for middle in graph:
        for node in graph:
            if middle in reach[node]:
                reach[node] |= reach[middle]
    found = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph if a in reach[a]}
    return [set(one) for one in found if len(one) > 1]


def test_all_packages_have_a_layer():
    unknown = {package(module) for module in MODULES} - LEVEL.keys()
    assert not unknown, f"add {sorted(unknown)} to LAYERS"
    assert not LEVEL.keys() - {package(module) for module in MODULES}, "remove packages that do not exist"


def test_imports_point_down():
    """Those inside functions and under ``if TYPE_CHECKING`` are included."""
    upward = {
        f"{one.importer.removeprefix('infimum.')} -> {package(one.imported)}"
        for one in all_imports()
        if LEVEL[package(one.imported)] > LEVEL[package(one.importer)]
    }
    assert not upward


def test_packages_import_each_other_in_no_cycle():
    graph: dict[str, set[str]] = defaultdict(set)
    for one in all_imports():
        a, b = package(one.importer), package(one.imported)
        if a != b and LEVEL[b] <= LEVEL[a]:
            graph[a].add(b)
            graph[b] |= set()
    assert components(graph) == []


def test_modules_import_each_other_in_no_cycle_at_import_time():
    state: dict[str, str] = {}

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert state.get(module) != "open", f"a cycle: {' -> '.join([*path[path.index(module) :], module])}"
        if module in state:
            return
        state[module] = "open"
        others = {one.imported for one in imports_of(module) if not one.in_function and not one.for_types}
        for other in sorted(others):
            visit(other, (*path, module))
        state[module] = "done"

    for module in MODULES:
        visit(module, ())


def test_weights_import_data_only():
    found = {package(one.imported) for one in all_imports() if package(one.importer) == "weights"}
    assert found <= {"weights", "data"}


def test_only_the_command_line_imports_the_paper():
    found = {package(one.importer) for one in all_imports() if package(one.imported) == "paper"}
    assert found <= {"paper", "cli"}
