# SPDX-License-Identifier: Apache-2.0
"""The choice of the way in which a release is made, by what it is worth on held-out rows.

Every way is tried in three-fold cross-validation: it parts the rows of two folds, and the rows of the third are written
as the sets they fall into. Its worth is the share that is known of the class, and `detail` times the detail kept
(label_worth.py). Of a large table ways are tried on one fold first, and only the best on all. A way that asks for
larger groups than k is a release for k, too. So the sizes of groups are those of one series, whatever k is, and what is
tried for a larger k is tried for every smaller one, with the same result: a smaller k does not make a worse release.
All ways are tried at 2, 5, 50, 500 and so on, of a small table also at 10, 25, 100, 250 and so on; between these,
smaller sets below the best tree so far, that tree grown as far as the size allows, and no tree. Among all are trees
that follow a regression, if there are enough rows for one, and ways that end the climb early and halve who is left,
also with even bins.

The table determines the folds (held_out_rows.py), and so the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.held_out_rows import enough_folds, folds_of, within_fold
from discreet.methods.trees.label_worth import NOTHING_KNOWN, Known, LabelWorth, class_known
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Binned, Bins, Way

STRICTNESS = 0.69  # of pruning: C4.5's own, which is a confidence of 25 %
TREES: tuple[tuple[bool, float], ...] = (
    (False, 0.0),
    (False, STRICTNESS),
    (True, 0.0),
    (True, STRICTNESS),
)  # as in Way
SMOOTH: tuple[tuple[bool, float], ...] = ((False, 0.0), (False, STRICTNESS))  # trees that follow a regression
ROWS_OF_BIN = 10  # that a regression on the bins needs for each of them
COARSE = (4,)  # bins of a column that are tried, beside the most
HALVED = (0.5, 0.0)  # shares of the climb after which who is left is halved
HALVED_EVEN = (0.25, 0.0)  # with even bins
COARSER = 10  # times as many rows at each side of a cut are tried, too
SMALL = (2, 3, 4, 5, 7, 10)  # sizes of groups that are tried
SIZES = (10, 15, 20, 25, 30, 40, 50, 75)  # larger ones; and ten times as large, and so on
CHANCE = 0.5  # by the square root of the rows: what ways with even bins or halving must be ahead of others
SETTLED = 6  # ways that are tried on all folds, of those that are best on the first, where all ways are tried
BEHIND = 0.05  # worth that a way may be behind the best so far, on the folds so far, to be asked about more
SMALL_TABLE = 5000  # rows of a table of which all ways are tried at more sizes

# those of some rows, of values that so many persons share
MakeLadders = Callable[[CodedRows, int, Bins], list[Ladder]]


def at_least(least: int) -> int:
    """The smallest size of the series that is no smaller: 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100, ...

    >>> [at_least(least) for least in (2, 7, 11, 60, 101, 3000)]
    [2, 7, 15, 75, 150, 3000]
    """
    if least <= SMALL[-1]:
        return next(size for size in SMALL if size >= least)
    power = 10 ** (len(str(least - 1)) - 2)
    return next(size * power for size in (*SIZES, 100) if size * power >= least)


def decade_of(size: int) -> int:
    """The largest of 2, 5, 50, 500, ... that is no larger: there all ways are tried.

    >>> [decade_of(size) for size in (2, 4, 5, 40, 50, 750)]
    [2, 2, 5, 5, 50, 500]
    """
    if size < 5:
        return 2
    decade = 5
    while decade * 10 <= size:
        decade *= 10
    return decade


class Trials:
    """What ways are worth on held-out rows, each as the mean of the folds.

    Bins are made anew from what is learnt from: those of the whole table have seen the classes of the rows asked about.
    """

    def __init__(
        self, rows: CodedRows, make_ladders: MakeLadders, worth: LabelWorth, kinds: tuple[Bins, ...] = ("even",)
    ):
        self.counts, self.n_rows, self._make_ladders, self.kinds = worth, rows.n_rows, make_ladders, kinds
        self._folds = list(folds_of(rows))
        self._enough = enough_folds(self._folds)
        self._ladders: dict[tuple[int, int, Bins], list[Ladder]] = {}
        self._binned: dict[tuple[int, int, int, Bins], tuple[Binned, np.ndarray]] = {}
        self._found: dict[Way, list[tuple[float, float]]] = {}  # on each fold
        self._ahead: dict[Way, float] = {}  # what other folds are known better than those that a way was tried on
        self._best: list[float] = []  # what the best way so far is worth, on each of the first folds
        self._alike: dict[tuple[Any, ...], tuple[Known, float]] = {}

    def worth(self, way: Way, *, first: bool = False) -> float:
        """What the way is worth; even bins and halving count only as far as they are ahead by more than chance.

        The share that is known has a standard error of about 0.5 / sqrt(n), and of more ways some are ahead by chance.
        `first`: on the first folds alone.
        """
        plain = way.bins != "even" and way.climbs == 1
        chance = 0.0 if plain or self.n_classes < 2 else CHANCE / math.sqrt(max(self.n_rows, 1))
        return round(self.counts.of(*self.known_and_detail(way, first=first)) - chance, 9)

    def known_and_detail(self, way: Way, *, first: bool = False) -> tuple[float, float]:
        """The share that is known of the class, and the detail; 0 of both where there are too few rows to try."""
        if way not in self._found:
            self._try(way)
        found = self._found[way][: self._enough if first else None]
        share, detail = map(float, np.mean(found, axis=0)) if found else (0.0, 0.0)
        return share + self._ahead[way], detail

    def _try(self, way: Way) -> None:
        """Try a way on the first folds, as long as it is not far behind."""
        worth, self._found[way], self._ahead[way] = list[float](), [], 0.0
        for fold in range(self._enough):
            worth.append(self.counts.of(*self._on(way, fold)))
            if self._is_behind(worth):
                break
        if len(worth) < self._enough:  # as far behind on the other folds
            self._ahead[way] = float(np.mean(self._best) - np.mean(self._best[: len(worth)]))
        elif sum(worth) > sum(self._best):
            self._best = worth

    def settle(self, ways: list[Way], most: int) -> list[Way]:
        """The best of some ways on the first folds, once they are tried on all; all of them if there are no more."""
        if self._enough == len(self._folds):
            return ways
        best = sorted(dict.fromkeys(ways), key=lambda way: -self.worth(way, first=True))[:most]
        for way in best:
            for fold in range(len(self._found[way]), len(self._folds)):
                self._on(way, fold)
        return best

    def revives(self, way: Way, size: int) -> bool:
        """Whether it is worth it that sets of `size` persons are told apart where a column would be blank otherwise.

        It is asked of the way that is chosen, if its own sets are larger: what is released is what was tried.
        """
        folds = range(min(len(self._found.get(way, ())), self._enough))
        if way.least <= size or not folds:
            return True
        within, smallest = replace(way, least=self.within(way.least), trust=self.within(way.trust)), self.within(size)
        found = [self._tried(within, *self._with(way, fold), smallest) for fold in folds]
        revived = float(np.mean([self.counts.of(known.share, detail) for known, detail in found]))
        return revived >= float(np.mean([self.counts.of(*self._found[way][fold]) for fold in folds]))

    def _on(self, way: Way, fold: int) -> tuple[float, float]:
        """What is known and the detail on the next fold."""
        within = replace(way, least=self.within(way.least), trust=self.within(way.trust))
        known, detail = self._tried(within, *self._with(way, fold))
        self._found[way].append((known.share, detail))
        return known.share, detail

    def _is_behind(self, worth: list[float]) -> bool:
        """Whether a way is so far behind the best that further folds need not be asked: by two standard errors of what
        is known from so many rows (label_worth.py), at least.
        """
        asked = self.n_rows * len(worth) / len(self._folds)
        behind = max(BEHIND, 1 / math.sqrt(asked))
        return bool(self._best) and float(np.mean(self._best[: len(worth)]) - np.mean(worth)) > behind

    def _with(self, way: Way, fold: int) -> tuple[Binned, np.ndarray]:
        """A fold in the bins of a way, and the rows asked about."""
        bins = fold, decade_of(way.least), way.most, way.bins
        if bins not in self._binned:
            part, asked = self._folds[fold]
            binned = Binned.of(part, self._ladders_for(way.least, way.bins, fold), self.counts, way.most)
            self._binned[bins] = binned, binned.summed(asked)
        return self._binned[bins]

    def _ladders_for(self, least: int, bins: Bins, fold: int) -> list[Ladder]:
        """The ladders of a fold, of values that a decade of sizes may name: for all k the same."""
        asked = fold, decade_of(least), bins
        if asked not in self._ladders:
            self._ladders[asked] = self._make_ladders(self._folds[fold][0], self.within(decade_of(least)), bins)
        return self._ladders[asked]

    def _tried(self, way: Way, binned: Binned, asked: np.ndarray, smallest: int | None = None) -> tuple[Known, float]:
        """What is known of the rows asked about, and the detail; of ways that make the same groups only once.

        With `smallest`, sets of so many rows are told apart where a column would be blank.
        """
        learnt = binned.rows

        def met(of: np.ndarray, n: int, inside: np.ndarray, least: int = way.least) -> np.ndarray:
            return np.bincount(of, learnt.rows[inside], n) >= least

        groups = binned.groups(way, met)
        alike = id(binned), way.least, smallest, way.climbs, groups.leaf.astype(np.int32).tobytes()
        if alike not in self._alike:
            parted = binned.made(way, groups, met)
            if smallest is not None:
                binned.revive(parted, lambda of, n, inside: met(of, n, inside, smallest))
            known = NOTHING_KNOWN
            if asked.shape[1] > 1:
                known = class_known(parted.labels, learnt.counts, asked, binned.unrecoded(parted))
            self._alike[alike] = known, binned.detail(parted)
        return self._alike[alike]

    def within(self, least: int) -> int:
        """Rows that a group of a fold has at least."""
        return within_fold(least, self.n_rows)

    def most_bins(self, least: int) -> int:
        """Bins that a column has, at most."""
        return max((ladder.n_bins for ladders in self._of_first(least) for ladder in ladders), default=1)

    def can_regress(self, least: int) -> bool:
        """Whether there are enough rows for a regression on the bins."""
        bins = max((sum(ladder.n_bins for ladder in ladders) for ladders in self._of_first(least)), default=0)
        return self.n_classes > 1 and self.n_rows >= ROWS_OF_BIN * bins

    def _of_first(self, least: int) -> list[list[Ladder]]:
        return [self._ladders_for(least, "class", fold) for fold in range(self._enough)]

    @property
    def n_classes(self) -> int:
        return max((part.counts.shape[1] for part, *_ in self._folds), default=1)

    def trace(self, ways: list[Way]) -> list[dict[str, Any]]:
        """What was tried, for the owner."""
        return [
            {
                "tried": str(way),
                "worth": self.worth(way),
                "known of the class": round(known, 4),
                "detail": round(detail, 4),
            }
            for way in ways
            for known, detail in [self.known_and_detail(way)]
        ]


class WaySearch:
    """The search among ways: which are tried, and in which order they are worth something.

    It goes down a series of sizes that is the same for every k, from the largest groups to those of k, and what is
    tried for a size depends on larger ones alone: all that is tried for a larger k is tried for a smaller one, too.
    """

    def __init__(self, trials: Trials, least: int, *, bins: int = 16, trust: int | None = None):
        self._trials, self._least, self._bins, self._trust = trials, least, bins, trust

    def ranked(self) -> list[Way]:
        """The ways that were tried, the best first; of equals that with the smaller groups."""
        worth, tried, best = self._trials.worth, list[Way](), list[Way]()
        for size in reversed(self._sizes()):
            if tried:
                tried += self._smaller(max(best, key=worth), size)
            if not tried or self._is_full(size):
                here = self._all(size)
                grown = [way for way in here if way.strictness is not None]
                tried += here
                if grown and self._trust is None:  # a coarser tree above sets of this size
                    above = max(grown, key=lambda way: worth(way, first=True))
                    tried.append(replace(above, trust=above.trust * COARSER))
            best += self._trials.settle(tried, SETTLED if self._is_full(size) else 1)

        def place(way: Way) -> tuple[bool, float, int, int]:
            return way not in settled, -worth(way), way.least, way.trust

        settled = {*best}
        return sorted(dict.fromkeys(tried), key=place)

    @property
    def size(self) -> int:
        """The smallest size of groups that is tried: the first of the series that is no smaller than k."""
        half = self._trials.n_rows // 2
        return self._least if self._least >= half else min(at_least(self._least), half)

    def _sizes(self) -> list[int]:
        """Those of the series that k allows, up to half of the rows; the smallest first."""
        half, sizes = self._trials.n_rows // 2, [self.size]
        while sizes[-1] < half:
            sizes.append(min(at_least(sizes[-1] + 1), half))
        return sizes

    def _is_full(self, size: int) -> bool:
        """Whether all ways are tried at this size."""
        leading = str(size).rstrip("0")
        return size == decade_of(size) or (self._trials.n_rows <= SMALL_TABLE and size >= 10 and leading in ("1", "25"))

    def _all(self, size: int) -> list[Way]:
        fewer = [most for most in COARSE if most < min(self._bins, self._trials.most_bins(size))]
        ways = [way for most in (self._bins, *fewer) for way in self._trees(size, most)]
        if "free" in self._trials.kinds:
            ways += [replace(way, bins="free") for way in self._trees(size, self._bins)]
        pruned = self._pruned(size)
        ways += [replace(way, climbs=climbs) for way in pruned for climbs in HALVED]
        if "even" in self._trials.kinds:
            even = [replace(way, bins="even") for way in pruned if way.ahead or way.strictness is None]
            ways += [replace(way, climbs=climbs) for way in even for climbs in HALVED_EVEN]
            ways += [way for way in even if self._trials.n_classes < 2]
        return ways

    def _pruned(self, size: int) -> list[Way]:
        """Ways with pruned trees: by a regression if there can be one, and looking ahead; and without a tree."""
        smooth = self._trials.can_regress(size) and bool(SMOOTH)
        return [
            way
            for way in self._trees(size, self._bins)
            if way.strictness is None or (way.strictness > 0 and (way.ahead or way.smooth == smooth))
        ]

    def _smaller(self, best: Way, size: int) -> list[Way]:
        """Sets of this size below the best tree of larger ones, or below one of its own; and no tree."""
        ways = self._trees(size, self._bins)
        tree = best if best.strictness is not None else ways[max(len(ways) - 2, 0)]
        return [replace(tree, least=size), replace(tree, least=size, trust=self._rows(size)), ways[-1]]

    def _trees(self, least: int, most: int) -> list[Way]:
        """Ways with each of the trees, and at last without one."""
        rows, smooth = self._rows(least), SMOOTH if self._trials.can_regress(least) else ()
        trees = (*(TREES if self._trials.n_classes > 1 else ()), (False, None))
        ways = [Way(least, rows, *tree, most, smooth=True) for tree in smooth]
        return ways + [Way(least, rows, *tree, most) for tree in trees]

    def _rows(self, least: int) -> int:
        return max(least, self._trust or 0)
