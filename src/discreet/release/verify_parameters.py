# SPDX-License-Identifier: Apache-2.0
"""The parameters that each method may state in a certificate, with kinds and ranges, listed without importing methods.

A certificate is published with all its parameters, so a parameter that the method does not have could smuggle out
anything, even rows. A test compares this list with what the methods really state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from discreet.errors import listing, shown
from discreet.foundation.parameters import Interval, StrOptions, allows
from discreet.privacy.group_promise import GROUP_NEEDS
from discreet.privacy.km_anonymity import MOST_ITEMS
from discreet.release.older_names import renamed

_MOST_NAMES = 10_000  # columns that one parameter names
_MOST_VALUES = 100_000  # values or cuts of a column
_MOST_WORDS = 32  # parameters of an unknown method
_NAME = re.compile(r"[A-Za-z_<][\w<>.-]{0,59}", re.ASCII)
_SIZE = re.compile(r"[1-9][0-9]{0,11} rows", re.ASCII)


def _number(value: Any) -> bool:
    return Interval(Real, None, None, closed="neither").allows(value)


def _short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 1000


@dataclass(frozen=True)
class Word:
    """The name of a function or of a learner."""

    pattern: re.Pattern[str] = _NAME

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and self.pattern.fullmatch(value) is not None


@dataclass(frozen=True)
class ListOf:
    """A list of at most `most` values of a kind."""

    kind: Any
    most: int = 100

    def allows(self, value: Any) -> bool:
        return isinstance(value, list) and len(value) <= self.most and all(allows(self.kind, one) for one in value)


class ColumnName:
    """The name of a column."""

    def allows(self, value: Any) -> bool:
        return _short(value)


class CutPoints:
    """Columns with increasing cut points, numbers or dates."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, dict) and len(value) <= _MOST_NAMES and all(map(_is_cuts, value.values()))


def _is_cuts(cuts: Any) -> bool:
    if not isinstance(cuts, list) or len(cuts) > _MOST_VALUES:
        return False
    if all(map(_number, cuts)):
        return all(low < high for low, high in pairwise(cuts))
    return all(isinstance(cut, str) and re.fullmatch(r"[0-9][0-9 :.T+-]{3,40}", cut, re.ASCII) for cut in cuts)


