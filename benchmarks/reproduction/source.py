# SPDX-License-Identifier: Apache-2.0
"""A hash of the code that measures a unit, by which a kept figure knows that the code has changed since.

Hashed are definitions, not files: the function of the unit, and every function, class and constant of `benchmarks` and
`discreet` that it names, directly or not. Of a class only those methods count whose name stands anywhere in that code,
and all of them where a class of another library may call them. Docstrings, comments, formatting, annotations of
functions, imports and where a definition stands do not count, so that a module can be moved or renamed.

It sees what is named. What is found otherwise (an imported module with effects of its own, a name put together from
parts) it does not see, and the versions of other libraries are kept apart.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import discreet
from benchmarks.reproduction.papers import HERE

ROOTS = {"discreet": Path(discreet.__file__).resolve().parent, "benchmarks": HERE}
_NO_CALLERS = {"abc", "typing", "collections.abc", "enum", "sklearn.base"}  # call no methods but these, and __these__
_CALLED = {"fit", "transform", "predict", "predict_proba", "score", "get_params", "set_params"}
_ANNOTATED = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEFT_OUT = {"ctx", "kind", "type_comment", "type_ignores"}


def code_hash(measure: Callable, roots: dict[str, Path] | None = None) -> str:
    """Of all definitions that a function, or a partial one with its arguments, rests on."""
    code = _code(tuple(sorted((roots or ROOTS).items())))
    asked = json.dumps(arguments_of(measure), sort_keys=True)
    return hashlib.sha256(f"{asked} {code.hashed(functions_of(measure))}".encode()).hexdigest()[:16]


def functions_of(value: Any) -> Iterator[Callable]:
    """The functions and classes in a partial function and its arguments.

    >>> [each.__name__ for each in functions_of(partial(sorted, [3], key=partial(pow, 2)))]
    ['sorted', 'pow']
    """
    if isinstance(value, partial):
        for each in (value.func, *value.args, *value.keywords.values()):
            yield from functions_of(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from functions_of(each)
    elif callable(value):
        yield inspect.unwrap(value)


def arguments_of(measure: Any) -> Any:
    """What is given to a partial function, as far as it is no function itself.

    >>> arguments_of(partial(pow, 2, mod=5))
    [2, ['mod', 5]]
    """
    if is_dataclass(measure) and not isinstance(measure, type):
        return asdict(measure)
    if isinstance(measure, (list, tuple)):
        return [arguments_of(each) for each in measure]
    if not isinstance(measure, partial):
        return [] if callable(measure) else measure
    given = [*measure.args, *([name, value] for name, value in sorted(measure.keywords.items()))]
    return [*([arguments_of(measure.func)] if isinstance(measure.func, partial) else []), *map(arguments_of, given)]


# -- definitions ------------------------------------------------------------------------------------------------------


class Item(NamedTuple):
    """A name of a module; of a class either what stands around its methods, or one method."""

    module: str
    name: str
    method: str = ""


@dataclass
class Described:
    """An item: its content as bytes, the items that it names, every attribute that it uses, and a class's methods."""

    content: bytes = b""
    items: set[Item] = field(default_factory=set)
    methods: list[Item] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)


@cache
def _code(roots: tuple[tuple[str, Path], ...]) -> Code:
    return Code(dict(roots))


