# SPDX-License-Identifier: Apache-2.0
"""What a group needs, by the definitions and in plain Python: which rows may be published as one group."""

import math
from collections import Counter
from fractions import Fraction

ASKED = [
    {},
    {"label_known": True},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 1.5},
    {"t": 0.25},
    {"t": 0.2, "distance": "ordered"},
    {"l": 2, "t": 0.4, "label_known": True},
]


def _counted(values, whose):
    return Counter(value for value, _ in set(zip(values, whose, strict=True)))


def _far(mine, table, ordered):
    """The earth mover's distance of two counters."""
    m, n, values = sum(mine.values()), sum(table.values()), sorted(table)
    difference = [Fraction(mine[v], m) - Fraction(table[v], n) for v in values]
    if not ordered:
        return sum(map(abs, difference)) / 2
    below = [abs(sum(difference[: i + 1])) for i in range(len(values) - 1)]
    return sum(below, Fraction(0)) / max(len(values) - 1, 1)


def may_be_a_group(table, rows, whose, k, asked):
    """By the definitions, from the row numbers of the group."""
    persons = len({whose[i] for i in rows})
    if persons < k:
        return False
    if asked.get("label_known"):
        labels = _counted([table["y"][i] for i in rows], [whose[i] for i in rows])
        if min(labels.values()) < k:
            return False
    mine = _counted([table["pay"][i] for i in rows], [whose[i] for i in rows])
    r, l = sorted(mine.values(), reverse=True), asked.get("l")  # noqa: E741
    if l is not None:
        measure = asked.get("diversity", "distinct")
        if persons < l or r[0] == persons or len(r) < (l if measure == "distinct" else 1):
            return False
        bits = -sum(c / sum(r) * math.log(c / sum(r)) for c in r)
        if measure == "entropy" and math.exp(bits) < l - 1e-9:
            return False
        if measure == "recursive" and not r[0] < Fraction(str(asked["c"])) * sum(r[l - 1 :]):
            return False
    if "t" in asked:
        whole = _counted(table["pay"], whose)
        return _far(mine, whole, asked.get("distance") == "ordered") <= Fraction(str(asked["t"]))
    return True
