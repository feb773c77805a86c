# SPDX-License-Identifier: Apache-2.0
"""Re-identification risk of rows: the sizes of groups that share their quasi-identifiers.

The attacker knows all quasi-identifiers of a person who is in the table. Left with a group of s persons, the attacker
guesses right with probability 1/s; the average of that over all rows is the average risk, the largest is 1/k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.row_counts import row_counts, row_counts_of
from discreet.counting.tally import grouped, persons_per_group
from discreet.data.dataset import rows_of
from discreet.errors import RolesError
from discreet.release.counted_source import CountedSource
from discreet.release.release import Release

BELOW = (2, 3, 5, 10)  # the group sizes that statistical offices and hospitals ask about


@dataclass(frozen=True)
class Bin:
    """Groups of `low` to `high` persons: how many there are, and how many rows are in them."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True)
class Risk:
    """How identifiable the rows of a table are on its quasi-identifiers.

    k        persons in the smallest group
    unique   rows whose person is alone in the group
    below    for each size in BELOW, the rows in groups of fewer persons
    average  mean chance of picking the right person in a row's group
    sizes    the groups by their size, in bins from one power of two to the next
    """

    rows: int
    persons: int
    groups: int
    k: int
    unique: int
    below: dict[int, int]
    average: float
    sizes: tuple[Bin, ...]


def risk(data: object, quasi: Sequence[str] | None = None, *, persons: np.ndarray | None = None) -> Risk:
    """The risk of a table on the columns `quasi`, or of baskets on their items.

    `persons` numbers the person of each row, when several rows may belong to one.

    >>> found = risk({"sex": ["f", "f", "f", "m"]}, ["sex"])
    >>> found.k, found.unique, found.below[5], found.average
    (1, 1, 4, 0.5)
    """
    content: Any = data if getattr(data, "is_stored", False) else rows_of(data)
    if not (quasi or content.n_items(())):
        raise RolesError("Risk is measured on quasi-identifiers; none were named.")
    if persons is None and content.rows_of_items() is None:
        counted = row_counts_of(content, quasi or ()).tally(quasi or ())
        return risk_of_groups(counted.sizes, counted.sizes)
    groups, _ = grouped(content, quasi or (), ordered=False)
    persons = getattr(content, "persons", None) if persons is None else persons
    return item_risk(groups, persons)


def risk_of_groups(
    sizes: np.ndarray, rows: np.ndarray, times: np.ndarray | None = None, *, persons: int | None = None
) -> Risk:
    """The risk of groups of these sizes in persons, and of these rows; `times` says how many groups each stands for."""
    times = np.ones(len(rows), dtype=np.int64) if times is None else times
    n = int(rows @ times)
    return Risk(
        rows=n,
        persons=n if persons is None else persons,
        groups=int(times.sum()),
        k=int(sizes.min(initial=n)),
        unique=int((rows * times)[sizes == 1].sum()),
        below={size: int((rows * times)[sizes < size].sum()) for size in BELOW},
        average=float((rows / sizes * times).sum() / max(n, 1)),
        sizes=_bins(sizes, rows, times),
    )


def source_risk(source: CountedSource) -> Risk:
    """The risk of rows that stay in an engine."""
    persons, rows, times, n_persons = source.groups
    return risk_of_groups(persons, rows, times, persons=n_persons)


def item_risk(groups: np.ndarray, persons: np.ndarray | None) -> Risk:
    """The risk of rows of items, of which `groups` says which have the same."""
    rows = np.bincount(groups)
    sizes = persons_per_group(groups, len(rows), persons)
    return risk_of_groups(sizes, rows, persons=None if persons is None else len(np.unique(persons)))


def released_risk(release: Release) -> Risk:
    """The risk of what is published, counted in persons when the release was."""
    quasi = () if release.roles is None else release.roles.quasi
    if release.content.is_stored and release.roles is not None:
        content, roles = release.content.with_persons(release.owner.persons, release.roles)
        counted = row_counts(content, roles or release.roles).tally(quasi, person=roles.person if roles else None)
        groups = None if release.owner.source is None else release.owner.source.groups
        persons = None if groups is None else groups.n_persons
        return risk_of_groups(counted.sizes, counted.counts.sum(axis=1), persons=persons)
    persons = release.owner.persons
    return risk(release.content, quasi, persons=persons if isinstance(persons, np.ndarray) else None)


def _bins(sizes: np.ndarray, rows: np.ndarray, times: np.ndarray) -> tuple[Bin, ...]:
    place = np.frexp(sizes)[1] - 1  # the power of two at or below the size
    return tuple(
        Bin(2**p, 2 ** (p + 1) - 1, int(times[place == p].sum()), int((rows * times)[place == p].sum()))
        for p in range(int(place.max(initial=-1)) + 1)
    )
