# SPDX-License-Identifier: Apache-2.0
"""What the source defines and does not use itself: dead, or for tests alone.

A function, class or constant is used if its own module names it outside its definition, or if another module imports
it; an import into the face of a package does not count. A method is used if any module has an attribute of its name.
Strings without spaces count, since registries go by them. Whatever code in the
documentation or an example names is public, not dead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.architecture.graph import Graph

_CALLED_BY_OTHERS = {"_get_support_mask", "writable"}  # by scikit-learn; by whatever writes into a file
_PLAIN = {"property", "cached_property", "staticmethod", "classmethod", "dataclass", "compiled"}  # others register


def _registered(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether a decorator hands it to somebody who calls it: a command, a validator."""
    return bool({re.split(r"[(.]", ast.unparse(one))[0] for one in node.decorator_list} - _PLAIN)


def _top_level(tree: ast.Module) -> Iterator[tuple[ast.stmt, list[str]]]:
    """Definitions and the names that each gives: constants that are assigned together are one, as exit codes are."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not _registered(node):
            yield node, [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield node, [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _methods(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        for one in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(one, ast.FunctionDef) and not _registered(one):
                yield one.lineno, one.name


def _strings(trees: Iterable[ast.Module]) -> set[str]:
    bodies = (body for tree in trees for body in tree.body if not ast.unparse(body).startswith("__all__ ="))
    nodes = (node for body in bodies for node in ast.walk(body) if isinstance(node, ast.Constant))
    texts = [node.value for node in nodes if isinstance(node.value, str) and re.fullmatch(r"[\w.:]+", node.value)]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def _attributes(tree: ast.Module) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _imported(graph: Graph) -> set[tuple[str, str]]:
    """What other modules import, seen through the faces of packages."""
    faces = [name for name in graph.modules if name and graph.is_face(name)]
    behind = {(face, name): (of, name) for face in faces for of, name in graph.imported_names[face]}
    found = {pair for name, pairs in graph.imported_names.items() if name not in faces for pair in pairs}
    return found | {behind[pair] for pair in found if pair in behind}


def _public(graph: Graph, root: Path) -> set[str]:
    """Words of code in the documentation, of examples and of templates."""
    pages = [path.read_text(encoding="utf-8") for path in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]]
    code = [text for page in pages for text in re.findall(r"```.*?```|`[^`]+`", page, flags=re.DOTALL)]
    templates = [path.read_text(encoding="utf-8") for path in graph.root.rglob("*.html")]
    return set(re.findall(r"\w+", "\n".join([*code, *templates]))) | _words(root / "examples")


def unused(graph: Graph, root: Path) -> list[str]:
    """A line for each: where it is, its name, and who else uses it."""
    imported, strings = _imported(graph), _strings(graph.trees.values())
    attributes = {name: _attributes(tree) for name, tree in graph.trees.items()}
    anywhere = set().union(*attributes.values()) | strings | _CALLED_BY_OTHERS
    found: list[tuple[str, int, str]] = []
    for module, tree in graph.trees.items():
        importers = [name for name, pairs in graph.imported_names.items() if (module, "") in pairs]
        for node, names in _top_level(tree):
            rest = (one for other in tree.body if other is not node for one in ast.walk(other))
            near = any(isinstance(one, ast.Name) and one.id in names for one in rest)
            far = any((module, name) in imported for name in names)
            far |= any(name in attributes[one] for one in importers for name in names)
            if not near and not far and strings.isdisjoint(names):
                found += [(module, node.lineno, name) for name in names]
        found += [(module, line, name) for line, name in _methods(tree) if name not in anywhere]
    public = _public(graph, root)
    users = {folder: _words(root / folder) for folder in ("tests", "benchmarks")}
    lines = []
    for module, line, name in found:
        if name not in public and not name.startswith("__"):
            by = [folder for folder, words in users.items() if name in words]
            where = graph.modules[module].relative_to(graph.root)
            lines.append(f"{where}:{line} {name}, used by {', '.join(by) or 'nothing'}")
    return lines


def _words(folder: Path) -> set[str]:
    return {word for path in folder.rglob("*.py") for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
