# SPDX-License-Identifier: Apache-2.0
"""Members of published groups: the known persons who fit only one group, if they are as many as its rows.

Groups are rows with equal quasi-identifiers. Labels of different groups may overlap, so a person may fit several; the
columns that are published unchanged can then decide between them, for an attacker who has the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from discreet.attacks.joining import joined_codes
from discreet.attacks.label_meanings import Reading, read_columns
from discreet.attacks.published import Published
from discreet.counting.tally import distinct_codes, same_rows
from discreet.data.column import SUPPRESSED
from discreet.data.table import Table
from discreet.prepare.hierarchy import Hierarchy

_CELLS = 2**24  # comparisons in memory at a time


@dataclass(frozen=True, eq=False)
class GroupMembers:
    """The groups of a published table, and who is in them.

    pattern_of_row   the group of each published row
    codes            the label code of each group in each column
    group_of_known   the group of each known row, -1 if ambiguous
    is_known         whether the members of a group are known
    """

    readings: Sequence[Reading]
    pattern_of_row: np.ndarray
    codes: np.ndarray
    group_of_known: np.ndarray

    @classmethod
    def of(
        cls,
        published: Published,
        known: Table,
        *,
        trees: Mapping[str, Hierarchy] | None = None,
        by_other_columns: bool = False,
    ) -> GroupMembers:
        """`trees` are hierarchies of some columns; `by_other_columns` also compares unchanged columns."""
        readings = read_columns(published, known)
        columns = [reading.published for reading in readings]
        pattern_of_row, first = same_rows(columns)
        codes = np.column_stack([column.codes[first] for column in columns])
        fits = [fits_of(reading, (trees or {}).get(reading.labelling.source)) for reading in readings]
        candidates = _candidates(readings, codes, fits)
        if by_other_columns:
            candidates = _narrowed(published, known, pattern_of_row, candidates)
        group_of_known = np.array([here[0] if len(here) == 1 else -1 for here in candidates], dtype=np.int64)
        return cls(readings, pattern_of_row, codes, group_of_known)

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.pattern_of_row, minlength=len(self.codes))

    @property
    def is_known(self) -> np.ndarray:
        sure = self.group_of_known[self.group_of_known >= 0]
        return np.bincount(sure, minlength=len(self.codes)) == self.sizes


def fits_of(reading: Reading, tree: Hierarchy | None) -> np.ndarray:
    """For each published code of a column and each code of the known column, whether the label stands for the value."""
    by_meaning = reading.fits(np.arange(len(reading.published.values) + 1))[:, reading.classes.of_code]
    if tree is None:
        return by_meaning
    leaves = tree.leaf_codes(reading.known)
    paths = [{*tree.paths[leaf]} if leaf >= 0 else set() for leaf in leaves]
    labels = [*reading.published.texts, None]
    own = [_bare(label) for label in labels]
    of_tree = frozenset(label for path in tree.paths for label in path)
    for place, (label, bare) in enumerate(zip(labels, own, strict=True)):
        if bare in of_tree and bare != SUPPRESSED:
            by_meaning[place] = [bare in path for path in paths]
            by_meaning[place, -1] |= label != bare
    return by_meaning


def _bare(label: str | None) -> str | None:
    """A label without its suffix for missing cells."""
    return None if label is None else label.removesuffix(" or missing")


def _candidates(readings: Sequence[Reading], codes: np.ndarray, fits: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The groups that each known row fits; equal rows are compared once."""
    columns = [reading.known for reading in readings]
    target_of_row, first = same_rows(columns)
    groups: list[np.ndarray] = []
    step = max(1, _CELLS // max(len(codes), 1))
    for start in range(0, len(first), step):
        rows = first[start : start + step]
        both = np.ones((len(rows), len(codes)), dtype=bool)
        for c, column in enumerate(columns):
            both &= fits[c][:, column.codes[rows]].T[:, codes[:, c]]
        groups += [np.flatnonzero(line) for line in both]
    return [groups[target] for target in target_of_row]


def _narrowed(
    published: Published, known: Table, pattern_of_row: np.ndarray, candidates: list[np.ndarray]
) -> list[np.ndarray]:
    """The groups that have a row with the person's values in the columns that are published as they are."""
    table = published.table
    names = [name for name in table.names if name not in published.quasi and name in known]
    if not names:
        return candidates
    sides = [joined_codes([table.column(name), known.column(name)]) for name in names]
    _, keys = distinct_codes(sides, len(sides[0]))
    n = len(table)
    there = {*zip(pattern_of_row.tolist(), keys[:n].tolist(), strict=True)}
    return [
        np.array([*compress(here.tolist(), [(p, key) in there for p in here.tolist()])], dtype=np.int64)
        for here, key in zip(candidates, keys[n:].tolist(), strict=True)
    ]
