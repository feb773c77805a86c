# SPDX-License-Identifier: Apache-2.0
"""A quasi-identifier on a line, so that methods can cut it, and how what lies between cuts is written.

Numbers and dates stand in their order, categories by name or along the class they go with; missing comes last.
Numbers are written as the interval between the cuts around them, categories as the set that occurs in the group,
and a category that fewer than `rarest` persons have is never named: it is part of "other".
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import pair_counts
from discreet.data.column import SUPPRESSED, Column, text_of
from discreet.errors import DataError, shown
from discreet.foundation.compiled_kernels import compiled
from discreet.prepare.binning import Binning
from discreet.prepare.intervals import column_cut, interval_label, is_whole, roundest_cut
from discreet.prepare.rare import Rare
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning
from discreet.recoding.plan import AxisScale, Recode

OTHER = "other"
_AMBIGUOUS = re.compile(r'[{}",]|^not |or missing$|^[<>\[]')  # could be read as a set, an interval, or a quotation


class Written(Protocol):
    """Another way to write the values that occur in a group, and what is so written."""

    def label(self, ranks: tuple[int, ...]) -> str | None: ...

    def meaning(self, ranks: tuple[int, ...]) -> Meaning: ...


@dataclass(frozen=True)
class Axis:
    """One column: `rank_of_code` gives the place of each code, `names` the categories in the order of their ranks.

    `counts` are the rows of each code, missing last, by class.
    """

    column: Column
    rank_of_code: np.ndarray
    counts: np.ndarray
    names: tuple[str, ...] | None = None  # None for numbers and dates; "other" last, if there is one
    numbers: np.ndarray | None = None  # of numbers and dates, in the order of their ranks
    tree: Written | None = None  # how groups are written, when not as intervals and sets
    has_other: bool = False  # whether some categories are not named
    rare: Rare | None = None  # the values that fewer than `rarest` persons have
    by_cuts: bool = False  # whether groups are written as the cuts around them alone, and cuts are as round as can be
    borders: tuple[float, ...] | None = None  # the only cuts there are, where a public grid was given

    @classmethod
    def of(cls, rows: CodedRows, name: str, *, rarest: int, by_class: bool = False) -> Axis:
        """The axis of a column; `by_class` puts categories in the order of the class they go with."""
        rare, counts = Rare.of(rows, name, rarest=rarest), rows.class_counts(name)
        column = rare.column
        n_values = len(column.values)
        if column.kind != "category":
            if not np.isfinite(column.numbers).all():
                raise DataError(f"Column {name!r} holds infinite numbers, which cannot be cut. Mark them as missing.")
            numbers, ranks = np.unique(column.numbers, return_inverse=True)  # far moments may fall on one number
            return cls(column, np.append(ranks, len(numbers)), counts, numbers=numbers, rare=rare)
        named = np.flatnonzero(~rare.is_rare)
        if len(named) < n_values:  # then there is an "other", and a value of that name is part of it
            named = np.array([code for code in named if column.texts[code] != OTHER], dtype=np.int64)
        if by_class and len(named):
            named = named[_order_by_class(counts[named])]
        other = len(named) < n_values
        rank_of_code = np.full(n_values + 1, len(named))
        rank_of_code[named] = np.arange(len(named))
        rank_of_code[n_values] = len(named) + other
        names = (*(column.texts[code] for code in named), *((OTHER,) if other else ()))
        return cls(column, rank_of_code, counts, names, has_other=other, rare=rare)

    @classmethod
    def of_grid(cls, rows: CodedRows, name: str, grid: Sequence[object]) -> Axis:
        """The column in the cells of a public grid: between the borders of numbers or dates, or the values of a list.

        A category that is not on the list is part of "other", which every such axis has.
        """
        column, counts = rows.column(name), rows.class_counts(name)
        if column.kind != "category":
            borders = Binning.fit(rows, [name], cuts={name: list(grid)}).cuts[name]  # type: ignore[arg-type]
            numbers = column.numbers if len(column.values) else np.empty(0)
            cells = np.searchsorted(borders, numbers, side="right")
            return cls(column, np.append(cells, len(borders) + 1), counts, by_cuts=True, borders=borders)
        names = [text_of(value) for value in grid]
        if not names or len(set(names)) < len(names) or {OTHER, SUPPRESSED} & set(names):
            raise DataError(
                f"The grid of {shown(name)} must list different categories, none of them {OTHER!r} or {SUPPRESSED!r}."
            )
        place = {text: rank for rank, text in enumerate(names)}
        ranks = [place.get(text, len(names)) for text in column.texts]
        rank_of_code = np.array([*ranks, len(names) + 1], dtype=np.int64)
        return cls(column, rank_of_code, counts, (*names, OTHER), has_other=True, by_cuts=True)

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def n_values(self) -> int:
        """Number of non-missing ranks; missing comes next."""
        if self.borders is not None:
            return len(self.borders) + 1
        return len(self.numbers) if self.numbers is not None else len(self.names or ())

    @cached_property
    def counts_of_ranks(self) -> np.ndarray:
        """Rows of each rank, missing last if there is one, by class."""
        counts = np.zeros((self.n_values + 1, self.counts.shape[1]), dtype=np.int64)
        np.add.at(counts, self.rank_of_code, self.counts)
        return counts if self.column.has_missing else counts[:-1]

    @cached_property
    def known(self) -> frozenset[str]:
        """The categories that are told from others; none where there are no others."""
        return frozenset(self.names or ()) - {OTHER} if self.has_other else frozenset()

    @cached_property
    def scale(self) -> AxisScale:
        if self.names is None:
            return AxisScale(self.name, ordered=True, kind=self.column.kind)
        places = {name: rank for rank, name in enumerate(self.names)}
        common = int(self.counts_of_ranks.sum(axis=1).argmax())
        return AxisScale(self.name, ordered=False, places=places, other=places.get(OTHER, common), known=self.known)

    @cached_property
    def position(self) -> np.ndarray:
        """Where each rank lies between 0 and 1: the normalised range of a group is a difference of these."""
        if self.numbers is not None and self.n_values > 1:
            halves = self.numbers / 2  # a range of doubles may be longer than the largest double
            between = (halves - halves[0]) / (halves[-1] - halves[0])
        else:
            between = np.arange(self.n_values) / max(self.n_values - 1, 1)
        return np.append(between, 1.0)

    def cut(self, below: int, above: int) -> float:
        """The place that parts two neighbouring ranks; missing lies at infinity."""
        if above == self.n_values:
            return np.inf
        if self.borders is not None:
            return self.borders[_evenest(below, above)]
        if self.numbers is None:
            return (_evenest(below, above) if self.by_cuts else below) + 0.5
        if (below, above) not in self._cuts:  # the same neighbours are cut in many groups
            self._cuts[below, above] = self._cut(float(self.numbers[below]), float(self.numbers[above]))
        return self._cuts[below, above]

    def _cut(self, low: float, high: float) -> float:
        if self.by_cuts:
            return roundest_cut(self.column, low, high)
        return column_cut(self.column, low, high, avoid=frozenset() if self.rare is None else self.rare.numbers)

    @cached_property
    def _cuts(self) -> dict[tuple[int, int], float]:
        return {}

    def interval(self, low: float, high: float, missing: bool) -> str | None:
        """How numbers in [low, high), with or without missing, are written."""
        if low == np.inf:
            return None
        if low == -np.inf and high == np.inf:
            return SUPPRESSED if missing == self.column.has_missing else "not missing"
        if self._hides(low, high):
            return SUPPRESSED
        suffix = " or missing" if missing else ""
        if is_whole(self.column) and high - low == 1 and self.column.kind == "number":
            return text_of(low) + suffix
        ends = (None if low == -np.inf else low), (None if high == np.inf else high)
        return interval_label(*ends, "date" if self.column.kind == "date" else "number") + suffix

    def meaning_of_interval(self, low: float, high: float, missing: bool) -> Meaning:
        """What `interval` writes, for whoever reads it: "*" and "not missing" are about new values too."""
        if low == np.inf:
            return MISSING
        everything = low == -np.inf and high == np.inf and missing == self.column.has_missing
        return EVERYTHING if everything or self._hides(low, high) else Meaning((low, high), missing=missing)

    def _hides(self, low: float, high: float) -> bool:
        """Whether the interval would name a rare value: few have it, and missing or swapped cells are written alike."""
        return self.rare is not None and self.rare.is_alone_in(low, high)

    def region(self, low: float, high: float, missing: bool) -> tuple[int, ...]:
        """The categories between two cuts, whether or not anybody has them, and missing where it belongs there."""
        first, end = (int(np.clip(np.ceil(border), 0, self.n_values)) for border in (low, high))
        return (*range(first, end), *((self.n_values,) if missing else ()))

    def meaning_of_set(self, ranks: tuple[int, ...]) -> Meaning:
        """What `set_of` writes. A set without "other" is listed in full, so that what is not listed is an other."""
        assert self.names is not None
        missing = ranks[-1] == self.n_values
        inside = {self.names[rank] for rank in ranks if rank < self.n_values}
        outside = set(self.names) - inside
        others = self.has_other and OTHER in inside
        if not outside:
            return EVERYTHING if missing == self.column.has_missing else Meaning(but=True, missing=missing)
        shorter = len(outside) < len(inside) and missing == self.column.has_missing
        if shorter and (others or not self.has_other):
            return Meaning(texts=frozenset(outside), but=True, missing=missing)
        return Meaning.of(inside - ({OTHER} if self.has_other else set()), others=others, missing=missing)

    def set_of(self, ranks: tuple[int, ...]) -> str | None:
        """How a set of categories is written: by name, or by what is not in it when that is shorter."""
        assert self.names is not None
        missing = ranks[-1] == self.n_values
        inside = [rank for rank in ranks if rank < self.n_values]
        if not inside:
            return None
        if len(inside) == self.n_values:
            return SUPPRESSED if missing == self.column.has_missing else "not missing"
        suffix = " or missing" if missing else ""
        if len(inside) == 1:
            return written(self.names[inside[0]]) + suffix
        outside = sorted(set(range(self.n_values)) - set(inside))
        if len(outside) < len(inside) and missing == self.column.has_missing:
            return "not {" + self._listed(outside) + "}"
        return "{" + self._listed(inside) + "}" + suffix

    def _listed(self, ranks: list[int]) -> str:
        assert self.names is not None
        return ", ".join(sorted(written(self.names[rank]) for rank in ranks))


def _evenest(below: int, above: int) -> int:
    """A place from `below` up to but not at `above`: the one whose successor is divisible by 2 most often.

    So the place of a cut hardly moves when a neighbour does.

    >>> _evenest(2, 5), _evenest(3, 5), _evenest(4, 7), _evenest(4, 5)
    (3, 3, 5, 4)
    """
    step = 1 << int(above - below).bit_length()
    while above // step * step <= below:
        step //= 2
    return int(above // step * step) - 1


def written(name: str) -> str:
    """A category as labels name it: in quotes where it could be read as something else.

    >>> written("nurse"), written("{a, b}"), written("not missing")
    ('nurse', '"{a, b}"', '"not missing"')
    """
    return json.dumps(name, ensure_ascii=False) if _AMBIGUOUS.search(name) else name


def _order_by_class(counts: np.ndarray) -> np.ndarray:
    """Categories along the direction in which their class shares differ most; for two classes, by class share.

    With two classes some cut of this order is the best of all subsets (Breiman et al. 1984, theorem 4.5).
    """
    rows = counts.sum(axis=1, keepdims=True)
    shares = counts / rows
    around = (shares - counts.sum(axis=0) / rows.sum()) * np.sqrt(rows)
    direction = np.linalg.svd(around, full_matrices=False)[2][0]
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return np.argsort(np.round(shares @ direction, 12), kind="stable")


def recode(
    axes: list[Axis],
    ranks: np.ndarray,
    leaf_of: np.ndarray,
    column: np.ndarray,
    cut: np.ndarray,
    left: np.ndarray,
    sides: tuple[np.ndarray, np.ndarray] | None = None,
) -> Recode:
    """The plan of a tree of cuts. `ranks` and `leaf_of` are those of the distinct rows the tree was made from.

    Where both sides of a cut share values, `sides` says where the left one ends (NaN: where its parent does) and where
    the right one begins.
    """
    n_leaves = int((column < 0).sum())
    has_missing = np.array([axis.column.has_missing for axis in axes])
    low, high, missing = _boxes(column, *(sides or (cut, cut)), left, n_leaves, has_missing)
    codes = np.empty((n_leaves, len(axes)), dtype=np.int32)
    labels, meanings = [], []
    for c, axis in enumerate(axes):
        if axis.tree is None and (axis.names is None or axis.by_cuts):
            boxes = np.column_stack([low[:, c], high[:, c], missing[:, c]])
            distinct, code = np.unique(boxes, axis=0, return_inverse=True)
            ends = [(float(a), float(b), bool(m)) for a, b, m in distinct]
            if axis.names is None:
                labels.append([axis.interval(*end) for end in ends])
                meanings.append([axis.meaning_of_interval(*end) for end in ends])
            else:
                labels.append([axis.set_of(axis.region(*end)) for end in ends])
                meanings.append([axis.meaning_of_set(axis.region(*end)) for end in ends])
        else:
            code, sets = _sets(ranks[:, c], leaf_of, n_leaves)
            label, meaning = axis.set_of, axis.meaning_of_set
            if axis.tree is not None:
                label, meaning = axis.tree.label, axis.tree.meaning
            labels.append([label(occurring) for occurring in sets])
            meanings.append([meaning(occurring) for occurring in sets])
        codes[:, c] = code.ravel()
    return Recode(tuple(axis.scale for axis in axes), column, cut, left, codes, tuple(labels), tuple(meanings))


def _sets(rank: np.ndarray, leaf_of: np.ndarray, n_leaves: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """The categories that occur in each leaf: a code per leaf, and the ranks that the codes stand for."""
    leaf, rank, _ = pair_counts(leaf_of, rank)
    ranks = tuple(rank.tolist())
    ends = np.cumsum(np.bincount(leaf, minlength=n_leaves)).tolist()
    code_of: dict[tuple[int, ...], int] = {}
    code = [
        code_of.setdefault(ranks[start:end], len(code_of)) for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    return np.array(code, dtype=np.int32), list(code_of)


def _boxes(
    column: np.ndarray, end: np.ndarray, begin: np.ndarray, left: np.ndarray, n_leaves: int, has_missing: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The interval of each leaf in each column, and whether missing belongs to it."""
    shape = len(column), len(has_missing)
    low, high, missing = np.full(shape, -np.inf), np.full(shape, np.inf), np.empty(shape, dtype=bool)
    missing[0] = has_missing
    _narrow(column, end, begin, left, low, high, missing)
    of_leaf = np.empty(n_leaves, dtype=np.int64)
    leaves = np.flatnonzero(column < 0)
    of_leaf[left[leaves]] = leaves
    return low[of_leaf], high[of_leaf], missing[of_leaf]


@compiled
def _narrow(column, end, begin, left, low, high, missing):
    """Hand the box of each node down to its children, cut in two."""
    for node in range(len(column)):  # children come after their parent
        c = column[node]
        if c < 0:
            continue
        for child in range(left[node], left[node] + 2):
            for i in range(low.shape[1]):
                low[child, i] = low[node, i]
                high[child, i] = high[node, i]
                missing[child, i] = missing[node, i]
        if not np.isnan(end[node]):
            high[left[node], c] = min(high[node, c], end[node])
            missing[left[node], c] = False
        low[left[node] + 1, c] = max(low[node, c], begin[node])
