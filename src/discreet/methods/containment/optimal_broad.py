# SPDX-License-Identifier: Apache-2.0
"""Problem (1) for many columns: rows with many common items, then a beam of sets with features forced into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.optimal_best import Best, by_weight
from discreet.methods.containment.optimal_exact import SCREEN
from discreet.methods.containment.optimal_measures import guides
from discreet.methods.containment.optimal_search import CommonItems, fill

# Limits on work, not on time, so that results do not depend on the machine unless time_limit ends the search first.
_STARTS = 10  # row searches per guide
_EVALUATED = 24  # of the sets they find
_SWAPS = 30  # rows exchanged, evaluations in all
_ROW_WORK = 4e9  # ones that the row searches may look at: with large k or many rows there are fewer of them
_WIDTH = 3  # sets in the beam
_FORCED = 12  # features forced into each of them, one at a time
_TRIED = 5  # of the sets that gives, evaluated in a round
_ROUNDS = 4


def broadly(best: Best) -> None:
    """Rows with many common items, extended by what still fits; then local search among sets."""
    ways = guides(best.baskets)
    rows_of: dict[tuple[int, ...], list[int]] = {}
    common = CommonItems(best.baskets, best.k, Randomness(0))
    with progress("Searching sets of features") as bar:
        for features, rows in sets_of_rows(best, common, ways):
            if best.late():
                return
            if best.consider(best.filled(features, ways[SCREEN])):
                rows_of[tuple(best.features)] = rows
            bar.advance()
        if tuple(best.features) in rows_of:
            _swap_rows(best, common, rows_of[tuple(best.features)], ways[SCREEN])
        _beam(best, ways[SCREEN], bar.advance)


def sets_of_rows(best: Best, common: CommonItems, ways: dict[str, np.ndarray]) -> Iterator[tuple[list[int], list[int]]]:
    """Common items of k rows, the most promising first, with the rows."""
    by_rows: dict[tuple[int, ...], list[int]] = {}
    pass_ = best.k * max(best.baskets.matrix.nnz, 1)
    work = _ROW_WORK - _WIDTH * pass_
    sets = common.beam(ways[SCREEN], _WIDTH) if work > 0 else []
    for weights in [*ways.values()] * _STARTS:
        work -= 3 * pass_  # roughly: rows are added one by one, then swapped one by one
        if work < 0 or best.late():
            break
        sets.append(common.search(weights))
    for rows in sets:
        features = common.common(rows)
        if len(features):
            by_rows.setdefault(tuple(features.tolist()), rows)
    promising = sorted(by_rows, key=lambda s: (-ways[SCREEN][list(s)].sum(), s))[:_EVALUATED]
    return ((list(features), by_rows[features]) for features in promising)


def _swap_rows(best: Best, common: CommonItems, rows: list[int], weights: np.ndarray) -> None:
    """Swap one of the k rows for one that keeps nearly as many common items, while that improves the set."""
    tried = place = unchanged = 0
    while tried < _SWAPS and unchanged < best.k and not best.late():
        others = rows[:place] + rows[place + 1 :]
        gains = common.gains(others, weights)
        gains[rows[place]] = -1
        unchanged += 1
        for row in np.argsort(-gains, kind="stable")[:2].tolist():
            tried += 1
            if gains[row] >= 0 and best.consider(best.filled(common.common([*others, row]).tolist(), weights)):
                rows, unchanged = [*others[:place], row, *others[place:]], 0
                break
        place = (place + 1) % best.k


def _beam(best: Best, weights: np.ndarray, tick: Callable[[], None]) -> None:
    """Beam search: force a feature into one of the best sets, drop what no longer fits, fill up, keep the best."""
    beam: list[list[int]] = []
    for _ in range(_ROUNDS):
        before, beam = beam, best.leaders(_WIDTH)
        if beam == before:
            return
        grown: dict[tuple[int, ...], float] = {}
        for features in beam:
            mine = by_weight(features, weights)
            for forced in by_weight(set(best.items) - set(features), weights)[:_FORCED]:
                chosen = fill(best.baskets, best.k, [], [forced, *mine])
                grown[tuple(chosen)] = float(weights[chosen].sum())
        for chosen_ in sorted(grown, key=lambda s: (-grown[s], s))[:_TRIED]:
            if best.late():
                return
            best.consider(best.filled(chosen_, weights))
            tick()
