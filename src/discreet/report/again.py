# SPDX-License-Identifier: Apache-2.0
"""The command that repeats a release, as reports show it: roles, method and parameters, without the seed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

_ROLES = ("target", "quasi", "sensitive", "identifiers", "other", "person")
_OPTIONS = ("k", "epsilon")  # parameters with an option of their own


def command(summary: dict[str, Any], release: dict[str, Any]) -> str:
    """The command line. Parameters at their defaults are left out."""
    columns = summary["source"].get("columns", ())
    roles = {role: [column["name"] for column in columns if column["role"] == role] for role in _ROLES}
    words = ["discreet", "release", summary["name"], *role_options(roles), "--method", release["method"]]
    for name, value in chosen(release["parameters"], release["method"]).items():
        if name in _OPTIONS:
            words += [f"--{name}", f"{value}"]
        else:
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return shlex.join([*words, "-o", "out"])


def chosen(parameters: Mapping[str, Any], method: str) -> dict[str, Any]:
    """The parameters of a method that are not at their defaults, and those that promises mention.

    >>> chosen({"k": 5, "split": "median", "labels": "cuts"}, "mondrian")
    {'k': 5, 'labels': 'cuts'}
    """
    defaults = _defaults(method)
    return {
        name: value
        for name, value in parameters.items()
        if value is not None and (name in _OPTIONS or value != defaults.get(name))
    }


def role_options(roles: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns of each role as options, such as --quasi age,sex.

    >>> role_options({"target": ["ill"], "quasi": ["age", "sex"], "other": [], "sensitive": ["a,b", "c"]})
    ['--target', 'ill', '--quasi', 'age,sex', '--sensitive', 'a,b', '--sensitive', 'c']
    """
    words: list[str] = []
    for role, names in roles.items():
        if any("," in name for name in names):  # a list would be ambiguous
            words += [word for name in names for word in (f"--{role}", name)]
        elif names:
            words += [f"--{role}", ",".join(names)]
    return words


def _defaults(method: str) -> dict[str, Any]:
    from discreet.methods import METHODS

    cls = METHODS.get(method)
    return {} if cls is None else {name: one.default for name, one in signature(cls).parameters.items()}
