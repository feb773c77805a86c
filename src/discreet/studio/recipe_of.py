# SPDX-License-Identifier: Apache-2.0
"""The recipe that a project's decisions make: what `discreet compare` runs, and `discreet replay` runs again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.choose.weights import WEIGHTS
from discreet.foundation.toml_values import toml_value
from discreet.study import default_methods

_ROLES = {"identifier": "identifiers"}  # a recipe's word for a role
_ONE = ("target", "person")
_NOT_IN_ROLES = ("left out",)


def recipe_of(
    state: Mapping[str, Any], *, hierarchies: Mapping[str, str] | None = None, jobs: int = 1
) -> dict[str, Any]:
    """The recipe of what was decided, as a dictionary; roles and promises that nobody decided are not in it.

    `hierarchies` are the files of those that were made by hand, by column.
    """
    source, promise = state.get("source", {}), state.get("promise", {})
    roles: dict[str, Any] = {}
    for column, role in state.get("roles", {}).items():
        if role in _NOT_IN_ROLES:
            continue
        name = _ROLES.get(role, role)
        if name in _ONE:
            roles[name] = column
        else:
            roles.setdefault(name, []).append(column)
    promises = {"k": promise.get("k", [5])} | {name: promise[name] for name in ("l", "t") if name in promise}
    more: dict[str, Any] = {"label_known": True} if promise.get("label_known") else {}
    more |= {"hierarchies": dict(hierarchies), "labels": "hierarchy"} if hierarchies else {}
    asked = state.get("methods")
    methods = [
        {"name": one.name, **(one.model_extra or {}), **_accepted(one.name, more)}
        for one in default_methods("table")
        if asked is None or _key(one) in asked
    ]
    return {
        "format": 1,
        "source": {"file": source.get("name", "table"), **source.get("reading", {})},
        "roles": roles,
        "promises": promises,
        "methods": methods,
        "weights": dict(state.get("weights") or {name: float(weight) for name, weight in WEIGHTS.items()}),
        "run": {"seed": state.get("seed", 0), "jobs": jobs},
    }


def method_keys() -> dict[str, str]:
    """The methods that can be chosen: a key, and how it is shown."""
    return {
        _key(one): " ".join([one.name, *map(str, (one.model_extra or {}).values())]) for one in default_methods("table")
    }


def _key(method: Any) -> str:
    return "-".join([method.name, *map(str, (method.model_extra or {}).values())])


def _accepted(name: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some parameters that a method has; labels are Mondrian's, for hierarchies."""
    from inspect import signature

    from discreet.methods import METHODS

    takes = signature(METHODS[name]).parameters
    return {key: value for key, value in more.items() if key in takes and (key != "labels" or name == "mondrian")}


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
