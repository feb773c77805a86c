# SPDX-License-Identifier: Apache-2.0
"""What a release loses and what its equivalence classes reveal, counted cell by cell.

Information loss     share of suppressed cells among those of quasi-identifiers; rows left out and quasi-identifiers
                     that are not published count as suppressed
Certainty penalty    0 for an exact cell, 1 for a suppressed one; in between the width of the interval, as a share of
                     the column's range, or the share of its values that the label stands for (Xu et al. 2006). It
                     depends on the private table, so only the owner sees it
Pure groups          equivalence classes whose rows all have one class label: k-anonymity hides which row is whose, but
                     not that label
Diversity            the fewest different values of the target, or of a sensitive column, in an equivalence class
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_counts import row_counts, row_counts_of
from discreet.counting.tally import distinct_codes, grouped, pair_counts
from discreet.data.column import SUPPRESSED, Column
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.intervals import is_whole
from discreet.recoding.labels import Labelling
from discreet.release.information_kept import detail_of_column


@dataclass(frozen=True)
class RowGroups:
    """Equivalence classes of the published rows. Stated in the certificate; anyone can recount them."""

    groups: int
    pure_groups: int  # of one class
    pure_rows: int
    diversity: dict[str, int]


@dataclass(frozen=True)
class Losses:
    """The losses of a release; `certainty_penalty` is None if the labels have no measurable meaning."""

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
    """Share of suppressed quasi-identifier cells; rows left out and columns dropped count as suppressed."""
    return release.losses.information_loss


def certainty_penalty(release: _Released) -> float | None:
    """Mean uncertainty of the published cells, from 0 (exact) to 1 (suppressed).

    It is computed from the ranges and values of the private table, so only the owner should see it. None if the
    method's labels have no measurable meaning.
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
    """The losses of published rows; the source had `n_source_quasi` quasi-identifiers."""
    left_out, published = changes.rows_dropped, content.n_rows
    quasi = () if roles is None else roles.quasi
    stars, rows = _suppressed(content, roles, quasi)
    lost = int(stars @ rows) + published * changes.columns_dropped + left_out * n_source_quasi
    return Losses(
        rows=published + left_out,
        left_out=left_out,
        suppressed_rows=(int(rows[stars == len(quasi)].sum()) if quasi else 0) + left_out,
        information_loss=lost / max((published + left_out) * n_source_quasi, 1),
        certainty_penalty=penalty,
        groups=groups_of(content, roles),
    )


def groups_of(content: Content, roles: Roles | None) -> RowGroups:
    """The equivalence classes of the published rows."""
    if roles is None:  # baskets
        groups, first = grouped(content, (), ordered=False)
        target, judged = content.class_codes()
        return _judged(groups, np.ones(len(groups), dtype=np.int64), len(first), target, judged)
    counts = row_counts(content, roles)
    counted, (groups, first) = counts.whole, counts.groups(roles.quasi)
    names = dict.fromkeys([*([] if roles.target is None else [roles.target]), *roles.sensitive])
    judged = {name: counted.column(name).codes for name in names}
    return _judged(groups, counted.counts[:, 0], len(first), roles.target, judged)


def _judged(
    groups: np.ndarray, rows: np.ndarray, n_groups: int, target: str | None, judged: Mapping[str, np.ndarray]
) -> RowGroups:
    """The groups by the codes of their entries in the judged columns; each entry stands for some rows."""
    different = {name: _different(groups, codes, n_groups) for name, codes in judged.items()}
    diversity = {name: int(n_values.min()) if n_groups else 0 for name, n_values in different.items()}
    pure = different[target] == 1 if target is not None else np.zeros(n_groups, dtype=bool)
    return RowGroups(n_groups, int(pure.sum()), int(rows[pure[groups]].sum()), diversity)


def suppressed_cells(content: Content, quasi: Sequence[str]) -> int:
    """The number of suppressed quasi-identifier cells."""
    stars, rows = _suppressed(content, None, quasi)
    return int(stars @ rows)


