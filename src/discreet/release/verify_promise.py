# SPDX-License-Identifier: Apache-2.0
"""Check that a certificate states the promise that its method makes with the stated parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from discreet.errors import DiscreetError, shown
from discreet.privacy.group_promise import GROUP_NEEDS, promise_of
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Both, Promise
from discreet.release.verify_parameters import PARAMETERS, RELEASES

_MOST_PARTS = 100  # joined promises and their sets of columns
_PROMISED = (
    "k",
    "m",
    "label_known",
    "epsilon",
    "delta",
    "alpha",
    "absences",
    "public_class",
    "folds",
)  # in promises, too


def promise_problems(promise: Promise) -> list[str]:
    """Bound the parts of a promise, so that a forged one cannot make checking take forever."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    many = len(parts) + sum(len(getattr(part, "sets", None) or ()) for part in parts)
    if many > _MOST_PARTS or any(isinstance(part, Both) for part in parts):
        return [f"The promise has {many} parts; at most {_MOST_PARTS} are checked, and none within another."]
    return []


def other_promise(method: str, shape: str, parameters: Mapping[str, Any], promise: Promise) -> list[str]:
    """Problems if the method with these parameters does not make releases of this shape and promise."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    shapes, promises = RELEASES[method]
    if shape not in shapes or not {part.name for part in parts} <= promises:
        return [f"The method {shown(method)} makes no release of this shape with this promise."]
    if parameters.get("quasi_sets") is not None:
        return [] if _of_sets(parameters) == parts else [_OTHER]
    if "l" in PARAMETERS[method]:
        expected = _group_promise(parameters)
        return [] if expected is not None and _parts(expected) == _parts(promise) else [_OTHER]
    parameters = {"label_known": False, **parameters}
    for name in set(_PROMISED) & set(parameters):
        value, promised = parameters[name], [getattr(part, name) for part in parts if hasattr(part, name)]
        if value is not None and any(value != one for one in promised):
            return [_OTHER]
        if value and not promised and name != "absences":
            return [_OTHER]
    return []


def _parts(promise: Promise) -> tuple[Promise, ...]:
    """The different parts of a promise; k-anonymity of sets of columns is weaker, and a remark says so."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    whole = (replace(one, sets=None, columns=None) if isinstance(one, KAnonymity) else one for one in parts)
    return tuple(dict.fromkeys(whole))


def _of_sets(parameters: Mapping[str, Any]) -> tuple[Promise, ...]:
    """The parts of the promise of a method with sets of columns: one for each set, then what else a group needs."""
    known = parameters.get("label_known", False)
    sets = [KAnonymity(k, columns=columns, label_known=known) for columns, k in parameters["quasi_sets"]]
    whole = _group_promise({**parameters, "k": 2})
    return (*sets, *(whole.promises[1:] if isinstance(whole, Both) else ()))


def _group_promise(parameters: Mapping[str, Any]) -> Promise | None:
    """The promise that the parameters of a method that groups rows make; None if they contradict each other."""
    try:
        asked = {name: parameters[name] for name in (*GROUP_NEEDS, "population") if name in parameters}
        return promise_of(parameters["k"], **asked)
    except DiscreetError:
        return None


_OTHER = "The parameters of the method contradict the promise."
