# SPDX-License-Identifier: Apache-2.0
"""Measured figures behind an advice: what each method kept on the tables of the frontier, in sentences.

The figures are in advice_figures.json, which `python -m benchmarks.frontier.advice` writes from what the study of
docs/frontier.md measured. They are means over tables, so they say what is usual, not what your table will give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_SIZES = {"small": "of fewer than 2,000 rows", "large": "of 2,000 rows or more"}
_MEASURES = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "raw": "accuracy on rows that are not recoded",
    "detail": "detail",
    "counted": "counted detail",
}
_DETAIL = ("detail", "counted")  # which of them was measured of all methods


@cache
def figures() -> Any:
    """All figures, as they were written."""
    return json.loads(files("discreet.study").joinpath("advice_figures.json").read_text(encoding="utf-8"))


def nearest(rows: int, k: int) -> tuple[str, str]:
    """The part of the study that is nearest to a table: the size of the tables, and their k.

    >>> nearest(30_000, 10), nearest(500, 10)
    (('large', '5'), ('small', '5'))
    """
    size = "large" if rows >= 2000 else "small"
    measured = [int(one) for one in figures()["tables"][size]]
    return size, str(min(measured, key=lambda one: abs(_ratio(one, k))))


def _ratio(one: int, k: int) -> float:
    return max(one / k, k / one)


def table_in_words(method: str, parameters: Mapping[str, Any], *, rows: int, k: int) -> list[str]:
    """What the method kept on tables of this size, at about this k; nothing if it was not measured.

    >>> table_in_words("kadet", {}, rows=500, k=5)
    []
    """
    size, at = nearest(rows, k)
    part = figures()["tables"][size][at]
    found = part["methods"].get(_name(method, parameters))
    if found is None:
        return []
    kept = "".join(f" {_MEASURES[key]} {found[key]:.3f}," for key in _DETAIL if key in found)
    return [
        f"Measured on {part['tables']} tables {_SIZES[size]}, k = {at}: accuracy {found['accuracy']:.3f} on recoded"
        f" rows and {found['raw']:.3f} on rows as they are, AUC {found['auc']:.3f},{kept}"
        f" {100 * found['suppressed']:.0f} % of the cells blank."
    ]


def others_ahead(method: str, parameters: Mapping[str, Any], *, rows: int, k: int) -> list[str]:
    """Where other methods were ahead by more than chance, a sentence for each measure.

    >>> [one[:15] for one in others_ahead("kactus2", {}, rows=500, k=2)][:1]
    ['Measured there:']
    """
    size, at = nearest(rows, k)
    name, best = _name(method, parameters), dict[str, Any]()
    for one in figures()["tables"][size][at]["ahead"]:
        if one["of"] == name and one["by"] > best.get(one["measure"], {"by": 0})["by"]:
            best[one["measure"]] = one
    return [
        f"Measured there: {one['method']} is ahead by {one['by']:.3f} ± {one['give']:.3f} in {_MEASURES[measure]}."
        for measure, one in best.items()
    ]


def synthetic_in_words(epsilon: float) -> list[str]:
    """What a learner of synthetic rows reached at the budget that is nearest."""
    found = figures()["synthetic"]
    budgets = {one for table in found.values() for one in table}
    at = min(budgets, key=lambda one: abs(_budget(float(one)) - _budget(epsilon)))
    told = [f"{value[at]:.3f} on {table}" for table, value in found.items() if at in value]
    return [f"Measured at epsilon {at}: a learner of the made-up rows has an AUC of {', '.join(told)}."]


def _budget(epsilon: float) -> float:
    from math import log10

    return log10(max(epsilon, 1e-6))


def items_in_words() -> list[str]:
    """What groups of items keep beside single items, on each of the data sets at its smallest k."""
    told: dict[str, str] = {}
    for one in figures()["items"]:
        name = one["data"].partition(",")[0]
        said = f"{one['groups']:.3f} by groups, {one['single']:.3f} by the best single items, {one['all']:.3f} by all"
        told.setdefault(name, f"{name} at k = {one['k']} {said}")
    return [f"Measured, AUC: {'; '.join(told.values())}."]


def _name(method: str, parameters: Mapping[str, Any]) -> str:
    split = parameters.get("split")
    return f"{method}, split={split}" if split else method
