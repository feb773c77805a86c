# SPDX-License-Identifier: Apache-2.0
"""What a release costs and what its groups tell, counted cell by cell.

Information loss     suppressed cells of quasi-identifiers among all; a row left out counts as suppressed, and so does a
                     quasi-identifier that is not published
Certainty penalty    0 for an exact cell, 1 for a suppressed one; in between the width of the interval, as a share of
                     the column's range, or the share of its values that the label stands for (Xu et al. 2006). It
                     depends on the private table, so it is the owner's, and never published
Pure groups          groups of equal quasi-identifiers whose rows all have one class: k-anonymity hides which row is
                     whose there, but not the class
Diversity            the fewest different values of the target, or of a sensitive column, in a group
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.entropy import entropy
from discreet.counting.tally import distinct_codes, grouped, pair_counts
from discreet.data.column import SUPPRESSED, Column
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.prepare.intervals import is_whole
from discreet.recoding.labels import Labelling


@dataclass(frozen=True)
class RowGroups:
    """Groups of rows with equal published quasi-identifiers. Published with a release, whose files show the same."""

    groups: int
    pure_groups: int  # of one class
    pure_rows: int
    diversity: dict[str, int]


@dataclass(frozen=True)
class Losses:
    """What a release costs; `certainty_penalty` is None where labels have no meanings that could be measured."""

    rows: int  # those left out included
    left_out: int
    suppressed_rows: int  # published with every quasi-identifier suppressed, or left out
    information_loss: float
    certainty_penalty: float | None
    groups: RowGroups

    @property
    def pure_group_share(self) -> float:
        return self.groups.pure_groups / max(self.groups.groups, 1)

    @property
    def pure_row_share(self) -> float:
        return self.groups.pure_rows / max(self.rows - self.left_out, 1)


class _Released(Protocol):
    @property
    def losses(self) -> Losses: ...


def information_loss(release: _Released) -> float:
    """The share of quasi-identifier cells that were suppressed; rows left out and columns dropped count as such."""
    return release.losses.information_loss


def certainty_penalty(release: _Released) -> float | None:
    """How uncertain the published cells are on average, from 0 (exact) to 1 (suppressed).

    The column's range and values are those of the private table: this is the owner's to know. None where the method
    gives its labels no meanings.
    """
    return release.losses.certainty_penalty


class _Changes(Protocol):
    @property
    def rows_dropped(self) -> int: ...
    @property
    def columns_dropped(self) -> int: ...


def losses_of(
    content: Content,
    roles: Roles | None,
    n_source_quasi: int,
    changes: _Changes,
    penalty: float | None,
) -> Losses:
    """The losses of published rows, of whose quasi-identifiers there were `n_source_quasi`."""
    left_out, published = changes.rows_dropped, content.n_rows
    quasi = () if roles is None else roles.quasi
    stars = content.suppressed(quasi)
    lost = int(stars.sum()) + published * changes.columns_dropped + left_out * n_source_quasi
    return Losses(
        rows=published + left_out,
        left_out=left_out,
        suppressed_rows=(int((stars == len(quasi)).sum()) if quasi else 0) + left_out,
        information_loss=lost / max((published + left_out) * n_source_quasi, 1),
        certainty_penalty=penalty,
        groups=groups_of(content, roles),
    )


def groups_of(content: Content, roles: Roles | None) -> RowGroups:
    """The groups of published rows, from the published rows alone."""
    groups, _ = grouped(content, () if roles is None else roles.quasi, ordered=False)
    target, judged = content.class_codes(roles)
    n_groups = int(groups.max()) + 1 if len(groups) else 0
    different = {name: _different(groups, classes, n_groups) for name, classes in judged.items()}
    diversity = {name: int(found.min()) if n_groups else 0 for name, found in different.items()}
    pure = different[target] == 1 if target is not None else np.zeros(n_groups, dtype=bool)
    return RowGroups(n_groups, int(pure.sum()), int(pure[groups].sum()), diversity)


def _different(groups: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """How many different codes each group has."""
    return np.bincount(pair_counts(groups, codes)[0], minlength=n_groups)


# -- column by column ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnChange:
    """One quasi-identifier: the published columns that stand for it (none when dropped), and how much they tell.

    The detail kept is the information that the published columns give about the original one, as a share of all there
    is: I(X; Y) / H(X). It is 1 when every original value can be read off, 0 when nothing can.
    """

    name: str
    published: tuple[str, ...]
    values_before: int
    values_after: int
    suppressed_cells: int
    detail: float


@dataclass(frozen=True, eq=False)
class Crossing:
    """A quasi-identifier and the columns published for it, which have the same rows.

    `weights` say how many rows of the table each of these rows stands for, if not for one.
    """

    old: Column
    new: Sequence[Column]
    weights: np.ndarray | None = None

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What was and what is published, as the pairs of codes that occur, and the rows of each pair.

        Several published columns have one code for each of their different rows.
        """
        codes = [column.codes for column in self.new]
        after = codes[0] if len(codes) == 1 else distinct_codes(codes, len(self.old))[1]
        return pair_counts(self.old.codes, after, self.weights)

    @property
    def n_rows(self) -> int:
        return len(self.old) if self.weights is None else int(self.weights.sum())

    @property
    def keeps_name(self) -> bool:
        return len(self.new) == 1 and self.new[0].name == self.old.name

    @property
    def suppressed(self) -> int:
        """Rows whose published cell is suppressed; items, of which several are published, never are."""
        if len(self.new) != 1:
            return 0
        _, now, rows = self.pairs
        return int(rows[self.new[0].suppressed[now]].sum())

    @property
    def same(self) -> int:
        """Rows whose cell is written as it was."""
        if not self.keeps_name:
            return 0
        was, now = [*self.old.texts, None], [*self.new[0].texts, None]
        return sum(n for a, b, n in zip(*(part.tolist() for part in self.pairs), strict=True) if was[a] == now[b])


