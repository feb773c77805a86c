# SPDX-License-Identifier: Apache-2.0
"""Other forms of the worth that TreeLadder chooses by: `python -m benchmarks.frontier.worths`.

Detail that is worth more, or counts by its root; suppressed cells that are charged, all or those beyond half; and the
most detail among ways whose *known* is not behind by a standard error. Each chooses among the ways that the search
tries now, on the tables, the split and the measures of constants.py. A line shows how much a form is ahead of the worth
as it is, in the score and in each measure, in all and at the smallest k of each table; for how many tables left out the
others pick it; and at how many smallest k a release suppresses more than 60 %, or keeps less than half the detail of
another way that was tried. What was measured is kept in measured_worths/. Needs DISCREET_DATA; takes a quarter of an
hour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.frontier.constants import ALL, LARGE, LEARNERS, MEASURES, SEED, picks, shares, study, thinned
from benchmarks.frontier.protocol import Split, figures_of
from discreet import TreeLadder
from discreet.foundation.progress import track
from discreet.methods.trees.tree_ladder_choice import CHANCE, Trials, WaySearch
from discreet.methods.trees.tree_ladder_ways import Binned, Way

KEPT = Path(__file__).parent / "measured_worths"
EMPTY = 0.6  # of the cells suppressed
HEADS = (*MEASURES, "suppressed")  # of a line; behind them, the detail as a share of the most of any way
_DETAIL, _TRIED, _RANKED = Binned.detail, Trials._tried, WaySearch.ranked


class Tried(NamedTuple):
    """What is known by a way beyond chance, its detail and share of suppressed cells, and what all detail is worth."""

    way: Way
    known: float
    detail: float
    suppressed: float
    slope: float
    noise: float


Form = Callable[[list[Tried]], Tried]


def best_by(times: float = 1.0, root: bool = False, one: float = 0.0, beyond: float = 0.0) -> Form:
    """All detail is worth so many times as much; a suppressed cell is charged, and one beyond half more."""

    def worth(of: Tried) -> tuple[float, int, int]:
        detail = math.sqrt(2 * max(of.detail, 0.0)) if root else of.detail  # of the same slope at one half
        charge = one * of.suppressed + beyond * max(of.suppressed - 0.5, 0.0)
        return round(of.known + of.slope * (times * detail - charge), 9), -of.way.least, -of.way.trust

    return lambda tried: max(tried, key=worth)


def most_detail(errors: float) -> Form:
    """Of the ways whose known is behind the best by no more standard errors, that with the most detail."""

    def near(tried: list[Tried]) -> Tried:
        best = max(of.known for of in tried)
        return max((of for of in tried if of.known >= best - errors * of.noise), key=lambda of: of.detail)

    return near


NOW = "as it is"
FORMS: dict[str, Form] = {
    NOW: best_by(),
    "detail 0.1": best_by(5 / 3),
    "detail 0.15": best_by(5 / 2),
    "root of detail": best_by(root=True),
    "root of detail, 4/3 as much": best_by(4 / 3, root=True),
    "root of detail, 5/3 as much": best_by(5 / 3, root=True),
    **{f"charge {one:g}": best_by(one=one) for one in (0.1, 0.2, 0.5, 1.0)},
    **{f"charge {beyond:g} beyond half": best_by(beyond=beyond) for beyond in (1.0, 2.0, 4.0)},
    "charge 0.2, 2 beyond half": best_by(one=0.2, beyond=2.0),
    **{f"most detail within {errors:g} standard errors": most_detail(errors) for errors in (0.5, 1.0)},
}


def ways_tried(k: int, rows: Split) -> list[Tried]:
    """All ways that are tried for k, with what they suppress on the same folds."""
    last, of_result, noted, found = list[float](), dict[int, float](), dict[Any, float](), list[Tried]()

    def detail(self: Binned, parted: Any) -> float:
        last.append(self.suppressed(parted)["cells"])
        return _DETAIL(self, parted)

    def tried(self: Trials, way: Way, binned: Binned, *rest: Any) -> Any:
        result = _TRIED(self, way, binned, *rest)  # the same one for ways that make the same groups
        if last:
            of_result[id(result)] = last.pop()
        noted[id(binned), way] = of_result[id(result)]
        return result

    def ranked(self: WaySearch) -> list[Way]:
        trials, ways = self._trials, _RANKED(self)
        noise = CHANCE / math.sqrt(max(trials.n_rows, 1))
        for way in ways:
            within = replace(way, least=trials.within(way.least), trust=trials.within(way.trust))
            folds = range(len(trials._found[way]))
            blank = [noted[id(trials._with(way, fold)[0]), within] for fold in folds]
            known, kept = trials.known_and_detail(way)
            plain = (way.bins != "even" and way.climbs == 1) or trials.n_classes < 2
            known = max(known, 0.0) - (0.0 if plain else noise)
            found.append(Tried(way, known, kept, float(np.mean(blank or [0.0])), trials.counts.detail, noise))
        return ways

    noting = patch.object(Binned, "detail", detail), patch.object(Trials, "_tried", tried)
    with noting[0], noting[1], patch.object(WaySearch, "ranked", ranked):
        TreeLadder(k, random_state=0).release(rows.train, rows.roles)
    return found


def line_of(k: int, rows: Split, way: Way) -> list[float]:
    """The measures of the release that is made in this way, and what it suppresses."""

    def ranked(self: WaySearch) -> list[Way]:
        self._trials.known_and_detail(way)
        return [way]

    with patch.object(WaySearch, "ranked", ranked):
        release = TreeLadder(k, random_state=0).release(rows.train, rows.roles)
    figures = figures_of(release, rows, LEARNERS)
    return [round(one, 4) for one in (*shares(figures, rows), figures["suppressed"])]


def measure(name: str) -> dict[str, list[list[float]]]:
    """A line of each form for each k of a table."""
    load, ks = ALL[name]
    rows, lines = Split.of(*thinned(*load()), SEED), {form: list[list[float]]() for form in FORMS}
    for k in track((ks[0], min(ks[-1], LARGE)), name):
        tried = ways_tried(k, rows)
        most = max(max(of.detail for of in tried), 1e-9)
        chosen = {form: choose(tried) for form, choose in FORMS.items()}
        measured = {way: line_of(k, rows, way) for way in {of.way for of in chosen.values()}}
        for form, of in chosen.items():
            lines[form].append([*measured[of.way], round(of.detail / most, 4)])
    return lines


def lines_of(kept: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A line of Markdown for each form, the best score first."""
    found = np.array([[kept[table][form] for form in FORMS] for table in kept])  # by table, form, k and measure
    scores = found[..., : len(MEASURES)].mean(axis=(2, 3))
    picked, off = picks(scores), found - found[:, :1]
    heads = ("form", "score", "picked", *HEADS, *(f"{head}, smallest k" for head in HEADS), "empty", "behind")
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for i, form in sorted(enumerate(FORMS), key=lambda one: -float(scores[:, one[0]].mean())):
        ahead, least = scores[:, i] - scores[:, 0], found[:, i, 0]
        cells = [f"{ahead.mean():+.4f} ± {2 * ahead.std(ddof=1) / np.sqrt(len(ahead)):.4f}", f"{(picked == i).sum()}"]
        both, smallest = off[:, i].mean(axis=(0, 1)), off[:, i, 0].mean(axis=0)
        cells += [f"{value:+.4f}" for part in (both, smallest) for value in part[: len(HEADS)]]
        cells += [f"{(least[:, len(MEASURES)] > EMPTY).sum()}", f"{(least[:, len(HEADS)] < 0.5).sum()}"]
        yield f"| {form} | " + " | ".join(cells) + " |"


def main() -> None:
    study("worths", __doc__, KEPT, measure, lines_of)


if __name__ == "__main__":
    main()
