# SPDX-License-Identifier: Apache-2.0
"""The recipe that a project's decisions make: what `discreet compare` runs, and `discreet replay` runs again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.choose.weights import WEIGHTS
from discreet.foundation.toml_values import toml_value
from discreet.methods import guide_of
from discreet.study import default_methods
from discreet.study.recipe import Recipe
from discreet.study.tasks import planned

_ROLES = {"identifier": "identifiers"}  # a recipe's word for a role
_ONE = ("target", "person")
_NOT_IN_ROLES = ("left out",)
_ON_REQUEST = ({"name": "variance-sketch"}, {"name": "delta-sketch"})  # of baskets: no rows that can be read
SHAPES = {
    "table": "A table: a row for each person, a column for each property",
    "columns": "Baskets in columns: a column for each item, with 0 or 1",
    "transactions": "Baskets in lines: the items of a person on a line, labels in a second file",
    "text": "Texts: a column of texts, whose words are the items",
}


@dataclass(frozen=True)
class OfferedMethod:
    """A method that can be compared: its section of the recipe, whether it is ticked at first, and what it is for."""

    key: str
    section: dict[str, Any]
    usual: bool
    promise: str
    use_if: str

    @property
    def title(self) -> str:
        said = [value for name, value in self.section.items() if name != "domain"]
        return " ".join(", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in said)


@dataclass(frozen=True)
class RecipeFiles:
    """The names of files that a recipe refers to: hierarchies by column, labels of transactions, a public domain."""

    hierarchies: Mapping[str, str]
    labels: str | None = None
    domain: str | None = None


def shape_of(state: Mapping[str, Any]) -> str:
    return state.get("shape", "table")


def recipe_of(state: Mapping[str, Any], files: RecipeFiles, *, jobs: int = 1) -> dict[str, Any]:
    """The recipe of what was decided, as a dictionary; roles and promises that nobody decided are not in it."""
    promise = state.get("promise", {})
    promises = {"k": promise.get("k", [5])}
    roles = _roles(state)
    promises |= {name: promise[name] for name in ("l", "t") if name in promise and "sensitive" in roles}
    promises |= {"epsilon": [promise["epsilon"]]} if "epsilon" in promise else {}
    more: dict[str, Any] = {"label_known": True} if promise.get("label_known") else {}
    counted = {"l": ("diversity", "c"), "t": ("distance",)}  # how what is asked is counted
    more |= {one: promise[one] for name in counted if name in promises for one in counted[name] if one in promise}
    more |= {"population": state["fraction"]} if promise.get("mapped") and "fraction" in state else {}
    more |= {"m": promise["m"]} if "m" in promise else {}
    more |= {"hierarchies": dict(files.hierarchies)} if files.hierarchies else {}
    asked = state.get("methods")
    methods = [
        one.section | _accepted(one.section["name"], more)
        for one in offered_methods(state, files.domain)
        if (one.usual if asked is None else one.key in asked)
    ]
    return {
        "format": 1,
        "source": _source(state, files.labels),
        "roles": roles,
        "promises": promises,
        "methods": methods,
        "weights": dict(state.get("weights") or {name: float(weight) for name, weight in WEIGHTS.items()}),
        "run": {"seed": state.get("seed", 0), "jobs": jobs},
    }


def _source(state: Mapping[str, Any], labels: str | None) -> dict[str, Any]:
    source, shape = state.get("source", {}), shape_of(state)
    said: dict[str, Any] = {"file": source.get("name", "table")}
    said |= {} if shape == "table" else {"shape": shape}
    if shape == "transactions":
        return said | ({} if labels is None else {"labels": labels})
    said |= {"text": state["text"]} if shape == "text" and "text" in state else {}
    return said | source.get("reading", {})


def _roles(state: Mapping[str, Any]) -> dict[str, Any]:
    """Baskets have a target at most: every other column is an item, and texts are their words."""
    roles: dict[str, Any] = {}
    for column, role in state.get("roles", {}).items():
        name = _ROLES.get(role, role)
        if role in _NOT_IN_ROLES or (shape_of(state) != "table" and role != "target"):
            continue
        if name in _ONE:
            roles[name] = column
        else:
            roles.setdefault(name, []).append(column)
    return roles if shape_of(state) != "transactions" else {}


def offered_methods(state: Mapping[str, Any], domain: str | None = None) -> list[OfferedMethod]:
    """The methods that suit the data and what is promised; those with noise if an epsilon was decided."""
    shape = "table" if shape_of(state) == "table" else "baskets"
    sections = [({"name": one.name, **(one.model_extra or {})}, True) for one in default_methods(shape)]
    if "epsilon" in state.get("promise", {}):
        if shape_of(state) == "text":
            pass  # the words of texts come from the rows: their names may not be published
        elif shape == "baskets":
            sections.append(({"name": "laplace-select"}, True))
        elif domain is not None:
            sections.append(({"name": "private-table", "domain": domain}, True))
    sections += [(dict(section), False) for section in _ON_REQUEST if shape == "baskets"]
    return [_offered(section, usual) for section, usual in sections]


def _offered(section: dict[str, Any], usual: bool) -> OfferedMethod:
    guide = guide_of(section["name"])
    key = "-".join(
        "-".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in section.items()
        if name != "domain"
    )
    return OfferedMethod(key, section, usual, guide.promise, guide.use_if)


def release_names(recipe: Mapping[str, Any], persons: int) -> tuple[list[str], dict[str, str]]:
    """The releases that the recipe makes, in order, and those that it cannot make, with the reason."""
    shape = "table" if recipe["source"].get("shape", "table") == "table" else "baskets"
    tasks, skipped = planned(Recipe.model_validate(recipe), shape, persons)
    return [task.name for task in tasks], skipped


def _accepted(name: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some parameters that a method has."""
    from inspect import signature

    from discreet.methods import METHODS

    takes = signature(METHODS[name]).parameters
    return {key: value for key, value in more.items() if key in takes}


def as_toml(recipe: Mapping[str, Any]) -> str:
    """The recipe as a TOML file."""
    lines = _pairs({name: value for name, value in recipe.items() if not isinstance(value, (Mapping, list))})
    for name, value in recipe.items():
        if isinstance(value, Mapping):
            lines += [f"[{name}]", *_pairs(value)]
        elif isinstance(value, list):
            lines += [line for one in value for line in (f"[[{name}]]", *_pairs(one))]
    return "\n".join(lines)


def _pairs(table: Mapping[str, Any]) -> list[str]:
    """A line for each key, and an empty one."""
    return [*(f"{toml_value(key)} = {toml_value(value)}" for key, value in table.items()), ""]
