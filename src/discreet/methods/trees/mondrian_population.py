# SPDX-License-Identifier: Apache-2.0
"""The persons of a population in Mondrian's cuts, for k-map: of most of them nobody like them is in the table.

Those whose values somebody in the table has, each in its column, are rows of their own, with no row of the table. They
count on their side of every cut, so a leaf has k of them; whoever has another value is not counted before the end.
Labels of categories name what the table's rows of a leaf have where k persons fit that, else what the others have, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, DataError, listing
from discreet.methods.trees.cut_partition import Need
from discreet.recoding.axis import Axis
from discreet.recoding.leaf_labels import by_box
from discreet.recoding.plan import Recode


@dataclass(frozen=True, eq=False)
class PopulationRows:
    """A population beside the distinct rows of a table.

    table   one row for each person
    codes   the distinct rows of the population that no row of the table equals, in the codes of the table
    row_of  for each person the row that equals it, of the table or after them of `codes`; -1 for none
    k       persons of the population whom every group needs
    """

    table: Table
    codes: np.ndarray
    row_of: np.ndarray
    k: int

    @classmethod
    def of(cls, population: object, rows: CodedRows, roles: Roles, k: int) -> PopulationRows | None:
        """The population that a method was given as a table or file; None for a fraction or nothing."""
        if population is None or isinstance(population, Real):
            return None
        table = _persons(population, rows, roles)
        codes, row_of = rows.codes_of(table), rows.places(table)
        known = (codes >= 0).all(axis=1)
        if known.sum() < k:
            raise CannotRelease(
                f"k = {k} persons of the population were asked for every group, but only {known.sum()} of it have"
                " values that the table has, too. Ask for less, or check that the population has the same columns and"
                " values."
            )
        others = np.flatnonzero(known & (row_of < 0))
        sets, first = rows.sets(list(codes[others].T), [column.levels for column in rows.columns])
        row_of[others] = len(rows) + sets
        return cls(table, codes[others[first]], row_of, k)

    def needs(self, n_rows: int) -> list[Need]:
        """k persons of the population on both sides of a cut, and a row of the table's `n_rows`."""
        persons = np.flatnonzero(self.row_of >= 0)
        persons = persons[np.argsort(self.row_of[persons], kind="stable")]
        own = np.arange(n_rows)
        return [Need(self.k, (self.row_of[persons], persons)), Need(1, (own, own))]

    def named(self, axes: Sequence[Axis], codes: np.ndarray, leaf_of: np.ndarray) -> np.ndarray:
        """Which rows the labels of their leaves are to stand for; `codes` are those of the table, then these."""
        is_own = np.arange(len(leaf_of)) < len(leaf_of) - len(self.codes)
        like_own = np.ones(len(leaf_of), dtype=bool)
        for rank in (axis.rank_of_code[codes[:, c]] for c, axis in enumerate(axes) if not by_box(axis)):
            there = leaf_of.astype(np.int64) * (int(rank.max(initial=0)) + 1) + rank
            like_own &= np.isin(there, there[is_own])
        persons = np.bincount(self.row_of[self.row_of >= 0], minlength=len(leaf_of))
        enough = np.bincount(leaf_of, persons * like_own) >= self.k
        return like_own | ~enough[leaf_of]

    def who_fits(self, plan: Recode, named: np.ndarray) -> Table:
        """The persons whom the labels that they would be written with stand for; `named` are the rows of `named`."""
        written = plan.apply(self.table)
        fits = [one.covers(self.table.column(one.source), written[one.source][0]) for one in plan.labellings]
        is_known = self.row_of >= 0
        return self.table.take(np.flatnonzero(np.where(is_known, named[self.row_of], np.logical_and.reduce(fits))))


def _persons(population: Any, rows: CodedRows, roles: Roles) -> Table:
    table = Table.of(population)
    absent = [name for name in roles.quasi if name not in table]
    if absent:
        raise DataError(f"The population lacks the quasi-identifiers {listing(absent)}.")
    table = Table.of(table, kinds={column.name: column.kind for column in rows.columns})
    if roles.person is not None and roles.person in table:
        table = table.take(np.unique(table.column(roles.person).codes, return_index=True)[1])
    return table.select(roles.quasi)
