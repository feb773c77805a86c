# SPDX-License-Identifier: Apache-2.0
"""Order the values of a quasi-identifier on an axis that methods can cut, and label what lies between cuts.

Numbers and dates keep their order, categories are ordered by name or by their class shares; missing comes last.
Numbers are labelled with the interval between the cuts around them, categories with the set that occurs in the group.
A category that fewer than `rarest` persons have is never named: it is part of "other", or of another mark where a
named category is called "other" itself.

A `readable` axis cuts at the roundest place between two neighbours, writes dates by years, quarters and months, and
spells out at most eight categories: a larger set has a name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import SUPPRESSED, Column, text_of
from discreet.errors import DataError, shown
from discreet.prepare.binning import Binning
from discreet.prepare.intervals import (
    border_text,
    column_cut,
    interval_label,
    is_whole,
    readable_cut,
    roundest_cut,
    roundness,
)
from discreet.prepare.rare import Rare
from discreet.prepare.whole_cuts import readable_whole_cuts
from discreet.recoding.labels import EVERYTHING, MISSING, OTHER, Meaning, other_mark
from discreet.recoding.names import MOST_SPELT, Names
from discreet.recoding.plan import AxisScale

_AMBIGUOUS = re.compile(r'[{}",]|^not missing$|or missing$|^[<>\[]')  # may be taken for a set, interval or quotation


class Written(Protocol):
    """Another way to label the values of a group, with the meanings of the labels."""

    def label(self, ranks: tuple[int, ...]) -> str | None: ...

    def meaning(self, ranks: tuple[int, ...]) -> Meaning: ...


@dataclass(frozen=True)
class Axis:
    """One column: `rank_of_code` is the rank of each code, `names` are the categories by rank.

    `counts` are the rows of each code by class, missing last.
    """

    column: Column
    rank_of_code: np.ndarray
    counts: np.ndarray
    names: tuple[str, ...] | None = None  # None for numbers and dates; the mark of others last, if there is one
    numbers: np.ndarray | None = None  # numbers and dates by rank
    tree: Written | None = None  # labels groups, unless as intervals and sets
    has_other: bool = False  # whether some categories are not named
    other: str = OTHER  # their mark
    rare: Rare | None = None  # the values that fewer than `rarest` persons have
    by_cuts: bool = False  # whether labels depend on the cuts alone, which are then as round as possible
    by_region: bool = False  # whether the tree labels all numbers between the cuts, not those that occur
    borders: tuple[float, ...] | None = None  # the only allowed cuts, from a public grid
    readable: bool = True  # whether cuts are round, and labels short
    prefixes: Mapping[str, int] | None = None  # of codes in the order of a tree: where new ones belong

    @classmethod
    def of(cls, rows: CodedRows, name: str, *, rarest: int, by_class: bool = False, readable: bool = True) -> Axis:
        """The axis of a column; `by_class` orders categories by their class shares."""
        rare, counts = Rare.of(rows, name, rarest=rarest), rows.class_counts(name)
        column = rare.column
        n_values = len(column.values)
        if column.kind != "category":
            if not np.isfinite(column.numbers).all():
                raise DataError(f"Column {name!r} holds infinite numbers, which cannot be cut. Mark them as missing.")
            numbers, ranks = np.unique(column.numbers, return_inverse=True)  # distant dates may share a number
            return cls(column, np.append(ranks, len(numbers)), counts, numbers=numbers, rare=rare, readable=readable)
        common = np.flatnonzero(~rare.is_rare)
        if by_class and len(common):
            common = common[in_class_order(counts[common])]
        other = len(common) < n_values
        rank_of_code = np.full(n_values + 1, len(common))
        rank_of_code[common] = np.arange(len(common))
        rank_of_code[n_values] = len(common) + other
        named = tuple(column.texts[code] for code in common)
        mark = other_mark(named)
        names = (*named, mark) if other else named
        return cls(column, rank_of_code, counts, names, has_other=other, other=mark, rare=rare, readable=readable)

    @classmethod
    def of_grid(cls, rows: CodedRows, name: str, grid: Sequence[object]) -> Axis:
        """The axis of a public grid: intervals between borders for numbers and dates, a list of values for categories.

        A category that is not on the list is one of the others, which every such axis has.
        """
        column, counts = rows.column(name), rows.class_counts(name)
        if column.kind != "category":
            borders = Binning.fit(rows, [name], cuts={name: list(grid)}).cuts[name]  # type: ignore[arg-type]
            numbers = column.numbers if len(column.values) else np.empty(0)
            cells = np.searchsorted(borders, numbers, side="right")
            ranks_of = np.append(cells, len(borders) + 1)
            return cls(column, ranks_of, counts, by_cuts=True, borders=borders, readable=False)
        names = [text_of(value) for value in grid]
        if not names or len(set(names)) < len(names) or SUPPRESSED in names:
            raise DataError(f"The grid of {shown(name)} must list different categories, none of them {SUPPRESSED!r}.")
        place = {text: rank for rank, text in enumerate(names)}
        ranks = [place.get(text, len(names)) for text in column.texts]
        rank_of_code = np.array([*ranks, len(names) + 1], dtype=np.int64)
        mark = other_mark(names)
        return cls(
            column, rank_of_code, counts, (*names, mark), has_other=True, other=mark, by_cuts=True, readable=False
        )

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
        """The categories told apart from the others; empty if there are no others."""
        return frozenset(self.names or ()) - {self.other} if self.has_other else frozenset()

    @cached_property
    def scale(self) -> AxisScale:
        if self.names is None:
            return AxisScale(self.name, ordered=True, kind=self.column.kind)
        common = int(self.counts_of_ranks.sum(axis=1).argmax())
        if self.tree is not None and self.prefixes is not None:
            places = dict(zip(self.column.texts, self.rank_of_code.tolist(), strict=False))
            return AxisScale(self.name, ordered=False, places=places, other=common, prefixes=self.prefixes)
        places = {name: rank for rank, name in enumerate(self.names)}
        other = places[self.other] if self.has_other else common
        return AxisScale(self.name, ordered=False, places=places, other=other, known=self.known)

    @cached_property
    def position(self) -> np.ndarray:
        """Position of each rank between 0 and 1, whose differences are the normalised ranges of groups."""
        if self.numbers is not None and self.n_values > 1:
            halves = self.numbers / 2  # the range of doubles may exceed the largest double
            between = (halves - halves[0]) / (halves[-1] - halves[0])
        else:
            between = np.arange(self.n_values) / max(self.n_values - 1, 1)
        return np.append(between, 1.0)

    def cut(self, below: int, above: int) -> float:
        """The cut between two neighbouring ranks; missing lies at infinity."""
        if above == self.n_values:
            return np.inf
        if self.borders is not None and self.readable:
            return max(self.borders[below:above], key=lambda cut: roundness(self.column, cut))
        if self.borders is not None:
            return self.borders[_evenest(below, above)]
        if self.numbers is None:
            return (_evenest(below, above) if self.by_cuts else below) + 0.5
        if (below, above) not in self._cuts:  # many groups have the same neighbours
            self._cuts[below, above] = self._cut(float(self.numbers[below]), float(self.numbers[above]))
        return self._cuts[below, above]

    def cuts(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """`cut` between many pairs of ranks."""
        if self.numbers is None or self.borders is not None or self.by_cuts or not self.readable:
            return np.array([self.cut(*pair) for pair in zip(below.tolist(), above.tolist(), strict=True)])
        if self.column.kind != "number" or not is_whole(self.column) or np.abs(self.numbers).max(initial=0) >= 2**53:
            return np.array([self.cut(*pair) for pair in zip(below.tolist(), above.tolist(), strict=True)])
        cuts, inside = np.full(len(below), np.inf), above < self.n_values
        whole = self.numbers.astype(np.int64)
        cuts[inside] = readable_whole_cuts(whole[below[inside]], whole[above[inside]])
        return cuts

    def _cut(self, low: float, high: float) -> float:
        if self.by_cuts:
            return roundest_cut(self.column, low, high)
        rare = frozenset() if self.rare is None else self.rare.numbers
        choose = readable_cut if self.readable else column_cut
        cut = choose(self.column, low, high)
        if cut not in rare or (self.readable and (cut < high or cut == self._cut_without(low, high))):
            return cut
        return choose(self.column, low, high, avoid=rare)

    def _cut_without(self, low: float, high: float) -> float:
        """The readable cut if nobody had the number `high`: if it is the same, it does not tell that somebody has it.

        A cut that avoided it would: 29.995 in place of 30.
        """
        assert self.numbers is not None
        above = int(np.searchsorted(self.numbers, high, side="right"))
        return readable_cut(self.column, low, float(self.numbers[above])) if above < len(self.numbers) else -np.inf

    @cached_property
    def _cuts(self) -> dict[tuple[int, int], float]:
        return {}

    def interval(self, low: float, high: float, missing: bool) -> str | None:
        """The label of numbers in [low, high), with or without missing."""
        if low == np.inf:
            return None
        if low == -np.inf and high == np.inf:
            return SUPPRESSED if missing == self.column.has_missing else "not missing"
        low, high = self._closed(low, high)
        if self._hides(low, high):
            return SUPPRESSED
        suffix = " or missing" if missing else ""
        kind: Literal["number", "date"] = "date" if self.column.kind == "date" else "number"
        if is_whole(self.column) and high - low == 1 and (kind == "number" or self.readable):
            return border_text(low, kind) + suffix
        ends = (None if low == -np.inf else low), (None if high == np.inf else high)
        return interval_label(*ends, kind, periods=self.readable) + suffix

    def meaning_of_interval(self, low: float, high: float, missing: bool) -> Meaning:
        """The meaning of the label that `interval` gives; "*" and "not missing" cover new values, too."""
        if low == np.inf:
            return MISSING
        if low == -np.inf and high == np.inf:
            return EVERYTHING if missing == self.column.has_missing else Meaning((low, high), missing=missing)
        return EVERYTHING if self._hides(*self._closed(low, high)) else Meaning((low, high), missing=missing)

    def _closed(self, low: float, high: float) -> tuple[float, float]:
        """The same, or the only whole number in it where it is open at one end: 0 and 1 instead of `< 1` and `>= 1`.

        It is only written so: new rows below or above have that label, too, as none is nearer. Of a column of more than
        two numbers only a 0 at the lower end, as of counts: others may have smaller or larger ones. Not if that number
        is rare, which nothing may name.
        """
        if not self.readable or self.numbers is None or self.column.kind != "number" or not is_whole(self.column):
            return low, high
        rare = frozenset() if self.rare is None else self.rare.numbers
        first, last = float(self.numbers[0]), float(self.numbers[-1])
        is_binary = last == first + 1
        if low == -np.inf and high == first + 1 and (is_binary or first == 0) and first not in rare:
            return first, high
        if high == np.inf and low == last and is_binary and last not in rare:
            return low, last + 1
        return low, high

    def _hides(self, low: float, high: float) -> bool:
        """Whether the interval would reveal a rare value."""
        return self.rare is not None and self.rare.is_alone_in(low, high)

    def region(self, low: float, high: float, missing: bool) -> tuple[int, ...]:
        """Ranks of the categories between two cuts, whether or not they occur, and of missing if it belongs there."""
        first, end = (int(np.clip(np.ceil(border), 0, self.n_values)) for border in (low, high))
        return (*range(first, end), *((self.n_values,) if missing else ()))

    def ranks_within(self, low: float, high: float, missing: bool) -> tuple[int, ...]:
        """Ranks of the numbers between two cuts, whether or not they occur, and of missing if it belongs there."""
        assert self.numbers is not None
        first, end = np.searchsorted(self.numbers, [low, high]).tolist()
        return (*range(first, end), *((self.n_values,) if missing else ()))

    def meaning_of_set(self, ranks: tuple[int, ...]) -> Meaning:
        """The meaning of the label that `set_of` gives. A set without the others is listed in full."""
        assert self.names is not None
        missing = ranks[-1] == self.n_values
        inside = {self.names[rank] for rank in ranks if rank < self.n_values}
        outside = set(self.names) - inside
        others = self.has_other and self.other in inside
        if not outside:
            return EVERYTHING if missing == self.column.has_missing else Meaning(but=True, missing=missing)
        shorter = len(outside) < len(inside) and missing == self.column.has_missing
        if shorter and (others or not self.has_other):
            return Meaning(texts=frozenset(outside), but=True, missing=missing)
        return Meaning.of(inside - ({self.other} if self.has_other else set()), others=others, missing=missing)

    def set_of(self, ranks: tuple[int, ...]) -> str | None:
        """The label of a set of categories: their names, or those of all others if that is shorter.

        A readable axis gives a name to a set of which neither is short.
        """
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
        most = MOST_SPELT if self.readable else self.n_values
        if len(outside) < len(inside) and missing == self.column.has_missing and len(outside) <= most:
            return "not {" + self._listed(outside) + "}"
        if len(inside) <= most:
            return "{" + self._listed(inside) + "}" + suffix
        rows, names = self.counts_of_ranks.sum(axis=1), self.names
        common = sorted(inside, key=lambda rank: (self._is_other(rank), -rows[rank], names[rank]))
        return self._names.name(tuple(inside), [written(names[rank]) for rank in common]) + suffix

    def _is_other(self, rank: int) -> bool:
        return self.has_other and rank == self.n_values - 1

    @cached_property
    def _names(self) -> Names:
        return Names()

    def _listed(self, ranks: list[int]) -> str:
        assert self.names is not None
        return ", ".join(sorted(written(self.names[rank]) for rank in ranks))


def _evenest(below: int, above: int) -> int:
    """The number in [below, above) whose successor is divisible by the largest power of 2.

    So a cut hardly moves if a neighbour does.

    >>> _evenest(2, 5), _evenest(3, 5), _evenest(4, 7), _evenest(4, 5)
    (3, 3, 5, 4)
    """
    step = 1 << int(above - below).bit_length()
    while above // step * step <= below:
        step //= 2
    return int(above // step * step) - 1


def written(name: str) -> str:
    """A category as it appears in labels: quoted if it could be mistaken for something else.

    >>> written("not known"), written("{a, b}"), written("not missing")
    ('not known', '"{a, b}"', '"not missing"')
    """
    return json.dumps(name, ensure_ascii=False) if _AMBIGUOUS.search(name) else name


def in_class_order(counts: np.ndarray) -> np.ndarray:
    """Order categories along the direction in which their class shares differ most; for two classes, by class share.

    With two classes some cut of this order is the best of all subsets (Breiman et al. 1984, theorem 4.5).
    """
    if len(counts) == 0:
        return np.empty(0, dtype=np.int64)
    rows = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(rows, 1)
    around = (shares - counts.sum(axis=0) / max(rows.sum(), 1)) * np.sqrt(rows)
    direction = np.linalg.svd(around, full_matrices=False)[2][0]
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return np.argsort(np.round(shares @ direction, 12), kind="stable")
