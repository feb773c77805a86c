# SPDX-License-Identifier: Apache-2.0
"""The choice of the way in which a release is made, by what it is worth on held-out rows.

Every way is tried in three-fold cross-validation: it parts the rows of two folds, and the rows of the third are written
as the sets they fall into. Its worth is the share that is known of the class, and `detail` times the detail kept
(label_worth.py). A way that asks for larger groups than k is a release for k, too, so ways for k, ten times k and so
on are tried: a smaller k does not make a worse release.

The table determines the folds (held_out_rows.py), and so the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.held_out_rows import folds_of, within_fold
from discreet.methods.trees.label_worth import LabelWorth, class_share
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Binned, Way

STRICTNESS = 0.69  # of pruning: C4.5's own, which is a confidence of 25 %
COARSE = (4,)  # bins of a column that are tried, beside the most
LARGER = 10  # times as large groups are tried, too


MakeLadders = Callable[[CodedRows, int], list[Ladder]]  # those of some rows, of values that so many persons share


class Trials:
    """What ways are worth on held-out rows, each as the mean of the folds.

    Bins are made anew from what is learnt from: those of the whole table have seen the classes of the rows asked about.
    """

    def __init__(self, rows: CodedRows, make_ladders: MakeLadders, worth: LabelWorth, k: int):
        self.counts, self._n_rows = worth, rows.n_rows
        self._folds = [(part, asked, make_ladders(part, self.within(k))) for part, asked in folds_of(rows)]
        self._binned: dict[int, list[tuple[Binned, np.ndarray]]] = {}
        self._found: dict[Way, tuple[float, float]] = {}

    def worth(self, way: Way) -> float:
        """What the way is worth."""
        return round(self.counts.of(*self.known_and_detail(way)), 9)

    def known_and_detail(self, way: Way) -> tuple[float, float]:
        """The share that is known of the class, and the detail; 0 of both where there are too few rows to try."""
        if way not in self._found:
            within = replace(way, least=self.within(way.least), trust=self.within(way.trust))
            found = [self._worth(within, binned, asked) for binned, asked in self._with(way.most)]
            known, detail = np.mean(found, axis=0) if found else (0.0, 0.0)
            self._found[way] = float(known), float(detail)
        return self._found[way]

    def _with(self, most: int) -> list[tuple[Binned, np.ndarray]]:
        """The folds with at most so many bins of a column, and the rows asked about."""
        if most not in self._binned:
            self._binned[most] = []
            for part, asked, ladders in self._folds:
                binned = Binned.of(part, ladders, self.counts, most)
                sums = [np.bincount(binned.place, counts, len(binned.rows)) for counts in asked.T]
                self._binned[most].append((binned, np.column_stack(sums)))
        return self._binned[most]

    def _worth(self, way: Way, binned: Binned, asked: np.ndarray) -> tuple[float, float]:
        learnt = binned.rows
        parted = binned.parted(way, lambda of, n, inside: np.bincount(of, learnt.rows[inside], n) >= way.least)
        known = class_share(parted.labels, learnt.counts, asked) if asked.shape[1] > 1 else 0.0
        return known, binned.detail(parted)

    def within(self, least: int) -> int:
        """Rows that a group of a fold has at least."""
        return within_fold(least, self._n_rows)

    @property
    def most_bins(self) -> int:
        """Bins that a column has at most."""
        return max((ladder.n_bins for *_, ladders in self._folds for ladder in ladders), default=1)

    @property
    def n_classes(self) -> int:
        return max((part.counts.shape[1] for part, *_ in self._folds), default=1)

    @property
    def n_learnt(self) -> int:
        return min((part.n_rows for part, *_ in self._folds), default=0)

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

    It goes from large groups to groups of k: all that is tried for ten times k is tried for k, too.
    """

    def __init__(self, trials: Trials, least: int, trust: int | None = None):
        self._trials, self._least, self._trust = trials, least, trust

    def ranked(self) -> list[Way]:
        """The ways that were tried, the best first; of equals that with the smaller groups."""
        worth, tried = self._trials.worth, list[Way]()
        for least in reversed(self._sizes()):
            tried += [way for most in self._numbers for way in self._trees(least, most)]
            grown = [way for way in tried if way.strictness is not None]
            if grown and self._trust is None:  # a coarser tree above small sets
                above = max(grown, key=worth)
                tried += [replace(above, least=least, trust=trust) for trust in (above.trust, above.trust * LARGER)]
        return sorted(dict.fromkeys(tried), key=lambda way: (-worth(way), way.least, way.trust))

    def _sizes(self) -> list[int]:
        """k, ten times k, and so on, while there can be two groups."""
        sizes = [self._least]
        while self._trials.within(sizes[-1] * LARGER) * 2 <= self._trials.n_learnt:
            sizes.append(sizes[-1] * LARGER)
        return sizes

    @property
    def _numbers(self) -> list[int]:
        """Bins that a column may have at most."""
        most = self._trials.most_bins
        return [most, *(fewer for fewer in COARSE if fewer < most)]

    def _trees(self, least: int, most: int) -> list[Way]:
        trees: list[tuple[bool, float | None]] = [(False, None)]
        if self._trials.n_classes > 1:
            trees = [(ahead, strictness) for ahead in (False, True) for strictness in (0.0, STRICTNESS)] + trees
        return [Way(least, max(least, self._trust or 0), *tree, most) for tree in trees]
