"""The names of modules, classes, functions, attributes and constants: the words of the field, and no private terms.

The words of texts are compared in `tests/docs/test_words.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from api.imports import MODULES, package

PRIVATE = {
    "judge", "judges", "judged", "judging", "judgement", "told", "tells", "says", "knows", "speaks", "teach", "teacher",
    "teaches", "taught", "listens", "weighing", "weighed", "law", "laws", "reduction", "reductions", "heed", "heeded",
    "kin", "dear", "mend", "promise", "promises", "refuse", "refused", "refuses", "settle", "settled", "settles",
    "hopeless", "clearly", "hardly", "foretold", "vain", "ground", "walk", "twins", "nets", "picture", "pictures",
    "desk", "aside", "looked", "learnt", "truthful", "splendid", "honest",
}  # fmt: skip
"""Parts of names for which the field has another word."""

ALLOWED = {
    "REDUCTIONS", "reduction",  # a parameter of the losses of PyTorch
    "walk_extensions",  # a random walk
    "transitive_reduction",
}  # fmt: skip

SHARED = {
    "Facts",  # what an output type learns from y, one per folder
    "Fold", "OutOfFold",  # of selection and of weights
}  # fmt: skip
"""Names of classes that several modules define, with one meaning."""


def parts(name: str) -> set[str]:
    """Return the words of a name in lower case: FirstRows_of -> first, rows, of."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names that a module defines, with their lines; local variables are not included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.lineno, node.target.id
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((node.lineno, target.id) for target in node.targets if isinstance(target, ast.Name))


def private_attributes(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, object and name of the private attributes that are read of objects other than self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr) and not is_self(node.value):
            yield node.lineno, ast.unparse(node.value), node.attr


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def test_names_are_words_of_the_field():
    found = [
        f"{module}:{line}: {name}"
        for module, path in MODULES.items()
        if package(module) != "paper"
        for line, name in [(0, path.stem), *names(ast.parse(path.read_text("utf-8")))]
        if parts(name) & PRIVATE and name not in ALLOWED
    ]
    assert found == []


def test_a_class_name_has_one_meaning():
    found: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        if package(module) != "paper":
            tree = ast.parse(path.read_text("utf-8"))
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    found.setdefault(node.name.lstrip("_"), []).append(module)
    assert {name: modules for name, modules in found.items() if len(modules) > 1 and name not in SHARED} == {}
    assert all(package(module) == "outputs" for module in found["Facts"])


def test_packages_use_no_private_attributes_of_each_other():
    trees = {module: ast.parse(path.read_text("utf-8")) for module, path in MODULES.items()}
    defined: dict[str, set[str]] = {}
    for module, tree in trees.items():
        defined.setdefault(package(module), {"_fields", "_replace", "_asdict"}).update(n for _, n in names(tree))
        attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        defined[package(module)].update(node.attr for node in attributes if is_self(node.value))
    own = set().union(*defined.values())
    found = [
        f"{module}:{line}: {owner}.{name}"
        for module, tree in trees.items()
        for line, owner, name in private_attributes(tree)
        if name in own and name not in defined[package(module)]
    ]
    assert found == []


def test_the_checks_find_what_they_look_for():
    tree = ast.parse("LAWS = 1\nclass Judge:\n    def f(self, told): self.kin_ = model._output\n")
    assert {name for _, name in names(tree) if parts(name) & PRIVATE} == {"LAWS", "Judge", "told", "kin_"}
    assert list(private_attributes(tree)) == [(3, "model", "_output")]
