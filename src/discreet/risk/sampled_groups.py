# SPDX-License-Identifier: Apache-2.0
"""Rows that share their quasi-identifiers, in a table and in the population that the table was drawn from.

Every measure of this folder starts from these counts. A missing cell is a value of its own, as everywhere in discreet:
a person whose age is not stated is like others whose age is not stated, and not like everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.attacks.joining import joined_codes
from discreet.counting.tally import distinct_codes, grouped, persons_per_group
from discreet.data.content import Content
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, RolesError, Setting, did_you_mean, listing


@dataclass(frozen=True)
class Population:
    """What was counted in a table of the population.

    persons   persons of the population
    groups    groups of persons who share their quasi-identifiers
    unique    groups of one person
    absent    groups of whom nobody is in the table
    lacking   persons of the table who are more than their group of the population, which should hold them, too
    """

    persons: int
    groups: int
    unique: int
    absent: int
    lacking: int


@dataclass(frozen=True, eq=False, repr=False)
class SampledGroups:
    """The groups of a table, and how many persons of the population each of them stands for.

    of_row      the group of each row
    rows        the rows of each group
    sizes       the persons of each group: its rows, unless several rows may belong to one person
    population  the persons of each group in the population: counted, or estimated; None if nothing is known about it
    fraction    the share of the population that is in the table; None if nothing is known about it
    counted     what was counted in a table of the population; None if the sizes of the groups there are estimates

    >>> groups = SampledGroups.of(Table.of({"sex": ["f", "f", "m"]}), ["sex"])
    >>> groups.sizes.tolist(), groups.sampled(0.1).population.tolist()
    ([2, 1], [20.0, 10.0])
    """

    of_row: np.ndarray
    rows: np.ndarray
    sizes: np.ndarray
    population: np.ndarray | None = None
    fraction: float | None = None
    counted: Population | None = None

    @classmethod
    def of(cls, content: Content, quasi: Sequence[str], *, persons: np.ndarray | None = None) -> SampledGroups:
        """The groups of a table by its columns `quasi`, or of baskets by their items."""
        if not (quasi or content.n_items(())):
            raise RolesError("Risk is measured on quasi-identifiers; none were named.")
        of_row, first = grouped(content, quasi, ordered=False)
        return cls(of_row, np.bincount(of_row, minlength=len(first)), persons_per_group(of_row, len(first), persons))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"SampledGroups({len(self)} groups, {self.n_rows} rows)"

    @property
    def n_rows(self) -> int:
        return len(self.of_row)

    @property
    def n_persons(self) -> int:
        """Persons of the table; one with rows in two groups is counted in both."""
        return int(self.sizes.sum())

    def sampled(self, fraction: float) -> SampledGroups:
        """As a simple random sample of this share of the population."""
        if isinstance(fraction, bool) or not isinstance(fraction, int | float) or not 0 < fraction <= 1:
            raise ParameterError(Setting("sampling_fraction"), " is a share of the population: above 0, at most 1.")
        return replace(self, population=self.sizes / fraction, fraction=float(fraction))

    def weighted(self, weights: np.ndarray, *, persons: np.ndarray | None = None) -> SampledGroups:
        """As a sample with weights: the row of a person stands for as many persons of the population.

        Rows of one person in one group share their weights, so that a person counts once.
        """
        if len(weights) != self.n_rows:
            raise DataError(f"There are {len(weights)} weights for {self.n_rows} rows; each row needs one.")
        unusable = int((~np.isfinite(weights) | (weights <= 0)).sum())
        if unusable:
            raise DataError(f"{unusable} of {self.n_rows} sampling weights are missing, zero or negative. Mend them.")
        if persons is not None:
            _, pair = distinct_codes([self.of_row, persons], self.n_rows, ordered=False)
            weights = weights / np.bincount(pair)[pair]
        population = np.maximum(np.bincount(self.of_row, weights, minlength=len(self)), self.sizes)
        return replace(self, population=population, fraction=float(self.n_persons / population.sum()))

    def within(
        self, table: Table, population: Table, quasi: Sequence[str], *, persons: np.ndarray | None = None
    ) -> SampledGroups:
        """As a part of this population, a table with the same quasi-identifiers; `persons` are its persons."""
        absent = [name for name in quasi if name not in population]
        if absent:
            hint = did_you_mean(absent[0], population.names)
            raise RolesError(f"The population lacks quasi-identifiers of the table: {listing(absent)}.{hint}")
        codes = [joined_codes([table.column(name), population.column(name)]) for name in quasi]
        groups, both = distinct_codes(codes, len(table) + len(population), ordered=False)
        here, there = both[: len(table)], both[len(table) :]
        sizes = persons_per_group(there, len(groups), persons)
        place = np.empty(len(self), dtype=np.int64)
        place[self.of_row] = here  # the group of both tables that each group of this one is
        found = np.maximum(sizes[place], self.sizes)
        counted = Population(
            persons=int(sizes.sum()),
            groups=int((sizes > 0).sum()),
            unique=int((sizes == 1).sum()),
            absent=int((sizes > 0).sum() - (sizes[place] > 0).sum()),
            lacking=int((self.sizes - sizes[place]).clip(min=0).sum()),
        )
        fraction = min(1.0, self.n_persons / max(counted.persons, 1))
        return replace(self, population=found, fraction=fraction, counted=counted)
