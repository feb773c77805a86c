# SPDX-License-Identifier: Apache-2.0
"""Several targets: the classes are the combinations of their values.

A number or date with many values is cut into four parts of about equally many rows; of a category with many values the
most common are told apart. The rarest combinations, beyond 64, count as one class. Without any target there is one
class, and nothing to be known about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from discreet.counting.coded_rows import CodedRows, RowEntries
from discreet.counting.tally import distinct_codes
from discreet.data.roles import Roles
from discreet.errors import RolesError, did_you_mean, listing

_FEW = 8  # values of a further target that are told apart
_PARTS = 4  # of a number with more
_MOST = 64  # classes


def with_targets(rows: CodedRows, roles: Roles, targets: Sequence[str]) -> CodedRows:
    """The rows with the combinations of the target and further targets as classes."""
    further = [name for name in dict.fromkeys(targets) if name != roles.target]
    may_be = [name for name in roles.published if name not in roles.quasi]
    strange = [name for name in further if name not in may_be]
    if strange:
        raise RolesError(
            f"There are targets that the roles do not publish, or that are quasi-identifiers: {listing(strange)}."
            f"{did_you_mean(strange[0], may_be)}"
        )
    if not further:
        return rows
    names = [*(() if roles.target is None else (roles.target,)), *further]
    person = [] if roles.person is None else [roles.person]
    row, codes, n = rows.split_by([*names, *person])
    columns = [code if name == roles.target else _few(rows, name, code, n) for name, code in zip(names, codes)]  # noqa: B905
    label = _common(distinct_codes(columns, len(row))[1], n)
    counts = np.zeros((len(rows), int(label.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(counts, (row, label), n)
    by_person = RowEntries(row, label, n, codes[-1]) if person else None
    return replace(rows, counts=counts, by_person=by_person, _class_counts={})


def _few(rows: CodedRows, name: str, code: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The values of a column as a few classes."""
    column = rows.values_of(name)
    if column.levels <= _FEW:
        return code
    times = np.bincount(code, n, len(column.values) + 1)
    if column.kind == "category":
        rank = np.empty(len(times), dtype=np.int64)
        rank[np.argsort(-times, kind="stable")] = np.arange(len(times))
        return np.minimum(rank[code], _FEW - 1)
    order = np.argsort(np.append(column.numbers, np.inf), kind="stable")
    part = np.empty(len(times), dtype=np.int64)
    part[order] = ((np.cumsum(times[order]) - times[order] / 2) * _PARTS / max(times.sum(), 1)).astype(np.int64)
    return np.minimum(part, _PARTS - 1)[code]


def _common(label: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The classes, the rarest of them as one."""
    times = np.bincount(label, n)
    if len(times) <= _MOST:
        return label
    rank = np.empty(len(times), dtype=np.int64)
    rank[np.argsort(-times, kind="stable")] = np.arange(len(times))
    return np.minimum(rank[label], _MOST - 1)
