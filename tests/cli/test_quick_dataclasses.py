# SPDX-License-Identifier: Apache-2.0
"""Dataclasses in the process of a command do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import subprocess
import sys

import pytest

from discreet.cli import quick_dataclasses

_ALL = """
import dataclasses, importlib, inspect, json, pkgutil, re, sys
if sys.argv[1] == "quick":
    from discreet.cli.quick_dataclasses import install
    install()
import discreet
def looks(cls):
    names = ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")
    own = {name: name in vars(cls) and (vars(cls)[name] is not None) for name in names}
    signature = inspect.signature(cls).parameters.values()
    parameters = [(one.name, str(one.kind), re.sub("0x[0-9a-f]+", "", repr(one.default))) for one in signature]
    return [own, parameters, list(getattr(cls, "__match_args__", ())), [one.name for one in dataclasses.fields(cls)]]
found = {}
for info in pkgutil.walk_packages(discreet.__path__, "discreet."):
    if info.name.startswith("discreet.studio") or info.name.endswith("__main__"):
        continue
    module = importlib.import_module(info.name)
    for name, one in vars(module).items():
        if isinstance(one, type) and dataclasses.is_dataclass(one) and one.__module__ == info.name:
            found[f"{info.name}.{name}"] = looks(one)
print(json.dumps(found))
"""


def test_every_dataclass_of_discreet_is_the_same_to_those_who_use_it():
    usual, quick = (
        json.loads(
            subprocess.run([sys.executable, "-c", _ALL, kind], capture_output=True, text=True, check=True).stdout
        )
        for kind in ("usual", "quick")
    )
    assert len(usual) > 200
    assert usual == quick


def _classes(dataclass):
    @dataclass(frozen=True)
    class Base:
        __quick_dataclass__ = True  # or else only classes of discreet would be quick
        x: int
        y: list = dataclasses.field(default_factory=list, compare=False)

    @dataclass(frozen=True, kw_only=True)
    class Derived(Base):
        z: str = "z"
        shown: int = dataclasses.field(default=3, repr=False)
        made: int = dataclasses.field(init=False, default=0)

        def __post_init__(self):
            object.__setattr__(self, "made", self.x + 1)

    @dataclass
    class Open:
        __quick_dataclass__ = True
        x: int = 0

    @dataclass(eq=False)
    class Single:
        __quick_dataclass__ = True
        x: int = 0

    return Base, Derived, Open, Single


@pytest.fixture(params=[dataclasses.dataclass, quick_dataclasses.dataclass], ids=["usual", "quick"])
def classes(request):
    return _classes(request.param)


def test_objects_behave_as_those_of_the_standard_library(classes):
    base, derived, open_, single = classes
    assert base(1) == base(1, [2])
    assert base(1) != base(2)
    assert base(1) != derived(1)
    assert len({base(1), base(1), derived(1), derived(1, z="a")}) == 3
    assert repr(derived(1)).endswith("Derived(x=1, y=[], z='z', made=2)")
    assert str(inspect.signature(derived)).startswith("(x:")
    assert [one.name for one in inspect.signature(derived).parameters.values() if one.kind == one.KEYWORD_ONLY] == [
        "z",
        "shown",
    ]
    one = base(1)
    assert one.y is not base(1).y
    assert dataclasses.replace(derived(1), x=5).made == 6
    assert dataclasses.asdict(derived(1, [2])) == {"x": 1, "y": [2], "z": "z", "shown": 3, "made": 2}
    assert copy.deepcopy(derived(4)) == derived(4)
    for change in (lambda: setattr(one, "x", 2), lambda: setattr(one, "new", 2), lambda: delattr(one, "x")):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot"):
            change()
    changed = open_()
    changed.x = 2
    assert changed == open_(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(changed)
    assert single() != single()
    assert hash(single()) is not None
    with pytest.raises(TypeError, match="argument"):
        base()
    with pytest.raises(TypeError, match="argument"):
        derived(1, [], "z")


def test_an_object_that_contains_itself_is_written(classes):
    _, _, open_, _ = classes
    one = open_()
    one.x = one
    assert repr(one).endswith("Open(x=...)")


def test_classes_of_others_are_left_to_the_standard_library():
    @quick_dataclasses.dataclass(frozen=True)
    class Theirs:
        x: int = 0

    assert not hasattr(Theirs, "__quick_dataclass__")
    assert Theirs.__dataclass_params__.frozen


@dataclasses.dataclass(frozen=True)
class Kept:
    x: int = 0


Quick = quick_dataclasses.dataclass(frozen=True)(
    type("Quick", (), {"__quick_dataclass__": True, "__module__": __name__, "__annotations__": {"x": "int"}, "x": 0})
)


def test_objects_can_be_pickled():
    assert pickle.loads(pickle.dumps(Quick(3))) == Quick(3)
