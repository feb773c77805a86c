# SPDX-License-Identifier: Apache-2.0
"""The methods that are compared: their names, and the seeds with which figures can be repeated."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from discreet.choose.reference_lines import LINES
from discreet.data.dataset import Dataset
from discreet.errors import DataError, ParameterError, listing
from discreet.foundation.randomness import is_source, seed_of
from discreet.methods import Method
from discreet.privacy.differential_privacy import DifferentialPrivacy


def parameters_of(method: Method) -> list[Any]:
    """What identifies a method: its class and parameters, and the content of files that parameters name."""
    parameters = method.get_params(deep=False)
    files = {name: value for name, value in parameters.items() if isinstance(value, str) and os.path.isfile(value)}
    contents = {name: Path(value).read_bytes() for name, value in files.items()}
    return [type(method).__module__, type(method).__qualname__, parameters, contents]


def seeded(method: Method, seed: int, folds: tuple[int, ...]) -> Method:
    """The method with a seed derived for these folds, unless it has one or takes none."""
    parameters = method.get_params(deep=False)
    may = "random_state" in parameters and not isinstance(method.promise, DifferentialPrivacy)
    if may and parameters["random_state"] is None:
        drawn = hashlib.sha256(f"discreet evaluation {seed} {folds[0]}".encode()).digest()
        parameters["random_state"] = int.from_bytes(drawn[:4], "big")
    return type(method)(**parameters)


def drawn_once(method: Method) -> Method:
    """The method with a seed in the place of a generator, which threads would share."""
    if not is_source(getattr(method, "random_state", None)):
        return method
    parameters = method.get_params(deep=False)
    return type(method)(**parameters | {"random_state": seed_of(parameters["random_state"])})


def named_methods(methods: Method | Iterable[Method] | Mapping[str, Method], dataset: Dataset) -> dict[str, Method]:
    """The methods by name; unnamed ones by their `label`."""
    if isinstance(methods, Mapping):
        named = dict(methods)
    else:
        listed = [methods] if isinstance(methods, Method) else list(methods)
        named = {label(method): method for method in listed}
        if len(named) < len(listed):
            raise ParameterError("Two methods are the same. Give each once, or names of your own: {name: method}.")
    wrong = [name for name, method in named.items() if not isinstance(method, Method)]
    if wrong or not named or {*LINES} & {*named}:
        raise ParameterError(
            f"Give methods, under any name but {listing(LINES)}. Got {len(named)}, of which {len(wrong)} are not"
            " methods."
        )
    unfit = [name for name, method in named.items() if dataset.shape not in method.takes]
    if unfit:
        raise DataError(f"The data is a {dataset.shape}; {listing(unfit)} cannot release it. Leave these methods out.")
    return named


def label(method: Method) -> str:
    """A method's name, with the parameters that differ from their defaults.

    >>> from discreet import Mondrian
    >>> label(Mondrian(k=5)), label(Mondrian(7, split="information"))
    ('mondrian(k=5)', 'mondrian(k=7, split=information)')
    """
    defaults = {name: parameter.default for name, parameter in signature(type(method)).parameters.items()}
    parameters = method.get_params(deep=False)
    shown = [
        f"{name}={parameters[name]}" if isinstance(parameters[name], (int, float, str)) else f"{name}=given"
        for name, default in defaults.items()
        if name == "k" or (name != "random_state" and not _equal(parameters[name], default))
    ]
    return f"{method.name}({', '.join(shown)})" if shown else method.name


def _equal(value: object, default: object) -> bool:
    plain = type(value) is type(default) and isinstance(value, (int, float, str, tuple))
    return value is default or (plain and value == default)
