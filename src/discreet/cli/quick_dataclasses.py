# SPDX-License-Identifier: Apache-2.0
"""Dataclasses of discreet that load quickly.

`dataclasses.dataclass` writes up to six methods of a class as text and compiles them while the module is loaded. A
command loads two hundred such classes and makes objects of a few dozen of them: this took a twentieth of a release of a
small table. In the process of a command, only `__init__` is compiled, when the first object of a class is made; the
other methods are functions of the fields. They do what those of the standard library do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any

_usual: Callable[..., Any] = dataclasses.dataclass
_KNOWN = {"frozen", "eq", "repr", "kw_only"}
_MARK = "__quick_dataclass__"


def install() -> None:
    """From now on, dataclasses of discreet that are loaded are of this kind, and what is derived from them."""
    dataclasses.dataclass = dataclass


def dataclass(cls: type | None = None, /, **options: Any) -> Any:
    """As `dataclasses.dataclass`."""
    if cls is None:
        return partial(dataclass, **options)
    ours = cls.__module__.startswith("discreet.") or hasattr(cls, _MARK)
    written = vars(cls).get("__annotations__", {}).values()
    if not ours or options.keys() - _KNOWN or any("InitVar" in str(one) for one in written):
        return _usual(cls, **options)
    frozen, eq, own = options.get("frozen", False), options.get("eq", True), {*vars(cls)}
    _usual(cls, init=False, repr=False, eq=False, kw_only=options.get("kw_only", False))
    fields = dataclasses.fields(cls)
    methods: dict[str, Any] = {"__init__": _Init(cls, frozen)}
    if options.get("repr", True):
        methods["__repr__"] = _written([one.name for one in fields if one.repr])
    if eq:
        methods["__eq__"] = _equal(_cells([one.name for one in fields if one.compare]))
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    if eq and ("__hash__" not in own or ("__eq__" in own and vars(cls)["__hash__"] is None)):
        hashed = [one.name for one in fields if (one.compare if one.hash is None else one.hash)]
        cls.__hash__ = _hashed(_cells(hashed)) if frozen else None  # type: ignore[assignment,method-assign]
    if frozen:
        _freeze(cls, frozenset(one.name for one in fields))
    setattr(cls, _MARK, True)
    return cls


class _Init:
    """Stands for `__init__`, which is compiled when it is looked up."""

    def __init__(self, cls: type, frozen: bool):
        self._cls, self._frozen = cls, frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = _init(self._cls, self._frozen)
        self._cls.__init__ = made  # type: ignore[misc]
        return made.__get__(instance, owner)


def _init(cls: type, frozen: bool) -> Any:
    fields = dataclasses.fields(cls)
    space: dict[str, Any] = {"_set": object.__setattr__, "_none": _NONE}
    parameters: list[str] = ["self"]
    lines: list[str] = []
    for one in sorted(fields, key=lambda one: bool(one.kw_only)):  # stable: positional ones first
        value = one.name
        if one.default is not dataclasses.MISSING:
            space[f"_default_{one.name}"] = one.default
        if one.default_factory is not dataclasses.MISSING:
            space[f"_make_{one.name}"] = one.default_factory
            value = f"_make_{one.name}() if {one.name} is _none else {one.name}" if one.init else f"_make_{one.name}()"
        if one.init:
            if one.kw_only and "*" not in parameters:
                parameters.append("*")
            default = f"=_default_{one.name}" if one.default is not dataclasses.MISSING else ""
            parameters.append(one.name + (default or ("=_none" if f"_make_{one.name}" in space else "")))
        elif one.default_factory is dataclasses.MISSING:
            continue
        lines.append(f"_set(self, {one.name!r}, {value})" if frozen else f"self.{one.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), space)
    made = space["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {one.name: one.type for one in fields if one.init} | {"return": None}
    return made


class _Nothing:
    def __repr__(self) -> str:
        return "<factory>"


_NONE = _Nothing()


def _cells(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The fields of an object in a row."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda one: (getattr(one, names[0]),)) if names else (lambda one: ())


def _written(names: list[str]) -> Any:
    def write(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return recursive_repr()(write)


def _equal(cells: Callable[[Any], tuple[Any, ...]]) -> Any:
    def equal(self: Any, other: object) -> Any:
        return cells(self) == cells(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hashed(cells: Callable[[Any], tuple[Any, ...]]) -> Any:
    return lambda self: hash(cells(self))


def _freeze(cls: type, fields: frozenset[str]) -> None:
    """Refuse to change objects."""

    def set_it(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in fields:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)  # type: ignore[arg-type]

    def delete_it(self: Any, name: str) -> None:
        if type(self) is cls or name in fields:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)  # type: ignore[arg-type]

    cls.__setattr__, cls.__delattr__ = set_it, delete_it  # type: ignore[assignment,method-assign]
