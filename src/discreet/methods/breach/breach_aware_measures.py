# SPDX-License-Identifier: Apache-2.0
"""Measures of a subset of attributes: the performance of a recipient and of an attacker.

Every subset is learnt once, recipient and attacker on folds of their own, which all subsets share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from discreet.learning.significance import Test, difference, keeps_up
from discreet.learning.subset_scores import Answers, SubsetScores
from discreet.methods.breach.breach_aware_rankings import MeasuredSubset, SubsetMeasure
from discreet.privacy.predictability import Inference


class Measures:
    """Performance, and breach increase of the worst sensitive attribute, of subsets of the attributes.

    `performance` may have further features, which are published whatever the subset is. `alpha` is the largest breach
    increase allowed, or "majority" for that of the bare guess.
    """

    def __init__(
        self,
        performance: SubsetScores,
        attacks: Sequence[Inference],
        alpha: float | str,
        *,
        test: Test = "paired-t",
        margin: float = 0.01,
    ):
        self.attributes = attacks[0].attributes
        self._always = tuple(name for name in performance.features if name not in self.attributes)
        self._performance, self._attacks, self._alpha = performance, attacks, alpha
        self._test, self._margin = test, margin
        answers = performance.of(performance.features)
        self._overlap = 1 / (len(answers.ends) - 1)  # rows of a test fold for each row learnt from
        self.baseline = self.of(self.attributes)
        self.dist_pbi = max(attack.of(self.attributes).dist_pbi for attack in attacks)

    @property
    def measured(self) -> int:
        """How many subsets were measured so far."""
        return self._performance.learnt

    def learn(self, subsets: Iterable[tuple[str, ...]]) -> None:
        subsets = list(subsets)
        self._performance.learn([(*subset, *self._always) for subset in subsets])
        for attack in self._attacks:
            attack.learn(subsets)

    def of(self, subset: tuple[str, ...]) -> MeasuredSubset:
        new = self._performance.of((*subset, *self._always))
        old = self._performance.of(self._performance.features)
        breaches = [attack.of(subset) for attack in self._attacks]
        allowed = [b.dist_pbi if isinstance(self._alpha, str) else float(self._alpha) for b in breaches]
        return MeasuredSubset(
            attributes=subset,
            performance=new.accuracy,
            pbi=max(breach.pbi for breach in breaches),
            over=max(breach.pbi - most for breach, most in zip(breaches, allowed, strict=True)),
            p_value=difference(new.of_folds, old.of_folds).p,
            keeps_up=self._keeps_up(new, old),
        )

    def _keeps_up(self, new: Answers, old: Answers) -> bool:
        """Tests of a loss ask who is right less often; that there is none to speak of is to be shown by everybody."""
        if self._test != "equivalence" and new.n_right >= old.n_right:
            return True
        return keeps_up(new.of_folds, old.of_folds, self._test, self._margin, self._overlap)


class Watched:
    """Measures that call `advance` for each newly measured subset."""

    def __init__(self, measure: SubsetMeasure, advance: Callable[[], None]):
        self._measure, self._advance = measure, advance
        self.attributes, self.baseline = measure.attributes, measure.baseline
        self._measured = {self.attributes}

    def learn(self, subsets: Iterable[tuple[str, ...]]) -> None:
        for subset in subsets:  # the folds of each are learnt side by side
            self._measure.learn([subset])
            self._count(subset)

    def of(self, subset: tuple[str, ...]) -> MeasuredSubset:
        measured = self._measure.of(subset)
        self._count(subset)
        return measured

    def _count(self, subset: tuple[str, ...]) -> None:
        if subset not in self._measured:
            self._measured.add(subset)
            self._advance()


def most_subsets(attributes: int, search: str, rankings: int = 2) -> int | None:
    """How many subsets a search may measure besides the baseline; None if no bound is of use.

    Down the rankings: each attribute left out, then a step for each of them and each ranking, the first one known.

    >>> most_subsets(13, "ranked"), most_subsets(13, "forward"), most_subsets(13, "floating")
    (37, 91, None)
    """
    if search == "ranked":
        return attributes + rankings * (attributes - 1)
    if search == "floating":
        return None
    return attributes * (attributes + 1) // 2
