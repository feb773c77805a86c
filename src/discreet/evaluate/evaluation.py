# SPDX-License-Identifier: Apache-2.0
"""The cost of several methods on the same folds, by the same classifiers: means and differences with intervals.

A method that could not release in some fold has a reason instead of a mean: its other folds would not be comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.choose.reference_lines import GUESSING, ORIGINAL
from discreet.errors import DataError, did_you_mean, listing, shown
from discreet.evaluate.confidence import Share
from discreet.evaluate.folds import Folds
from discreet.evaluate.own_test_rows import OwnTestRows
from discreet.evaluate.protocols import Protocol
from discreet.evaluate.score_cache import Refusal
from discreet.foundation.displayed import Displayed
from discreet.foundation.frame_output import Framed
from discreet.learning.classifiers import CLASSIFIERS
from discreet.learning.cross_validation import MEASURES as MEASURES
from discreet.learning.cross_validation import Score, Scores
from discreet.learning.significance import Difference


@dataclass(frozen=True, eq=False)
class Evaluation(Displayed, Framed):
    """The outcome of each method, classifier and fold. `methods` begins with the original table.

    `models` are the methods that answer by themselves: their scores stand beside those of every classifier. `lines` are
    what else they are compared with: columns without quasi-identifiers, if there are any, and guessing. `scorers` are
    the user's own, `readings` how classifiers of the user's own get cells, `kinds` which classifier of this library
    stands behind a name; `n_test` is the number of test rows of the user's own.
    """

    protocol: Protocol
    folds: Folds | OwnTestRows
    methods: tuple[str, ...]
    classifiers: tuple[str, ...]
    outcomes: Mapping[tuple[str, str], tuple[Score | Refusal, ...]]
    n_rows: int
    units: str
    models: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    n_test: int | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were taken, own scorers last."""
        return (*MEASURES, *self.scorers)

    def __repr__(self) -> str:
        size = f"{len(self.methods) - 1} methods, {len(self.classifiers)} classifiers"
        return f"Evaluation({self.protocol}, {self.folds}, {size}, {self.n_rows} rows)"

    def __str__(self) -> str:
        return self.table()

    def scores(self, method: str, classifier: str) -> Scores:
        """The scores of all folds; DataError with the reason when there was no release in some."""
        outcomes = self._outcomes(method, classifier)
        refused = self.refusal(method)
        if refused is not None:
            raise DataError(f"{method} has no scores: {refused}")
        return Scores(tuple(outcome for outcome in outcomes if isinstance(outcome, Score)))

    def refusal(self, method: str) -> str | None:
        """How many folds had no release, and why the first had none; None if all had one."""
        by_fold = zip(*(self._outcomes(method, classifier) for classifier in self.classifiers), strict=True)
        reasons = [[one.reason for one in fold if isinstance(one, Refusal)] for fold in by_fold]
        refused = [fold[0] for fold in reasons if fold]
        return f"no release in {len(refused)} of {len(reasons)} folds. {refused[0]}" if refused else None

    def mean(self, method: str, classifier: str, measure: str = "accuracy", confidence: float = 0.95) -> Share:
        """The mean over the folds with its interval, NaN where a fold has no such figure."""
        interval = self.folds.judge(self.scores(method, classifier).of(self._measure(measure)), confidence)
        if measure in self.scorers:  # of which nobody knows whether it is a share
            return Share(interval.mean, interval.low, interval.high)
        return Share(interval.mean, max(interval.low, 0.0), min(interval.high, 1.0))  # a NaN stays one

    def _measure(self, name: str) -> str:
        if name not in self.measures:
            hint = did_you_mean(name, self.measures)
            raise DataError(f"There is no measure {shown(name)} here.{hint} It has {listing(self.measures, most=20)}.")
        return name

    def difference(
        self,
        method: str,
        classifier: str,
        measure: str = "accuracy",
        *,
        other: str = ORIGINAL,
        other_classifier: str | None = None,
        confidence: float = 0.95,
    ) -> Difference:
        """The paired difference between the method and another, or the original table, over the folds.

        Both by the same classifier, unless the other's is named. Noise is what this interval spans: a difference whose
        interval contains 0 is within noise.
        """
        mine = self.scores(method, classifier).of(self._measure(measure))
        theirs = self.scores(other, other_classifier or classifier).of(measure)
        return self.folds.judge(mine - theirs, confidence)

    def best_classifier(self, method: str, measure: str = "accuracy") -> str:
        """The classifier with the best mean for a method; the first of equals, and if none has a figure."""
        sign = -1 if measure == "brier" else 1
        means = {name: sign * self.mean(method, name, measure).value for name in self.classifiers}
        known = [name for name, value in means.items() if np.isfinite(value)]
        return max(known or self.classifiers[:1], key=means.__getitem__)

    def _outcomes(self, method: str, classifier: str) -> tuple[Score | Refusal, ...]:
        every = (*self.methods, *self.lines)
        for kind, name, names in (("method", method, every), ("classifier", classifier, self.classifiers)):
            if name not in names:
                raise DataError(
                    f"There is no {kind} {shown(name)} in this evaluation.{did_you_mean(name, names)}"
                    f" It has {listing(names, most=20)}."
                )
        return self.outcomes[method, classifier]

    # -- as text and JSON --------------------------------------------------------------------------------------------

    def reading(self, classifier: str) -> str:
        """How a classifier treats missing and suppressed cells of categories."""
        if classifier in self.readings:
            return self.readings[classifier]
        learner = CLASSIFIERS[self.kinds.get(classifier, classifier)]()
        words = {"unknown": "unknown", "value": "a category"}
        return f"missing cells {words[learner.missing]}, suppressed cells {words[learner.suppressed]}"

    def table(self, measure: str = "accuracy") -> str:
        """One line for each method and classifier: the measure, its difference from the original, the other measures.

        Intervals are of 95 %.
        """
        others = [other for other in self.measures if other != self._measure(measure)]
        head = ("method", "classifier", measure, "95 %", f"{measure}, less the original's", "95 %", "", *others)
        lines = [head]
        for method in (ORIGINAL, *self.lines, *self.methods[1:]):
            if self.refusal(method) is not None:
                continue
            for classifier in self.classifiers[:1] if method == GUESSING else self.classifiers:
                share = self.mean(method, classifier, measure)
                line = [
                    method,
                    "" if method == GUESSING else classifier,
                    _figure(share.value),
                    f"{_figure(share.low)} to {_figure(share.high)}",
                ]
                if method == ORIGINAL:
                    line += ["", "", ""]
                else:
                    apart = self.difference(method, classifier, measure)
                    noise = "within noise" if apart.low <= 0 <= apart.high else ""
                    line += [_signed(apart.mean), f"{_signed(apart.low)} to {_signed(apart.high)}", noise]
                lines.append((*line, *(_figure(self.mean(method, classifier, other).value) for other in others)))
        widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
        padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
        text = ["  ".join(line).rstrip() for line in padded]
        return "\n".join([self.heading(), "", *text, *self.remarks()])

    def heading(self) -> str:
        rows = f"{self.n_rows:,} rows" if self.units == "rows" else f"{self.n_rows:,} rows, persons kept whole"
        tested = "" if self.n_test is None else f", {self.n_test:,} test rows"
        return f"Protocol {self.protocol}, {self.folds} ({rows}{tested}); intervals by {self.folds.test}."

    def remarks(self) -> list[str]:
        """Footnotes: what noise is, how cells are read, which methods answer by themselves, which could not release."""
        readings: dict[str, list[str]] = {}
        for classifier in self.classifiers:
            readings.setdefault(self.reading(classifier), []).append(classifier)
        lines = ["", "Within noise: the 95 % interval of the difference from the original over the folds contains 0."]
        lines += ["The original: each classifier with numbers as they are or cut, whichever suits it on training rows."]
        lines += [f"{', '.join(names)}: {reading}." for reading, names in readings.items()]
        lines += [f"{name} answers by itself, whatever the classifier." for name in self.methods if name in self.models]
        refusals = [(name, self.refusal(name)) for name in self.methods]
        return lines + [f"{name}: {why}" for name, why in refusals if why is not None]

    def to_arrow(self) -> pa.Table:
        """One row for each method and classifier: every measure with its interval, and what it is less the original's.

        Methods that could not release have no figures, and `refused` says why.
        """
        rows: list[dict[str, Any]] = []
        for result in self.to_dict()["results"]:
            row: dict[str, Any] = {name: result[name] for name in ("method", "classifier")}
            for measure in self.measures:
                share, apart = result.get(measure, {}), result.get(f"{measure}_difference", {})
                row |= {measure: share.get("value"), f"{measure}_low": share.get("low")}
                row |= {f"{measure}_high": share.get("high"), f"{measure}_difference": apart.get("mean")}
            rows.append(row | {"refused": result["refused"]})
        texts = ("method", "classifier", "refused")
        schema = pa.schema([(name, pa.string() if name in texts else pa.float64()) for name in rows[0]])
        return pa.Table.from_pylist(rows, schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON; NaN becomes null."""
        cells = []
        for method in (*self.methods, *self.lines):
            refused = self.refusal(method)
            for classifier in self.classifiers:
                cell: dict[str, Any] = {"method": method, "classifier": classifier, "refused": refused}
                if refused is None:
                    for measure in self.measures:
                        cell[measure] = _plain(asdict(self.mean(method, classifier, measure)))
                        if method != ORIGINAL:
                            cell[f"{measure}_difference"] = _plain(asdict(self.difference(method, classifier, measure)))
                    scores = self.scores(method, classifier).folds
                    cell["folds"] = [
                        _plain({m: score.of(m) for m in self.measures} | {"rows": score.rows}) for score in scores
                    ]
                cells.append(cell)
        return {
            "format": 1,
            "protocol": self.protocol,
            "folds": str(self.folds),
            "seed": self.folds.random_state,
            "rows": self.n_rows,
            **({} if self.n_test is None else {"test_rows": self.n_test}),
            "units": self.units,
            "test": self.folds.test,
            "confidence": 0.95,
            "classifiers": {name: self.reading(name) for name in self.classifiers},
            "models": sorted(self.models),
            "results": cells,
        }


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: float(value) if np.isfinite(value) else None for name, value in figures.items()}


def _figure(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:.3f}"


def _signed(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:+.3f}".replace("-", "−")
