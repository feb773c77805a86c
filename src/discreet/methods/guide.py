# SPDX-License-Identifier: Apache-2.0
"""Which method to use: for each its promise, the data it takes, what it publishes and when to choose it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any

from discreet.foundation.parameters import Allowed
from discreet.methods import METHODS

_PROMISE_AND_USE = {
    "tree-ladder": ("k-anonymity", "a classifier is to be learnt from a table: try this first"),
    "mondrian": ("k-anonymity", "a table must serve questions that nobody has asked yet"),
    "kactus2": ("k-anonymity", "cells shall be true or blank, and the class is all that matters"),
    "kactus": ("k-anonymity", "a comparison with kactus2, which is better"),
    "tds": ("k-anonymity", "you have hierarchies of values; with recoding=global all rows share one coding"),
    "tdr": ("k-anonymity", "as tds, with categories that have no hierarchy"),
    "greedy": ("k-anonymity by containment", "words, purchases, diagnoses: keep the items that tell the class"),
    "optimal": ("k-anonymity by containment", "as greedy; keeps more, takes longer"),
    "maximal": ("k-anonymity by containment", "as greedy; as many items as possible"),
    "item-groups": ("k-anonymity by containment", "single items would be left out: publish groups of them"),
    "km": ("k-anonymity, m items known", "an outsider knows at most m items of a person"),
    "random-flip": ("k-anonymity", "items are known to be there or not, and single cells may be flipped by chance"),
    "kadet": ("k-anonymous model", "recipients need a classifier, not the rows"),
    "private-table": ("differential privacy", "nobody's row may be published: rows are made up from noisy counts"),
    "laplace-select": ("differential privacy", "only the names of the best columns are needed"),
    "exponential-select": ("differential privacy", "as laplace-select, one name after the other"),
    "private-fwell": ("differential privacy", "only the weights of the columns are needed"),
    "breach-aware": (
        "breach increase (measured)",
        "columns shall help recipients more than attackers; rows stay unique",
    ),
    "delta-sketch": ("delta-anonymity", "records are to be compared, not read; weak if an attacker has the key"),
    "variance-sketch": ("k-variance", "as delta-sketch; each record looks like its k nearest"),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method: what it may be, and what it is if it is not given."""

    name: str
    allowed: str
    default: Any


@dataclass(frozen=True)
class Guide:
    """A method as a user chooses it."""

    name: str
    python: str
    promise: str
    data: tuple[str, ...]
    publishes: str
    needs_target: bool
    use_if: str
    parameters: tuple[Parameter, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def guide_of(name: str) -> Guide:
    """What to know about a method before it is chosen.

    >>> guide = guide_of("mondrian")
    >>> guide.promise, guide.data, guide.parameters[0]
    ('k-anonymity; with l and t', ('table',), Parameter(name='k', allowed='a whole number of at least 2', default=5))
    """
    method = METHODS[name]
    about = (method.__doc__ or "").strip().splitlines()[0].rstrip(".")
    promise, use_if = _PROMISE_AND_USE.get(name, ("see its page", about))
    if {"l", "t"} <= set(parameters_of(name)):
        promise += "; with l and t"
    return Guide(
        name,
        method.__name__,
        promise,
        tuple(sorted(method.takes, reverse=True)),
        {"synthetic": "made-up rows"}.get(method.gives, method.gives) or "rows",
        method.needs_target,
        use_if,
        tuple(_parameters(name)),
    )


def guides() -> list[Guide]:
    """All methods, those to try first at the top."""
    known = [name for name in _PROMISE_AND_USE if name in METHODS]
    return [guide_of(name) for name in (*known, *(name for name in METHODS if name not in known))]


def parameters_of(name: str) -> dict[str, Any]:
    """The parameters of a method, with their defaults."""
    return {one.name: one.default for one in signature(METHODS[name]).parameters.values()}


def methods_with(parameter: str) -> list[str]:
    """The methods that take a parameter.

    >>> methods_with("m")
    ['km']
    """
    return [name for name in METHODS if parameter in parameters_of(name)]


_OF_PROMISES = ("k", "m", "epsilon", "delta", "alpha")  # parameters that say how much is promised


def promised_by_default(name: str, given: Iterable[str]) -> dict[str, Any]:
    """What a method promises by default, because these parameters were not given.

    >>> promised_by_default("km", ["m"])
    {'k': 5}
    """
    parameters = parameters_of(name)
    said = {*given, *(["delta"] if "epsilon" in parameters else [])}  # a delta of 0 is the stronger promise
    defaults = {one: default for one, default in parameters.items() if one in _OF_PROMISES}
    return {one: default for one, default in defaults.items() if default is not None and one not in said}


def _parameters(name: str) -> list[Parameter]:
    ranges = METHODS[name]._parameter_constraints
    found = []
    for one, default in parameters_of(name).items():
        allowed = Allowed(tuple(ranges[one])).in_words if one in ranges else ""
        found.append(Parameter(one, allowed, default))
    return found