class Code:
    """All modules below some folders, parsed when they are needed."""

    def __init__(self, roots: dict[str, Path]):
        self._roots = roots
        self._modules: dict[str, Module | None] = {}
        self._described: dict[Item, Described] = {}
        self._hashed: dict[frozenset[Item], str] = {}

    def hashed(self, functions: Iterable[Callable]) -> str:
        """Of the contents of all items that functions rest on."""
        start = frozenset(item for function in functions for item in self._start(function))
        if start not in self._hashed:
            digest = hashlib.sha256()
            for content in sorted({self.describe(item).content for item in self.reached(start)}):
                digest.update(content + b"\n")
            self._hashed[start] = digest.hexdigest()
        return self._hashed[start]

    def reached(self, start: Iterable[Item]) -> set[Item]:
        """All items that some items rest on, directly or not."""
        left = list(start)
        reached: set[Item] = set()
        used = set(_CALLED)  # names of attributes
        waiting: dict[str, list[Item]] = {}  # methods of classes that are reached, until their name is used
        while left:
            item = left.pop()
            if item in reached:
                continue
            reached.add(item)
            found = self.describe(item)
            left += found.items
            for method in found.methods:
                if method.method in used or method.method.startswith("__"):
                    left.append(method)
                else:
                    waiting.setdefault(method.method, []).append(method)
            for name in found.attributes - used:
                used.add(name)
                left += waiting.pop(name, ())
        return reached

    def _start(self, function: Callable) -> list[Item]:
        """The statement of its module in which a function is written."""
        module = self.module(getattr(function, "__module__", "") or "")
        if module is None:
            return []
        if isinstance(function, type):
            return [Item(module.name, function.__qualname__.partition(".")[0])]
        line = function.__code__.co_firstlineno
        return [Item(module.name, name) for name in module.bound_at(line)]

    def module(self, name: str) -> Module | None:
        if name not in self._modules:
            path = self._path(name)
            self._modules[name] = None if path is None else Module(name, path)
        return self._modules[name]

    def _path(self, name: str) -> Path | None:
        first, *rest = name.split(".")
        if first not in self._roots:
            return None
        base = self._roots[first].joinpath(*rest)
        return next((p for p in (base / "__init__.py", base.parent / f"{base.name}.py") if p.is_file()), None)

    # -- what a name means --------------------------------------------------------------------------------------------

    def resolve(self, module: str, name: str) -> Item | str | None:
        """What a name of a module is: an item, the name of a module, or nothing of ours."""
        found, seen = self.module(module), set()
        while found is not None and (found.name, name) not in seen:
            seen.add((found.name, name))
            if name in found.bound:
                return Item(found.name, name)
            if name not in found.imports:
                inner = f"{found.name}.{name}"
                return inner if self.module(inner) else None
            origin, original = found.imports[name]
            if not original or self.module(f"{origin}.{original}"):
                whole = f"{origin}.{original}" if original else origin
                return whole if self.module(whole) else None
            found, name = self.module(origin), original
        return None

    def describe(self, item: Item) -> Described:
        if item not in self._described:
            module = self.module(item.module)
            assert module is not None
            writer = _Writer(self, module)
            for node in module.nodes(item):
                writer.write(node)
            writer.found.items |= {Item(item.module, name) for name in module.loose}
            methods = [] if item.method else [Item(*item[:2], name) for name in module.methods(item.name)]
            if methods and self._called_from_outside(item):
                writer.found.items |= set(methods)
            else:
                writer.found.methods = methods
            writer.found.content = "".join(writer.text).encode()
            self._described[item] = writer.found
        return self._described[item]

    def _called_from_outside(self, item: Item) -> bool:
        """Whether a class derives, directly or not, from one of another library that may call its methods."""
        module = self.module(item.module)
        assert module is not None
        for base in module.bases(item.name):
            name = base.id if isinstance(base, ast.Name) else ""
            found = self.resolve(item.module, name) if name else None
            if isinstance(found, Item):
                if self._called_from_outside(found):
                    return True
            elif module.imports.get(name, ("", ""))[0] not in _NO_CALLERS:
                return True
        return False


class Module:
    """A file: what each statement binds, and what is imported anywhere in it."""

    def __init__(self, name: str, path: Path):
        self.name = name
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.imports = dict(_imports(tree, package))
        self.bound: dict[str, list[ast.stmt]] = {}
        self.loose: list[str] = []
        for place, statement in enumerate(tree.body):
            if _says_nothing(statement):
                continue
            names = _binds(statement)
            if not names:
                names = [f"<{place}>"]  # an effect: it happens whenever the module is used
                self.loose += names
            for each in names:
                self.bound.setdefault(each, []).append(statement)

    def bound_at(self, line: int) -> list[str]:
        for name, statements in self.bound.items():
            for each in statements:
                first = min([each.lineno, *(d.lineno for d in getattr(each, "decorator_list", ()))])
                if first <= line <= (each.end_lineno or first):
                    return [name]
        return []

    def classes(self, name: str) -> list[ast.ClassDef]:
        return [each for each in self.bound.get(name, ()) if isinstance(each, ast.ClassDef)]

    def bases(self, name: str) -> list[ast.expr]:
        return [base for each in self.classes(name) for base in each.bases]

    def methods(self, name: str) -> list[str]:
        return [each.name for cls in self.classes(name) for each in cls.body if isinstance(each, _ANNOTATED)]

    def nodes(self, item: Item) -> Iterator[ast.AST]:
        """What is hashed for an item: a class without its methods, one method, or whole statements."""
        for statement in self.bound.get(item.name, ()):
            if not isinstance(statement, ast.ClassDef):
                yield statement
            elif item.method:
                yield from (each for each in statement.body if getattr(each, "name", "") == item.method)
            else:
                yield from (*statement.decorator_list, *statement.bases, *statement.keywords)
                yield ast.Constant(statement.name)
                yield from (each for each in statement.body if not isinstance(each, _ANNOTATED) and not _is_text(each))


