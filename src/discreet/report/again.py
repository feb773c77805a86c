# SPDX-License-Identifier: Apache-2.0
"""The command that makes a release again, as a report shows it: roles, method and parameters, without the seed."""

from __future__ import annotations

import json
import shlex
from inspect import signature
from typing import Any

_ROLES = ("target", "quasi", "sensitive", "identifiers", "other", "person")
_OPTIONS = ("k", "epsilon")  # parameters with an option of their own


def command(summary: dict[str, Any], release: dict[str, Any]) -> str:
    """What to type. Parameters that are as they are unasked are left out."""
    words = ["discreet", "release", summary["name"]]
    for role in _ROLES:
        names = [column["name"] for column in summary["source"].get("columns", ()) if column["role"] == role]
        if any("," in name for name in names):  # then a list could be read in two ways
            words += [word for name in names for word in (f"--{role}", name)]
        elif names:
            words += [f"--{role}", ",".join(names)]
    words += ["--method", release["method"]]
    usual = _usual(release["method"])
    for name, value in release["parameters"].items():
        if name in _OPTIONS:
            words += [f"--{name}", f"{value}"]
        elif value != usual.get(name):
            words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return shlex.join([*words, "-o", "out"])


def _usual(method: str) -> dict[str, Any]:
    from discreet.methods import METHODS

    made_by = METHODS.get(method)
    return {} if made_by is None else {name: one.default for name, one in signature(made_by).parameters.items()}
