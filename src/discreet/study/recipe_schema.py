# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a recipe: editors that read the first line of a recipe complete its keys and check its values.

What the model of a recipe leaves to the methods, their parameters, the schema says of each method.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from discreet.foundation.parameters import Interval, StrOptions
from discreet.methods import METHODS
from discreet.study.recipe import Recipe, is_list, parameters_of

SCHEMA = "recipe.schema.json"
_KINDS = {bool: "boolean", str: "string", Integral: "integer", dict: "object", Mapping: "object"}


def schema() -> str:
    """The text of the schema."""
    document = {"title": "A recipe of discreet"} | Recipe.model_json_schema()
    document["$defs"]["MethodSection"]["allOf"] = [_of_method(name) for name in METHODS]
    return json.dumps(document, indent=1) + "\n"


def _of_method(name: str) -> dict[str, Any]:
    accepted = parameters_of(name)
    properties = {parameter: _of_parameter(name, parameter) for parameter in accepted}
    then = {"properties": properties, "propertyNames": {"enum": ["name", *accepted]}}
    return {"if": {"properties": {"name": {"const": name}}, "required": ["name"]}, "then": then}


def _of_parameter(method: str, parameter: str) -> dict[str, Any]:
    """Any of its ranges, or a grid of such values; everything, where a range is more than a schema can say."""
    ranges = [
        _of_range(allowed) for allowed in METHODS[method]._parameter_constraints[parameter] if allowed is not None
    ]
    if {} in ranges or is_list(method, parameter):
        return {}
    return {"anyOf": [*ranges, {"type": "array", "minItems": 1, "items": {"anyOf": ranges}}]}


def _of_range(allowed: Any) -> dict[str, Any]:
    if isinstance(allowed, StrOptions):
        return {"enum": sorted(allowed.options)}
    if isinstance(allowed, Interval):
        limits: dict[str, Any] = {"type": "integer" if allowed.kind is Integral else "number"}
        if allowed.left is not None:
            limits["minimum" if allowed.closed in ("left", "both") else "exclusiveMinimum"] = allowed.left
        if allowed.right is not None:
            limits["maximum" if allowed.closed in ("right", "both") else "exclusiveMaximum"] = allowed.right
        return limits
    return {"type": _KINDS[allowed]} if isinstance(allowed, type) and allowed in _KINDS else {}