class StatedDomain:
    """Columns with their values or cuts, and whether a cell may be missing."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, dict) and len(value) <= _MOST_NAMES and all(map(_is_levels, value.values()))


def _is_levels(levels: Any) -> bool:
    if not isinstance(levels, dict) or not isinstance(levels.get("missing"), bool):
        return False
    if set(levels) == {"cuts", "missing"}:
        return _is_cuts(levels["cuts"]) and bool(levels["cuts"])
    values = levels.get("values")
    return (
        set(levels) == {"values", "missing"}
        and isinstance(values, list)
        and 0 < len(values) <= _MOST_VALUES
        and all(map(_short, values))
        and len(set(values)) == len(values)
    )


class Bounds:
    """A pair of numbers or of lists of numbers, or such a pair by column."""

    def allows(self, value: Any) -> bool:
        if isinstance(value, dict):
            return len(value) <= _MOST_NAMES and all(_is_pair(pair) for pair in value.values())
        return _is_pair(value)


def _is_pair(pair: Any) -> bool:
    def fine(end: Any) -> bool:
        return _number(end) or (isinstance(end, list) and len(end) <= _MOST_VALUES and all(map(_number, end)))

    return isinstance(pair, list) and len(pair) == 2 and all(map(fine, pair))


class Shares:
    """Shares of rows, of cells, or of both."""

    def allows(self, value: Any) -> bool:
        share = Interval(Real, 0, 1, closed="both")
        return isinstance(value, dict) and set(value) <= {"rows", "cells"} and all(map(share.allows, value.values()))


class StatedWeights:
    """Columns with numbers that are not negative."""

    def allows(self, value: Any) -> bool:
        many = isinstance(value, dict) and len(value) <= _MOST_NAMES
        return many and all(_short(name) and _AT_LEAST_0.allows(weight) for name, weight in value.items())


class Sets:
    """Sets of columns, each with its k."""

    def allows(self, value: Any) -> bool:
        names = ListOf(ColumnName(), _MOST_NAMES)
        pairs = isinstance(value, list) and len(value) <= _MOST_NAMES
        return pairs and all(
            isinstance(one, list) and len(one) == 2 and names.allows(one[0]) and allows(_AT_LEAST_2, one[1])
            for one in value
        )


_AT_LEAST_1, _AT_LEAST_2 = (Interval(Integral, low, None, closed="left") for low in (1, 2))
_AT_LEAST_0 = Interval(Real, 0, None, closed="left")
_ABOVE_0, _SHARE = Interval(Real, 0, None, closed="neither"), Interval(Real, 0, 1, closed="both")
_HIERARCHIES = [None, StrOptions({"given"}), ListOf(ColumnName(), _MOST_NAMES)]
_MAX_SUPPRESSED = [None, _SHARE, Shares()]
_CUTS = [None, CutPoints()]

_KACTUS: dict[str, list[Any]] = {
    "k": [_AT_LEAST_2],
    "inducer": [Word()],
    "min_objects": [_AT_LEAST_1],
    "confidence": [Interval(Real, 0, 0.5, closed="right")],
    "cuts": _CUTS,
    "max_suppressed": _MAX_SUPPRESSED,
}
_PRIVATE_SELECT: dict[str, list[Any]] = {
    "epsilon": [_ABOVE_0],
    "n_features": [_AT_LEAST_1],
    "domain": [None, StatedDomain()],
}
_SPECIALIZE: dict[str, list[Any]] = {
    "k": [_AT_LEAST_2],
    "hierarchies": _HIERARCHIES,
    "public_hierarchies": [bool],
    "recoding": [None, StrOptions({"local", "global"})],
    "group_size": [None, _AT_LEAST_2],
    "quasi_sets": [None, Sets()],
    **GROUP_NEEDS,
    "max_suppressed": _MAX_SUPPRESSED,
}
_SKETCH: dict[str, list[Any]] = {
    "max_components": [Interval(Integral, 1, 2**20, closed="both")],
    "information": [None, _ABOVE_0],
    "count_classes": [None, StrOptions({"quarters"}), ListOf(_AT_LEAST_1, 1000)],
    "allow_determined": [bool],
}

PARAMETERS: dict[str, dict[str, list[Any]]] = {
    "breach-aware": {
        "alpha": [Interval(Real, -1, None, closed="left"), StrOptions({"majority"})],
        "ranking": [StrOptions({"performance", "privacy", "both"})],
        "enforce": [StrOptions({"strict", "filter"})],
        "test": [Word()],
        "margin": [Interval(Real, 0, 1, closed="neither")],
        "search": [Word()],
        "weights": [ListOf(Interval(Real, None, None, closed="neither"), 10)],
        "score": [StrOptions({"rank", "value"})],
        "learner": [Word()],
        "attackers": [Word(), ListOf(Word(), 20)],
        "folds": [_AT_LEAST_2],
        "cuts": _CUTS,
    },
    "delta-sketch": {"delta": [_ABOVE_0], **_SKETCH},
    "exponential-select": _PRIVATE_SELECT,
    "greedy": {
        "k": [_AT_LEAST_2],
        "utility": [Word()],
        "constraint": [StrOptions({"containment", "k-anonymity"})],
        "absences": [Interval(Integral, 0, None, closed="left")],
        "label_known": [bool],
        "on_infeasible": [StrOptions({"skip", "stop"})],
        "max_features": [None, _AT_LEAST_1],
        "cuts": _CUTS,
    },
    "item-groups": {
        "k": [_AT_LEAST_2],
        "groups": [None, StrOptions({"given"})],
        "form": [StrOptions({"auto", "groups", "scores"})],
        "coverage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="left")],
        "beginnings": [bool],
    },
    "kactus": _KACTUS,
    "kactus2": {**_KACTUS, "swap": [_SHARE], "pool": [bool], **GROUP_NEEDS},
    "kadet": {"k": [_AT_LEAST_2], "public_class": [bool], "prune": [bool], "hierarchies": _HIERARCHIES},
    "km": {
        "k": [_AT_LEAST_2],
        "m": [Interval(Integral, 1, MOST_ITEMS, closed="both")],
        "utility": [StrOptions({"information", "hamdist"})],
        "groups": [None, StrOptions({"given"})],
        "cuts": _CUTS,
    },
    "laplace-select": _PRIVATE_SELECT,
    "maximal": {
        "k": [_AT_LEAST_2],
        "label_known": [bool],
        "candidates": [_AT_LEAST_1],
        "utility": [StrOptions({"hamdist", "distcnt"})],
        "family": [StrOptions({"containment", "frequent"})],
        "time_limit": [None, _ABOVE_0],
        "cuts": _CUTS,
    },
    "mondrian": {
        "k": [_AT_LEAST_2],
        "split": [StrOptions({"median", "information"})],
        "least": [None, _AT_LEAST_2],
        "relaxed": [bool],
        "labels": [StrOptions({"readable", "local", "hierarchy", "cuts"})],
        "hierarchies": _HIERARCHIES,
        "grids": [None, ListOf(ColumnName(), _MOST_NAMES)],
        **GROUP_NEEDS,
        "population": [None, Interval(Real, 0, 1, closed="right"), StrOptions({"given"})],
        "max_suppressed": _MAX_SUPPRESSED,
    },
    "optimal": {
        "k": [_AT_LEAST_2],
        "label_known": [bool],
        "utility": [Word()],
        "time_limit": [None, _ABOVE_0],
        "max_features": [None, _AT_LEAST_1],
        "cuts": _CUTS,
    },
    "private-fwell": {
        "epsilon": [_ABOVE_0],
        "regularization": [_ABOVE_0],
        "bounds": [None, Bounds()],
        "strategy": [StrOptions({"auto", "strata", "ranks", "splits", "blocks", "reference"})],
        "reference": [None, Word(_SIZE)],
        "blocks": [None, _AT_LEAST_1],
        "clip": [_ABOVE_0],
        "n_features": [None, _AT_LEAST_1],
    },
    "private-table": {
        "epsilon": [_ABOVE_0],
        "delta": [Interval(Real, 0, 1, closed="left")],
        "model": [StrOptions({"auto", "cells", "marginals"})],
        "domain": [StatedDomain()],
        "neighbours": [StrOptions({"replace-one", "add-remove"})],
        "numbers": [bool],
        "rows_per_person": [None, _AT_LEAST_1],
    },
    "random-flip": {"k": [_AT_LEAST_2], "vector": [StrOptions({"majority", "member"})], "cuts": _CUTS},
    "tdr": _SPECIALIZE,
    "tds": _SPECIALIZE,
    "tree-ladder": {
        "k": [_AT_LEAST_2],
        "trust": [None, _AT_LEAST_2],
        "bins": [Interval(Integral, 2, 256, closed="both")],
        "detail": [bool, _AT_LEAST_0],  # a truth value in certificates of version 0.1
        "weights": [None, StatedWeights()],
        "targets": [None, ListOf(ColumnName(), _MOST_NAMES)],
        "labels": [StrOptions({"readable", "local"})],
        "hierarchies": _HIERARCHIES,
        **GROUP_NEEDS,
        "max_suppressed": _MAX_SUPPRESSED,
    },
    "variance-sketch": {
        "k": [_AT_LEAST_1],
        "delta": [None, _ABOVE_0],
        "neighbour_search": [StrOptions({"exact", "approximate"})],
        "raise_counts": [bool],
        **_SKETCH,
    },
}

# Parameters that certificates of version 0.1 do not state: a certificate states all later ones of its method, or none.
_LATER_NEEDS = set(GROUP_NEEDS) - {"l"}
_LATER: dict[str, set[str]] = {
    "greedy": {"label_known"},
    "kactus2": _LATER_NEEDS,
    "maximal": {"label_known"},
    "mondrian": _LATER_NEEDS | {"least", "population"},
    "optimal": {"label_known"},
    "private-table": {"numbers"},
    "tdr": set(GROUP_NEEDS) | {"public_hierarchies", "recoding", "group_size"},
    "tds": set(GROUP_NEEDS) | {"public_hierarchies", "recoding", "group_size"},
    "tree-ladder": set(GROUP_NEEDS) | {"weights", "targets", "labels", "hierarchies"},
}
_ITEMS, _GROUPS = {"table", "baskets"}, {"k-anonymity", "l-diversity", "t-closeness"}
RELEASES: dict[str, tuple[set[str], set[str]]] = {  # by method: shapes and promises of its releases
    "breach-aware": ({"table"}, {"breach increase"}),
    "delta-sketch": ({"sketches"}, {"delta-anonymity"}),
    "exponential-select": ({"names"}, {"differential privacy"}),
    "greedy": (_ITEMS, {"containment", "k-anonymity"}),
    "item-groups": ({"baskets"}, {"containment"}),
    "kactus": ({"table"}, {"k-anonymity"}),
    "kactus2": ({"table"}, _GROUPS),
    "kadet": ({"model"}, {"k-anonymous model"}),
    "km": (_ITEMS, {"(k, m)-anonymity"}),
    "laplace-select": ({"names"}, {"differential privacy"}),
    "maximal": (_ITEMS, {"containment"}),
    "mondrian": ({"table"}, {*_GROUPS, "k-map"}),
    "optimal": (_ITEMS, {"containment"}),
    "private-fwell": ({"weights"}, {"differential privacy"}),
    "private-table": ({"table"}, {"differential privacy"}),
    "random-flip": (_ITEMS, {"k-anonymity"}),
    "tdr": ({"table"}, _GROUPS),
    "tds": ({"table"}, _GROUPS),
    "tree-ladder": ({"table"}, _GROUPS),
    "variance-sketch": ({"sketches"}, {"k-variance", "delta-anonymity"}),
}


def parameter_problems(method: str, parameters: Mapping[str, Any]) -> list[str]:
    """Problems of the stated parameters, each taken by itself."""
    parameters = renamed(method, parameters)
    kinds = PARAMETERS.get(method)
    if kinds is None:
        return _unknown_method(method, parameters)
    left_out = {"k"} if parameters.get("quasi_sets") is not None else set()
    later = _LATER.get(method, set()) & set(kinds)
    left_out |= later if later.isdisjoint(parameters) else set()
    extra, absent = sorted(set(parameters) - set(kinds)), sorted(set(kinds) - set(parameters) - left_out)
    if extra or absent:
        what = f"has no parameters {listing(extra)}" if extra else f"has further parameters, {listing(absent)}"
        return [f"The method {shown(method)} {what}: the certificate's parameters are not those of the method."]
    wrong = [name for name, value in parameters.items() if not any(allows(kind, value) for kind in kinds[name])]
    if wrong:
        return [f"Parameters of the method are of the wrong kind, or out of range: {listing(sorted(wrong))}."]
    return []


def _unknown_method(method: str, parameters: Mapping[str, Any]) -> list[str]:
    """Methods of third parties may state only plain numbers and words."""
    words = all(_NAME.fullmatch(name) for name in parameters)
    plain = all(
        value is None or isinstance(value, bool) or _number(value) or Word().allows(value)
        for value in parameters.values()
    )
    if (method and not _NAME.fullmatch(method)) or len(parameters) > _MOST_WORDS or not words or not plain:
        return ["The method is not known here, and its parameters are more than a few numbers and words."]
    return []
