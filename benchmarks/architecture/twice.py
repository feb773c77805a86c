# SPDX-License-Identifier: Apache-2.0
"""What is written twice: runs of statements of the same shape, names and constants aside, over six or more lines."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.architecture.graph import Graph

LINES = 6  # that a run must have to be listed


@dataclass(frozen=True)
class Run:
    """Statements one after the other in one body."""

    module: str
    first: int
    last: int

    @property
    def lines(self) -> int:
        return self.last - self.first + 1

    def within(self, other: Run) -> bool:
        return self.module == other.module and other.first <= self.first and self.last <= other.last


class _Shape(ast.NodeTransformer):
    """Names numbered by first use, constants by kind, no annotations: what remains is the shape of the code."""

    def __init__(self) -> None:
        self.numbers: dict[str, str] = {}

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"n{len(self.numbers)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._number(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._number(node.arg), None)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(type(node.value).__name__)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name, node.returns = self._number(node.name), None
        return node


def _shape(statements: list[ast.stmt]) -> str:
    shape = _Shape()
    return "\n".join(ast.dump(shape.visit(copy.deepcopy(statement))) for statement in statements)


def _is_plain(node: ast.AST) -> bool:
    """Whether it is a statement that counts: imports, docstrings and bare constants are alike everywhere."""
    return (
        isinstance(node, ast.stmt)
        and not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Functions, one by one, and the statements of everything that has some."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from ([one] for one in node.body if isinstance(one, ast.FunctionDef))
        else:
            lists = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
            yield from ([one for one in body if _is_plain(one)] for body in lists if isinstance(body, list))


def _runs(graph: Graph) -> Iterator[tuple[tuple[str, ...], Run, list[ast.stmt]]]:
    """All runs that are long enough, each with a key that runs of one shape share."""
    for module, tree in graph.trees.items():
        for body in _bodies(tree):
            keys = [_shape([one]) for one in body]
            sizes = [len(ast.unparse(one).splitlines()) for one in body]  # without comments and blank lines
            for first in range(len(body)):
                for last in range(first, len(body)):
                    run = Run(module, body[first].lineno, body[last].end_lineno or 0)
                    if sum(sizes[first : last + 1]) >= LINES:
                        yield tuple(keys[first : last + 1]), run, body[first : last + 1]


def copies(graph: Graph) -> list[list[Run]]:
    """Runs of one shape in two or more places, the longest first, without those within a longer one."""
    alike = defaultdict(list)
    for key, run, statements in _runs(graph):
        alike[key].append((run, statements))
    places = defaultdict(list)
    for pairs in alike.values():
        for run, statements in pairs if len(pairs) > 1 else []:
            places[_shape(statements)].append(run)
    groups = sorted((runs for runs in places.values() if len(runs) > 1), key=lambda runs: -runs[0].lines)
    kept: list[list[Run]] = []
    for runs in groups:
        apart = [run for n, run in enumerate(runs) if not any(run.within(other) for other in runs[:n])]
        if len(apart) > 1 and not any(all(any(run.within(r) for r in longer) for run in apart) for longer in kept):
            kept.append(apart)
    return kept


def twice(graph: Graph) -> list[str]:
    """A line for each: how many lines, and where."""

    def where(run: Run) -> str:
        return f"{graph.modules[run.module].relative_to(graph.root)}:{run.first}-{run.last}"

    return [f"{runs[0].lines} lines: {', '.join(map(where, runs))}" for runs in copies(graph)]