def _imports(tree: ast.Module, package: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Local names with the module and the name that they stand for."""
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (
                    (alias.asname or alias.name.partition(".")[0]),
                    (
                        alias.name if alias.asname else alias.name.partition(".")[0],
                        "",
                    ),
                )
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield alias.asname or alias.name, (origin, alias.name)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements, those inside others too."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, name, ()):
            yield each
            yield from _statements(each)


def _says_nothing(statement: ast.stmt) -> bool:
    """Docstrings, imports, what is there for type checkers, and what only a script does."""
    if isinstance(statement, ast.If):
        names = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)}
        return bool(names & {"TYPE_CHECKING", "__name__"})
    return _is_text(statement) or isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _binds(statement: ast.stmt) -> list[str]:
    """The names that a statement gives to its module."""
    found: dict[str, None] = {}
    left: list[ast.AST] = [statement]
    while left:
        node = left.pop()
        if isinstance(node, (*_ANNOTATED, ast.ClassDef)):
            found[node.name] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif not isinstance(node, _SCOPES):
            left += ast.iter_child_nodes(node)
    for target in getattr(statement, "targets", ()):  # REGISTRY["name"] = ...
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name):
            found[target.id] = None
    return list(found)


def _local(function: ast.AST) -> set[str]:
    """The names that are a function's own, or those of one inside it: parameters, and what is assigned."""
    found, outer = set(), set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Global):
            outer |= set(node.names)
    return found - outer


class _Writer:
    """Writes nodes in one way, whatever the version of Python, and notes what they name."""

    def __init__(self, code: Code, module: Module):
        self._code, self._module = code, module
        self._own: set[str] = set()  # names of the functions around a node
        self.text: list[str] = []
        self.found = Described()

    def write(self, node: Any) -> None:
        if isinstance(node, ast.AST):
            self._node(node)
        elif isinstance(node, list):
            self.text.append("[")
            for each in node:
                self.write(each)
            self.text.append("]")
        else:
            self.text.append(f"{type(node).__name__}:{node!r},")

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, (ast.Name, ast.Attribute)):
            meant = self._meant(node)
            if meant is not None:  # by its own name, not by that of the module which it is taken from
                if isinstance(meant, Item):
                    self.found.items.add(meant)
                    self.text.append(f"({meant.name})")
                return
        if isinstance(node, ast.Attribute):
            self.found.attributes.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            self.found.attributes.add(node.value)
        self.text.append(f"({type(node).__name__}")
        outermost = not self._own and isinstance(node, (*_ANNOTATED, *_SCOPES))
        if outermost:
            self._own = _local(node)
        for name, value in ast.iter_fields(node):
            if name not in _LEFT_OUT and value is not None and value != []:
                self._field(node, name, value)
        if outermost:
            self._own = set()
        self.text.append(")")

    def _field(self, node: ast.AST, name: str, value: Any) -> None:
        if name == "body" and isinstance(value, list):
            value = [each for each in value if not _is_text(each)]
        elif name in ("annotation", "returns"):
            if isinstance(node, (ast.arg, *_ANNOTATED)):
                return
            if isinstance(node, ast.AnnAssign):
                self.text.append(ast.unparse(value))  # of a field: it counts, but names nothing that runs
                return
        self.text.append(f" {name}=")
        self.write(value)

    def _meant(self, node: ast.Name | ast.Attribute) -> Item | str | None:
        """The item or the module that a name, plain or with dots, stands for."""
        if isinstance(node, ast.Name):
            if node.id in self._own:
                return None
            return self._code.resolve(self._module.name, node.id)
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            inner = self._meant(node.value)
            if isinstance(inner, str):
                return self._code.resolve(inner, node.attr)
        return None
