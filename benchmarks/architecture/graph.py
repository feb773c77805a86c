# SPDX-License-Identifier: Apache-2.0
"""The import graph of a package, read from its source without importing it."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SHAPES = ("Table", "Baskets", "Document", "Sketches")


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
    def imports(self) -> dict[str, set[str]]:
        """The modules that each module imports, at its top or inside a function."""
        found: dict[str, set[str]] = {name: set() for name in self.modules}
        prefix = f"{self.root.name}."
        for name, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    found[name] |= {alias.name.removeprefix(prefix) for alias in node.names if prefix in alias.name}
                elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(prefix):
                    base = (node.module or "").removeprefix(prefix)
                    wholes = {f"{base}.{alias.name}" for alias in node.names}
                    found[name] |= {whole if whole in self.modules else base for whole in wholes}
        return {name: others & set(self.modules) - {name} for name, others in found.items()}

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

    @cached_property
    def levels(self) -> dict[str, int]:
        """How far down each part stands: one more than the lowest part that it imports from."""
        level: dict[str, int] = {}

        def depth(part: str, above: tuple[str, ...] = ()) -> int:
            if part not in level:
                below = [b for a, b in self.edges if a == part and b not in above]
                level[part] = max((depth(b, (*above, part)) + 1 for b in below), default=0)
            return level[part]

        for part in self.parts:
            depth(part)
        return level

    def apart(self) -> list[tuple[str, str]]:
        """Modules with a single importer that neither share its folder nor carry its name."""
        importers = defaultdict(set)
        for name, others in self.imports.items():
            for other in others:
                importers[other].add(name)
        lonely = [(name, next(iter(of))) for name, of in importers.items() if len(of) == 1 and name]
        return sorted((a, b) for a, b in lonely if a.rpartition(".")[0] != b.rpartition(".")[0] and b)

    def count(self, pattern: str) -> tuple[int, int]:
        """How often a pattern stands in the source, and in how many files."""
        found = [len(re.findall(pattern, path.read_text(encoding="utf-8"))) for path in self.modules.values()]
        return sum(found), sum(n > 0 for n in found)

    def shape_checks(self) -> tuple[int, int]:
        """`isinstance` checks on the shapes of data, and the files that make them."""
        found = []
        for tree in self.trees.values():
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
            checks = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "isinstance"]
            names = [{n.id for n in ast.walk(check.args[1]) if isinstance(n, ast.Name)} for check in checks]
            found.append(sum(bool(of & set(SHAPES)) for of in names))
        return sum(found), sum(n > 0 for n in found)

    def lines(self) -> int:
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in self.modules.values())