def cells_told(content: Content, quasi: Sequence[str]) -> int:
    """The number of published quasi-identifier cells that are not suppressed."""
    return content.n_rows * len(quasi) - suppressed_cells(content, quasi)


def _suppressed(content: Content, roles: Roles | None, quasi: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The number of suppressed cells of each distinct row, and its rows; items are never suppressed."""
    if not content.has_cells:
        raise DataError(f"A release of {content.shape_name} publishes no cells: count its columns.")
    nothing = np.zeros(0, dtype=np.int64)
    if not quasi or content.rows_of_items() is not None:
        return nothing, nothing
    counts = row_counts_of(content, quasi) if roles is None else row_counts(content, roles)
    stars = np.zeros(len(counts.whole), dtype=np.int64)
    for column in map(counts.whole.column, quasi):
        stars += column.suppressed[column.codes]
    return stars, counts.whole.counts[:, 0]


def _different(groups: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """Number of different codes in each group."""
    return np.bincount(pair_counts(groups, codes)[0], minlength=n_groups)


# -- column by column ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnChange:
    """One quasi-identifier, the columns published for it (none if dropped), and how much they reveal of it.

    `detail` is the share of its information that can be read off the published columns (see information_kept.py): 1 if
    every original value can, 0 if they say the same in every row.
    """

    name: str
    published: tuple[str, ...]
    values_before: int
    values_after: int
    suppressed_cells: int
    detail: float


@dataclass(frozen=True, eq=False)
class Crossing:
    """A quasi-identifier and the columns published for it, row by row.

    `weights` are the numbers of table rows that each of these rows stands for; None means one each.
    """

    old: Column
    new: Sequence[Column]
    weights: np.ndarray | None = None

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The occurring pairs of original and published code, and the number of rows of each.

        Several published columns share one code for each distinct combination.
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
        """Number of rows with a suppressed cell; items are never suppressed."""
        if len(self.new) != 1:
            return 0
        _, now, rows = self.pairs
        return int(rows[self.new[0].suppressed[now]].sum())

    @property
    def same(self) -> int:
        """Number of rows whose cell is unchanged."""
        if not self.keeps_name:
            return 0
        code_of = {text: code for code, text in enumerate([*self.new[0].texts, None])}
        unchanged = np.array([code_of.get(text, -1) for text in [*self.old.texts, None]])
        was, now, rows = self.pairs
        return int(rows[unchanged[was] == now].sum())


def crossings(
    source: Table | CodedRows,
    published: Mapping[str, Sequence[Column]],
    quasi: Sequence[str],
    weights: np.ndarray | None = None,
) -> list[Crossing]:
    """Pair each quasi-identifier with its published columns, which have the rows of the source in its order.

    `weights` are the numbers of table rows behind each of these rows; None means one each.
    """
    return [Crossing(source.column(name), published.get(name, ()), weights) for name in quasi]


def changes_of_columns(
    crossed: Iterable[Crossing], labellings: Sequence[Labelling] = (), left_out: int = 0
) -> tuple[ColumnChange, ...]:
    """The change of each quasi-identifier; `labellings` say what labels mean, `left_out` counts rows not published."""
    of_source = {labelling.source: labelling for labelling in labellings}
    return tuple(_change(one, of_source.get(one.old.name), left_out) for one in crossed)


def _change(crossed: Crossing, labelling: Labelling | None, left_out: int) -> ColumnChange:
    old, new, (_, now, rows) = crossed.old, crossed.new, crossed.pairs
    return ColumnChange(
        name=old.name,
        published=tuple(column.name for column in new),
        values_before=old.levels,
        values_after=int((np.bincount(now, rows) > 0).sum()) if new else 0,
        suppressed_cells=crossed.suppressed if new else crossed.n_rows,
        detail=detail_of_column(crossed, labelling, published=crossed.n_rows / max(crossed.n_rows + left_out, 1)),
    )


# -- certainty penalty ---------------------------------------------------------------------------------------------


def penalty_of(
    labellings: Sequence[Labelling],
    source: Table | CodedRows,
    published: Mapping[str, Sequence[Column]],
    quasi: Sequence[str],
    left_out: int,
    weights: np.ndarray | None = None,
) -> float | None:
    """The mean certainty penalty of all cells; None if some published label has no meaning.

    `weights` are the numbers of table rows behind each published row; None means one each.
    """
    n_rows = len(source) if weights is None else int(weights.sum()) + left_out
    crossed = [Crossing(source.column(name), published.get(name, ()), weights) for name in quasi]
    return penalty_of_crossings(labellings, crossed, n_rows, left_out)


def penalty_of_crossings(
    labellings: Sequence[Labelling], crossed: Sequence[Crossing], n_rows: int, left_out: int = 0
) -> float | None:
    """As `penalty_of`, of columns whose rows may each stand for other rows; `n_rows` are all, those left out among
    them.
    """
    labelled: dict[str, list[Labelling]] = {}
    for labelling in labellings:
        labelled.setdefault(labelling.source, []).append(labelling)
    total = 0.0
    for one in crossed:
        columns, meanings = one.new, labelled.get(one.old.name, [])
        if not columns:
            total += n_rows
            continue
        if meanings and meanings[0].fallback == "0":
            total += _of_items(meanings, one.old, one.weights)
            continue
        if len(meanings) != 1 or len(columns) != 1:
            return None
        cost = _of_labels(meanings[0], one.old)
        if not {*columns[0].texts} <= cost.keys():
            return None
        rows = np.bincount(columns[0].codes, one.weights)
        total += sum(cost[text] * n for text, n in zip(columns[0].texts, rows.tolist(), strict=False)) + left_out
    return total / max(n_rows * len(crossed), 1)


def _of_labels(labelling: Labelling, column: Column) -> dict[str | None, float]:
    classes = labelling.classes(column)
    n_values = np.bincount(classes.of_code[: column.levels], minlength=len(classes))
    ends = (column.numbers.min(), column.numbers.max()) if column.kind != "category" and len(column.values) else None
    cost: dict[str | None, float] = {}
    whole = is_whole(column)
    for place, (label, meaning) in enumerate(zip(labelling.labels, labelling.meanings, strict=True)):
        if label == SUPPRESSED:
            cost[label] = 1.0
        elif meaning.interval is not None:
            cost[label] = 0.0 if ends is None else _width(*meaning.interval, *ends, whole=whole)
        else:
            cost[label] = _share(int(n_values[classes.fit(place)].sum()), column.levels)
    return cost | {SUPPRESSED: 1.0}


def _width(low: float, high: float, least: float, largest: float, *, whole: bool) -> float:
    """Width of an interval as a share of the column's range; for whole numbers the upper end is excluded."""
    low, high = max(low, least), min(high - whole, largest)
    span = largest / 2 - least / 2  # halved, since the range of doubles may exceed the largest double
    return min(max((high / 2 - low / 2) / span, 0.0), 1.0) if span > 0 else 0.0


def _share(values: int, all_values: int) -> float:
    return 0.0 if values <= 1 else values / all_values


def _of_items(labellings: list[Labelling], column: Column, weights: np.ndarray | None) -> float:
    """Total penalty of a column published as items: values with the same items cannot be told apart."""
    has = np.zeros((column.levels, len(labellings)), dtype=bool)
    for item, labelling in enumerate(labellings):
        classes = labelling.classes(column)
        has[:, item] = classes.fit(0)[classes.of_code[: column.levels]]
    _, alike = np.unique(has, axis=0, return_inverse=True)
    shares = np.array([_share(int(n), column.levels) for n in np.bincount(alike.ravel())])
    rows = np.bincount(column.codes, weights, minlength=column.levels)
    return float(shares[alike.ravel()] @ rows)