def crossings(
    source: Table | CodedRows,
    published: Mapping[str, Sequence[Column]],
    quasi: Sequence[str],
    weights: np.ndarray | None = None,
) -> list[Crossing]:
    """Each quasi-identifier with what is published for it; the published columns have the source's rows, in its order.

    `weights` are the rows behind each of these rows, if not one.
    """
    return [Crossing(source.column(name), published.get(name, ()), weights) for name in quasi]


def changes_of_columns(crossed: Iterable[Crossing]) -> tuple[ColumnChange, ...]:
    """What became of each quasi-identifier."""
    return tuple(map(_change, crossed))


def _change(crossed: Crossing) -> ColumnChange:
    old, new, (was, now, rows) = crossed.old, crossed.new, crossed.pairs
    after = np.bincount(now, rows)
    everything = entropy(np.bincount(was, rows))
    shared = everything + entropy(after) - entropy(rows)
    return ColumnChange(
        name=old.name,
        published=tuple(column.name for column in new),
        values_before=old.levels,
        values_after=int((after > 0).sum()) if new else 0,
        suppressed_cells=crossed.suppressed if new else crossed.n_rows,
        detail=min(max(shared / everything, 0.0), 1.0) if everything > 0 else float(bool(new)),
    )


# -- certainty penalty ---------------------------------------------------------------------------------------------


def penalty_of(
    labellings: Sequence[Labelling],
    source: Table,
    published: Mapping[str, Sequence[Column]],
    quasi: Sequence[str],
    left_out: int,
    weights: np.ndarray | None = None,
) -> float | None:
    """The mean certainty penalty of all cells; None when some published label has no meaning.

    `weights` are the rows behind each published row, if not one.
    """
    labelled: dict[str, list[Labelling]] = {}
    for labelling in labellings:
        labelled.setdefault(labelling.source, []).append(labelling)
    total, n_rows = 0.0, len(source)
    for name in quasi:
        columns, meant = published.get(name, ()), labelled.get(name, [])
        if not columns:
            total += n_rows
            continue
        if meant and meant[0].fallback == "0":
            total += _of_items(meant, source.column(name))
            continue
        if len(meant) != 1 or len(columns) != 1:
            return None
        cost = _of_labels(meant[0], source.column(name))
        if not {*columns[0].texts} <= cost.keys():
            return None
        costs = np.array([*(cost[text] for text in columns[0].texts), 0.0])
        total += float((costs[columns[0].codes] * (1 if weights is None else weights)).sum()) + left_out
    return total / max(n_rows * len(quasi), 1)


def _of_labels(labelling: Labelling, column: Column) -> dict[str | None, float]:
    classes = labelling.classes(column)
    n_values = np.bincount(classes.of_code[: column.levels], minlength=len(classes))
    ends = (column.numbers.min(), column.numbers.max()) if column.kind != "category" and len(column.values) else None
    cost: dict[str | None, float] = {}
    for place, (label, meaning) in enumerate(zip(labelling.labels, labelling.meanings, strict=True)):
        if label == SUPPRESSED:
            cost[label] = 1.0
        elif meaning.interval is not None:
            cost[label] = 0.0 if ends is None else _width(*meaning.interval, *ends, whole=is_whole(column))
        else:
            cost[label] = _share(int(n_values[classes.fit(place)].sum()), column.levels)
    return cost | {SUPPRESSED: 1.0}


def _width(low: float, high: float, least: float, largest: float, *, whole: bool) -> float:
    """The width of an interval within the column's range, as a share of it; whole numbers end before the upper end."""
    low, high = max(low, least), min(high - whole, largest)
    span = largest / 2 - least / 2  # halves: a range of doubles may be longer than the largest double
    return min(max((high / 2 - low / 2) / span, 0.0), 1.0) if span > 0 else 0.0


def _share(values: int, all_values: int) -> float:
    return 0.0 if values <= 1 else values / all_values


def _of_items(labellings: list[Labelling], column: Column) -> float:
    """Items tell a value apart from those that have not the same items."""
    has = np.zeros((column.levels, len(labellings)), dtype=bool)
    for item, labelling in enumerate(labellings):
        classes = labelling.classes(column)
        has[:, item] = classes.fit(0)[classes.of_code[: column.levels]]
    _, alike = np.unique(has, axis=0, return_inverse=True)
    shares = np.array([_share(int(n), column.levels) for n in np.bincount(alike.ravel())])
    return float(shares[alike.ravel()][column.codes].sum())
