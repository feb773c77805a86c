# SPDX-License-Identifier: Apache-2.0
"""What became of each quasi-identifier, column by column.

The detail kept is the information that the published columns give about the original one, as a share of all there is:
I(X; Y) / H(X). It is 1 when every original value can be read off, 0 when nothing can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.column import SUPPRESSED, Column
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.release import Release
from discreet.tally import group


@dataclass(frozen=True)
class ColumnChange:
    """One quasi-identifier: the published columns that stand for it (none when dropped), and how much they tell."""

    name: str
    published: tuple[str, ...]
    values_before: int
    values_after: int
    suppressed_cells: int
    detail: float


def column_changes(release: Release, table: object) -> tuple[ColumnChange, ...]:
    """What the release made of each quasi-identifier of the table it was made from."""
    if release.plan is None:
        raise DataError(
            "The release has no plan for a row by itself (baskets, or rows changed together): nothing to compare."
        )
    table = Table.of(table)
    published = release.plan.apply(table)
    return tuple(_change(table.column(name), published.get(name, [])) for name in release.source_quasi)


def _change(old: Column, new: Sequence[Column]) -> ColumnChange:
    after, _ = group([column.codes for column in new], len(old), [column.levels for column in new])
    both, _ = group([old.codes, after], len(old))
    everything = entropy(np.bincount(old.codes))
    told = everything + entropy(np.bincount(after)) - entropy(np.bincount(both))
    return ColumnChange(
        name=old.name,
        published=tuple(column.name for column in new),
        values_before=old.levels,
        values_after=int(after.max()) + 1 if new else 0,
        suppressed_cells=sum(_stars(column) for column in new) if new else len(old),
        detail=min(max(told / everything, 0.0), 1.0) if everything > 0 else float(bool(new)),
    )


def entropy(counts: np.ndarray) -> float:
    """Bits needed on average to tell which group a row is in.

    >>> entropy(np.array([2, 2, 4]))
    1.5
    """
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def _stars(column: Column) -> int:
    is_star = np.array([text == SUPPRESSED for text in column.texts] + [False])
    return int(is_star[column.codes].sum())
