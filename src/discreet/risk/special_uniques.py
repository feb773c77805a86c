# SPDX-License-Identifier: Apache-2.0
"""Special uniques: SUDA scores, and what each column contributes to them.

M. J. Elliot, A. M. Manning, K. Mayes, J. Gurd and M. Bane, "SUDA: a program for detecting special uniques" (2005);
A. M. Manning, D. J. Haglin and J. A. Keane, "A recursive search algorithm for statistical disclosure assessment", Data
Mining and Knowledge Discovery 16, 165-196 (2008), which calls it SUDA2. A person who is alone with few values is easier
to find, and more often alone in the population, than one who is alone only when all columns are known. A minimal sample
unique (MSU) is a set of columns in which nobody else has a row's values, while in each smaller set somebody has. With
ATT columns, of which at most M are looked at together, an MSU of s columns scores

    prod_{i=s}^{M} (ATT - i),      M at most ATT - 1,

and a row the sum over its MSUs. A column's share of a score is that of the MSUs it belongs to, so that shares add up to
more than 1. With a sampling fraction, DIS-SUDA turns scores into the chance that naming the row would be right: the
file's chance by data intrusion simulation (C. J. Skinner and M. J. Elliot, "A measure of disclosure risk for
microdata", Journal of the Royal Statistical Society B 64(4), 855-867, 2002) is spread over the uniques by their scores.

Departures: 1. missing is a value; sdcMicro leaves sets with a missing cell out. 2. With a person column, somebody is
alone if all rows of the group are theirs. 3. The file's chance counts all uniques; sdcMicro leaves out those that share
a hash value with another row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.table import Table
from discreet.errors import ParameterError, RolesError
from discreet.risk.sampled_groups import SampledGroups
from discreet.risk.special_uniques_search import minimal_uniques

MOST_COLUMNS = 62  # the number of a column set has to fit in 64 bits
_MOST_SETS = 5000  # column sets that are looked at unless a size is asked for


@dataclass(frozen=True, eq=False, repr=False)
class SpecialUniques:
    """Minimal sample uniques and SUDA scores; the arrays are for the owner, `to_dict` holds sums only.

    columns        the columns that were looked at
    max_size       the most columns that were looked at together
    rows, sets     the minimal sample uniques: a row and the number of a column set, of which column c is bit c
    scores         the SUDA score of each row, 0 if it has none
    dis            the DIS-SUDA score of each row; None without a sampling fraction
    contributions  for each column the share of all scores that comes from sets with this column
    """

    columns: tuple[str, ...]
    max_size: int
    rows: np.ndarray
    sets: np.ndarray
    scores: np.ndarray
    dis: np.ndarray | None
    contributions: dict[str, float]

    @property
    def by_size(self) -> dict[int, int]:
        """The number of minimal sample uniques by the number of their columns."""
        sizes = np.bincount(_size_of(self.sets), minlength=self.max_size + 1)
        return {size: int(sizes[size]) for size in range(1, self.max_size + 1)}

    @property
    def scored(self) -> int:
        """Rows with a minimal sample unique."""
        return int((self.scores > 0).sum())

    @property
    def special(self) -> int:
        """Rows that are alone on fewer columns than all."""
        fewer = self.rows[_size_of(self.sets) < len(self.columns)]
        return len(np.unique(fewer))

    def of_row(self, row: int) -> list[tuple[str, ...]]:
        """The minimal sample uniques of a row, as names of columns; the smallest first."""
        sets = self.sets[self.rows == row]
        named = [tuple(name for place, name in enumerate(self.columns) if number >> place & 1) for number in sets]
        return sorted(named, key=lambda names: (len(names), [self.columns.index(name) for name in names]))

    def __repr__(self) -> str:
        return f"SpecialUniques({self.scored} of {len(self.scores)} rows, {len(self.sets)} minimal sample uniques)"

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "columns": list(self.columns),
            "max_size": self.max_size,
            "scored": self.scored,
            "special": self.special,
            "minimal_sample_uniques": {str(size): number for size, number in self.by_size.items()},
            "highest_score": float(self.scores.max(initial=0)),
            "contributions": dict(self.contributions),
        }
        if self.dis is not None:
            found["dis"] = {"highest": float(self.dis.max(initial=0)), "sum": float(self.dis.sum())}
        return found


def special_uniques(
    table: Table,
    quasi: Sequence[str],
    *,
    persons: np.ndarray | None = None,
    max_size: int | None = None,
    fraction: float | None = None,
) -> SpecialUniques:
    """The minimal sample uniques of at most `max_size` of the columns `quasi`, and their scores.

    By default all sizes are looked at up to 12 columns, and beyond that as many as make 5,000 sets of columns.

    >>> table = Table.of({"age": [20, 20, 60], "sex": ["f", "m", "f"], "town": ["a", "a", "a"]})
    >>> found = special_uniques(table, ["age", "sex", "town"])
    >>> found.of_row(0), found.of_row(2), found.scores.tolist()
    ([('age', 'sex')], [('age',)], [1.0, 2.0, 2.0])
    """
    table, quasi = Table.of(table), tuple(quasi)
    if len(quasi) > MOST_COLUMNS:
        raise RolesError(f"Special uniques are sought among at most {MOST_COLUMNS} columns; {len(quasi)} were named.")
    if max_size is not None and (isinstance(max_size, bool) or not isinstance(max_size, int) or max_size < 1):
        raise ParameterError("The largest number of columns of a minimal sample unique is a whole number from 1 on.")
    groups = SampledGroups.of(table, quasi, persons=persons)
    is_unique = groups.sizes[groups.of_row] == 1
    size = min(max_size or _affordable(len(quasi)), len(quasi))
    columns = table.columns(quasi)
    who = np.arange(len(table)) if persons is None else np.asarray(persons)
    rows, sets = minimal_uniques([c.codes for c in columns], [c.levels for c in columns], who, is_unique, size)
    worth = _worth(len(quasi), size)[_size_of(sets)]
    scores = np.bincount(rows, worth, minlength=len(table))
    total = float(scores.sum())
    shares = {
        name: float(worth[sets >> place & 1 == 1].sum()) / total if total else 0.0 for place, name in enumerate(quasi)
    }
    dis = None if fraction is None else dis_scores(scores, groups, len(quasi), fraction)
    return SpecialUniques(quasi, size, rows, sets, scores, dis, shares)


def intrusion_chance(groups: SampledGroups, fraction: float) -> float:
    """The chance that a unique match with the table is right (data intrusion simulation, Skinner and Elliot 2002).

    It is f_1 q / (f_1 q + 2 f_2 (1 - q)), with f_1 groups of one person, f_2 of two, and the sampling fraction q.
    """
    ones, twos = int((groups.sizes == 1).sum()), int((groups.sizes == 2).sum())
    right, wrong = ones * fraction, 2 * twos * (1 - fraction)
    return right / (right + wrong) if right + wrong else 0.0


def dis_scores(scores: np.ndarray, groups: SampledGroups, n_columns: int, fraction: float) -> np.ndarray:
    """The file's chance spread over the uniques, as sdcMicro does: the odds of a row grow with a power of its score."""
    dis, scored = np.zeros(len(scores)), scores > 0
    chance = intrusion_chance(groups, fraction)
    if not scored.any() or chance == 0:
        return dis
    power = 1 + (8 - n_columns) / 20
    raised = scores[scored] ** power
    odds_against = int(groups.rows[groups.sizes == 1].sum()) * (1 / chance - 1)
    dis[scored] = 1 / (1 + odds_against / (raised * (1 / raised).sum()))
    return dis


def _worth(n_columns: int, max_size: int) -> np.ndarray:
    """The score of a minimal sample unique by the number of its columns."""
    last = min(max_size, n_columns - 1)
    factors = [math.prod(n_columns - i for i in range(size, last + 1)) for size in range(max_size + 1)]
    return np.array(factors, dtype=np.float64)


def _affordable(n_columns: int) -> int:
    """The largest size of column sets of which there are not too many."""
    total = 0
    for size in range(1, n_columns + 1):
        total += math.comb(n_columns, size)
        if total > _MOST_SETS:
            return max(size - 1, 1)
    return n_columns


def _size_of(sets: np.ndarray) -> np.ndarray:
    return np.bitwise_count(sets).astype(np.int64)
