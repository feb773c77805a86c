# SPDX-License-Identifier: Apache-2.0
"""The import graph of a package, read from its source without importing it."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_ROOT = Path(__file__).parents[2]
FACE = ("__init__", "__main__", "_version", "errors")  # what lies at the root of the package and is no station
SHAPES = ("Table", "Baskets", "Document", "Sketches")


def flow() -> list[str]:
    """The folders in the order of docs/flow.md."""
    text = (_ROOT / "docs" / "flow.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE)


@dataclass(frozen=True)
class Graph:
    """The modules of a package by name, and what each imports of the package."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        paths = sorted(self.root.rglob("*.py"))
        names = (".".join(path.relative_to(self.root).with_suffix("").parts) for path in paths)
        return {name.removesuffix("__init__").removesuffix("."): path for name, path in zip(names, paths, strict=True)}

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in self.modules.items()}

    @cached_property
    def imported_names(self) -> dict[str, set[tuple[str, str]]]:
        """What each module imports of the package, at its top or inside a function: pairs of a module and a name.

        The name is empty where a module is imported as a whole.
        """
        found: dict[str, set[tuple[str, str]]] = {name: set() for name in self.modules}
        prefix = f"{self.root.name}."
        for name, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    wholes = [alias.name for alias in node.names if alias.name.startswith(prefix)]
                    found[name] |= {(whole.removeprefix(prefix), "") for whole in wholes}
                elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(prefix):
                    base = (node.module or "").removeprefix(prefix)
                    pairs = [(f"{base}.{alias.name}", alias.name) for alias in node.names]
                    found[name] |= {(whole, "") if whole in self.modules else (base, of) for whole, of in pairs}
        return found

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """The modules that each module imports."""
        pairs = self.imported_names.items()
        return {name: {of for of, _ in others} & set(self.modules) - {name} for name, others in pairs}

    @staticmethod
    def part(module: str) -> str:
        """The folder, or the module at the root, that a module belongs to."""
        return module.split(".")[0]

    @cached_property
    def parts(self) -> list[str]:
        return sorted({self.part(name) for name in self.modules if name})

    @cached_property
    def edges(self) -> Counter[tuple[str, str]]:
        """How many imports lead from one part to another."""
        pairs = ((self.part(a), self.part(b)) for a, others in self.imports.items() for b in others if a)
        return Counter((a, b) for a, b in pairs if a != b)

    def layers(self) -> list[str]:
        """The parts in an order in which each stands after those that it imports from, as far as there is one."""
        left, order = set(self.parts), list[str]()
        while left:
            free = sorted(part for part in left if not any((part, other) in self.edges for other in left))
            order += free or [min(left)]
            left -= set(order)
        return order

    def apart(self) -> list[tuple[str, str]]:
        """Modules with a single importer that lies in another folder, the faces of packages aside."""
        importers = defaultdict(set)
        for name, others in self.imports.items():
            for other in others:
                importers[other].add(name)
        lonely = [(name, next(iter(of))) for name, of in importers.items() if len(of) == 1]
        return sorted((a, b) for a, b in lonely if not self.is_face(a) and not self.is_face(b) and not self.near(a, b))

    def is_face(self, module: str) -> bool:
        """Whether a module is the `__init__` of a package."""
        return self.modules[module].stem == "__init__"

    @staticmethod
    def near(module: str, other: str) -> bool:
        """Whether two modules lie in one folder; at the root of the package, whether one carries the other's name."""
        folder, beside = module.rpartition(".")[0], other.rpartition(".")[0]
        return folder == beside if folder or beside else module.startswith(f"{other}_")

    def count(self, pattern: str) -> tuple[int, int]:
        """How often a pattern stands in the source, and in how many files."""
        found = [len(re.findall(pattern, path.read_text(encoding="utf-8"))) for path in self.modules.values()]
        return sum(found), sum(n > 0 for n in found)

    def having(self, text: str) -> list[str]:
        """The modules in whose source a text stands."""
        return [name for name, path in self.modules.items() if text in path.read_text(encoding="utf-8")]

    def shape_checks(self) -> dict[str, int]:
        """How many `isinstance` checks on the shapes of data each module makes, if any."""
        found = {}
        for module, tree in self.trees.items():
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
            checks = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "isinstance"]
            names = [{n.id for n in ast.walk(check.args[1]) if isinstance(n, ast.Name)} for check in checks]
            found[module] = sum(bool(of & set(SHAPES)) for of in names)
        return {module: n for module, n in found.items() if n}

    def public_classes(self) -> dict[str, list[str]]:
        """The modules that define a public class of each name."""
        found = defaultdict(list)
        for module, tree in self.trees.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(module)
        return found

    def row_classes(self) -> list[str]:
        """Classes of the methods that hold rows with their weights and their persons."""
        found = []
        for module, tree in self.trees.items():
            for node in tree.body if self.part(module) == "methods" else []:
                if isinstance(node, ast.ClassDef):
                    held = _attributes(node)
                    if held & {"person", "persons"} and held & {"counts", "weights", "weight", "label", "rows"}:
                        found.append(f"{module}.{node.name}")
        return found

    def unreachable(self) -> list[str]:
        """Folders that the face of the package does not name."""
        words = {node.value for node in ast.walk(self.trees[""]) if isinstance(node, ast.Constant)}
        return [part for part in self.parts if part in self.modules and self.is_face(part) and part not in words]

    def lines(self, modules: Iterable[str] | None = None) -> int:
        paths = [self.modules[name] for name in (self.modules if modules is None else modules)]
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def _attributes(node: ast.ClassDef) -> set[str]:
    """The fields of a class, and what its methods assign to `self`."""
    fields = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    stores = [one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)]
    return fields | {one.attr for one in stores if isinstance(one.value, ast.Name) and one.value.id == "self"}
