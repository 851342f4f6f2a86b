"""Imports point down: the package graph, function-level imports included, follows the layers of the design."""

from __future__ import annotations

from collections import defaultdict

from api.imports import MODULES, all_imports, imports_of, package

LAYERS = [
    {"data"},
    {"principles", "feedback_arc", "evidence"},
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

NOT_YET: set[str] = set()
"""Upward imports that are still to be removed, as "module -> package". An entry that no longer occurs fails."""

NOT_YET_TYPES = {"outputs.base -> loss", "outputs.rankings.space -> loss"}
"""The same, for imports under ``if TYPE_CHECKING``."""

NOT_YET_CYCLES: list[set[str]] = []
"""Packages that import each other in a cycle without an upward import."""


def upward(for_types: bool) -> set[str]:
    """Return the imports of a package of a higher layer."""
    return {
        f"{one.importer.removeprefix('infimum.')} -> {package(one.imported)}"
        for one in all_imports()
        if one.for_types == for_types and LEVEL[package(one.imported)] > LEVEL[package(one.importer)]
    }


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


def test_imports_point_down():
    found = upward(for_types=False)
    assert not found - NOT_YET, "new upward imports: " + "; ".join(sorted(found - NOT_YET))
    assert not NOT_YET - found, "remove from NOT_YET: " + "; ".join(sorted(NOT_YET - found))


def test_type_imports_point_down():
    found = upward(for_types=True)
    assert not found - NOT_YET_TYPES, "new upward imports: " + "; ".join(sorted(found - NOT_YET_TYPES))
    assert not NOT_YET_TYPES - found, "remove from NOT_YET_TYPES: " + "; ".join(sorted(NOT_YET_TYPES - found))


def test_packages_import_each_other_in_no_cycle():
    graph: dict[str, set[str]] = defaultdict(set)
    for one in all_imports():
        a, b = package(one.importer), package(one.imported)
        if a != b and LEVEL[b] <= LEVEL[a]:
            graph[a].add(b)
            graph[b] |= set()
    assert components(graph) == NOT_YET_CYCLES


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
