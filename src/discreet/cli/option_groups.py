# SPDX-License-Identifier: Apache-2.0
"""Groups of options: one parameter of a command is a dataclass whose fields are the options.

Typer knows single parameters only. `with_groups` expands each group into its fields for Typer, and collects them into
the group again when the command is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from typing import Any, get_type_hints


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command in the form that Typer needs: one parameter per option."""
    hints = get_type_hints(command, include_extras=True)
    own = signature(command)
    groups = {name: hints[name] for name in own.parameters if is_dataclass(hints[name])}
    spelled: list[Parameter] = []
    for name, parameter in own.parameters.items():
        if name in groups:
            spelled += _options(groups[name])
        else:
            spelled.append(parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY))

    def run(**values: Any) -> None:
        built = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **built)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = own.replace(parameters=spelled, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in spelled}
    return run


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]
