# SPDX-License-Identifier: Apache-2.0
"""k-anonymity by containment: whoever knows items that a person has is left with at least k persons.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint".
CS(e) are the items of row e; AC(e) is the number of persons with a row f such that CS(f) contains CS(e); the promise
is that the smallest AC is at least k. Closed form (SPEC 1.1): the smallest multiplicity among the inclusion-maximal
distinct rows; the code below counts supersets on distinct rows, rarest item first, and stops as soon as a count can
change neither the minimum nor the number of rows below k.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numba
import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.privacy.base import Interval, Promise, Verdict, as_baskets, table_and_roles
from discreet.tally import Partition, group, persons_per_group


def containment_anonymity(X: object) -> int:
    """AC of a 0/1 matrix: the largest k for which it is k-anonymous by containment.

    >>> containment_anonymity([[1, 1], [1, 0], [1, 1]])
    2
    """
    baskets = Baskets.of(X)
    return int(_covers(baskets, _Distinct.of(baskets), k=1).min())


@dataclass(frozen=True)
class Containment(Promise):
    """For every person, at least k persons have all the items that the person has.

    Promise
    -------
    An attacker who knows any set of items that a person has is left with at least k persons. Does not hold back one
    who also knows items that the person lacks; how far the table is from protecting against that is in the details
    (`classical k`, `unique rows`, `rows in groups below k`). Where items are one-hot values of a column, lacking one
    means having another: then absences are as well known as presences.

    >>> Containment(2).check(Baskets.of([[1, 1], [1, 0], [1, 1]])).holds
    True
    """

    name: ClassVar[str] = "containment"
    does_not_protect: ClassVar[str] = (
        "An attacker who knows which items a person does not have may single the person out; where items are the values"
        " of one column, lacking one value means having another. A group whose members share one label discloses it."
    )
    _parameter_constraints: ClassVar[dict] = {"k": [Interval(Integral, 2, None, closed="left")]}

    k: int = 5

    def __str__(self) -> str:
        return f"{self.k}-anonymity by containment"

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        baskets = as_baskets(data, roles)
        if baskets is None:
            baskets = baskets_of(*table_and_roles(data, roles))
        distinct = _Distinct.of(baskets)
        groups = distinct.group_of_row
        covers = _covers(baskets, distinct, self.k)
        own = persons_per_group(groups, len(covers), baskets.persons)
        details = {
            "classical k": int(own.min()),
            "unique rows": int((own == 1).sum()),
            "rows in groups below k": int((own[groups] < self.k).sum()),
        }
        with_label = None
        if baskets.labels is not None:
            same = [baskets.take(np.flatnonzero(baskets.labels == label)) for label in np.unique(baskets.labels)]
            with_label = min(map(containment_anonymity, same))
            details["rows whose containing rows share one label"] = _homogeneous(baskets, distinct)
        measured = int(covers.min())
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=len(baskets),
            rows_short=int((covers[groups] < self.k).sum()),
            with_label=with_label,
            details=details,
        )


def baskets_of(data: object, roles: Roles) -> Baskets:
    """The quasi-identifiers of a table as baskets; they must be 0/1 columns."""
    if not isinstance(data, Table):
        raise DataError("Containment is checked on tables in memory and on baskets, not through an engine.")
    if not roles.quasi:
        raise DataError("Containment needs 0/1 quasi-identifiers; none were named.")
    baskets = Baskets.from_columns(data.select(roles.quasi))
    persons = None if roles.person is None else data.column(roles.person).codes
    baskets = Baskets(baskets.matrix, baskets.names, persons=persons)
    return baskets if roles.target is None else baskets.labelled(data.column(roles.target).codes)


@dataclass(frozen=True)
class _Distinct:
    """The distinct rows of baskets: items of each, rows by item, and the persons of each."""

    group_of_row: np.ndarray
    row_start: np.ndarray
    row_items: np.ndarray
    item_start: np.ndarray
    item_rows: np.ndarray

    @classmethod
    def of(cls, baskets: Baskets) -> _Distinct:
        partition = Partition.of(baskets)
        distinct = baskets.matrix[partition.first_rows()]
        by_item = distinct.tocsc()
        parts = (distinct.indptr, distinct.indices, by_item.indptr, by_item.indices)
        return cls(partition.group_of_row.astype(np.int64), *(part.astype(np.int64) for part in parts))

    @property
    def sets(self) -> tuple[np.ndarray, ...]:
        return self.row_start, self.row_items, self.item_start, self.item_rows


def _covers(baskets: Baskets, distinct: _Distinct, k: int) -> np.ndarray:
    """AC of each distinct row: exact where it is below k or the smallest, a lower bound of at least that elsewhere."""
    persons = np.arange(len(baskets)) if baskets.persons is None else baskets.persons.astype(np.int64)
    _, first = group([distinct.group_of_row, persons], len(baskets))  # each person once per distinct row
    own = np.bincount(distinct.group_of_row[first])
    start = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
    repeat = baskets.persons is not None
    return _count_supersets(*distinct.sets, start, persons[first], int(persons.max()) + 1, repeat, k)


def _homogeneous(baskets: Baskets, distinct: _Distinct) -> int:
    """Rows all of whose containing rows have their own label: it is disclosed whatever k is."""
    cells = np.zeros((int(distinct.group_of_row.max()) + 1, baskets.n_classes), dtype=bool)
    cells[distinct.group_of_row, baskets.labels] = True
    label = np.where(cells.sum(axis=1) == 1, cells.argmax(axis=1), -1)
    return int(_one_label(*distinct.sets, label.astype(np.int64))[distinct.group_of_row].sum())


@numba.njit(cache=True, nogil=True)
def _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
    """Mark the items of row p; return the rows that have its rarest item (all rows when it has none)."""
    rows = everyone
    for i in range(row_start[p], row_start[p + 1]):
        item = row_items[i]
        wanted_by[item] = p
        if item_start[item + 1] - item_start[item] < len(rows):
            rows = item_rows[item_start[item] : item_start[item + 1]]
    return rows


@numba.njit(cache=True, nogil=True)
def _contains(q, p, row_start, row_items, wanted_by):
    """Does row q have all items of row p, which are marked?"""
    missing = row_start[p + 1] - row_start[p]
    if row_start[q + 1] - row_start[q] < missing:
        return False
    for i in range(row_start[q], row_start[q + 1]):
        if wanted_by[row_items[i]] == p:
            missing -= 1
    return missing == 0


@numba.njit(cache=True, nogil=True)
def _count_supersets(row_start, row_items, item_start, item_rows, start, persons, n_persons, repeat, k):
    """Persons in the supersets of each distinct row; stops at max(k, smallest so far)."""
    n = len(row_start) - 1
    covers = np.empty(n, dtype=np.int64)
    wanted_by = np.full(len(item_start) - 1, -1, dtype=np.int64)
    counted_for = np.full(n_persons if repeat else 1, -1, dtype=np.int64)
    order = np.argsort(-(row_start[1:] - row_start[:-1]))  # long rows have few supersets: the minimum is found early
    everyone = np.arange(n)
    smallest = n_persons
    for p in order:
        enough = max(k, smallest)
        total = 0
        if start[p + 1] - start[p] >= enough:
            total = start[p + 1] - start[p]
        else:
            for q in _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
                if not _contains(q, p, row_start, row_items, wanted_by):
                    continue
                if repeat:
                    for i in range(start[q], start[q + 1]):
                        if counted_for[persons[i]] != p:
                            counted_for[persons[i]] = p
                            total += 1
                else:
                    total += start[q + 1] - start[q]
                if total >= enough:
                    break
        covers[p] = total
        smallest = min(smallest, total)
    return covers


@numba.njit(cache=True, nogil=True)
def _one_label(row_start, row_items, item_start, item_rows, label):
    """Whether all supersets of each distinct row have one label; label -1 means several already."""
    n = len(row_start) - 1
    alike = np.empty(n, dtype=np.bool_)
    wanted_by = np.full(len(item_start) - 1, -1, dtype=np.int64)
    everyone = np.arange(n)
    for p in range(n):
        alike[p] = label[p] >= 0
        if alike[p]:
            for q in _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
                if label[q] != label[p] and _contains(q, p, row_start, row_items, wanted_by):
                    alike[p] = False
                    break
    return alike
