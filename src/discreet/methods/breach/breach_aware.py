# SPDX-License-Identifier: Apache-2.0
"""Attributes that serve the recipient's classifier and not the attacker's: privacy-aware selection of whole columns.

Paper: Y. Jafer, S. Matwin, M. Sokolova, "A Multi-dimensional Privacy-aware Evaluation Function in Automatic Feature
Selection" (candidates as in their "A Framework for A Privacy-aware Feature Selection Measure").
Departures from the paper:
1. Figure 5 takes attributes from the full list one at a time and never keeps a removal; here, as in its worked example,
   a removal that is accepted stays and one that is not is put back for good.
2. enforce="filter" asks for the breach increase of what is released, as the tables do; "strict" at every step, as the
   text does.
3. The elimination goes on to a single attribute, where Table 2 stops at two.
4. The t-test is paired over the folds (the figures of the paper are). test="corrected-resampled" minds that folds share
   rows, test="equivalence" asks for proof that less than `margin` is lost.
5. The choice among the candidates is made here, by E(S) or by values, among those that keep alpha; the strongest of
   several attackers then judges them in that order, and the first that keeps the promise is released.
6. search="forward", "backward" and "floating" use the score at each step, which the paper leaves to future work; they
   go on until the performance keeps up, and only as long as it does.
7. Several sensitive attributes: the worst counts. Folds depend on the content of the rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.choose.choice import Choice
from discreet.choose.e_score import By, evaluation
from discreet.data.as_it_came import as_it_came
from discreet.data.labelled_rows import labelled_rows
from discreet.data.roles import Roles, works_like_a_name
from discreet.data.table import Table
from discreet.errors import CannotRelease, ParameterError, RolesError, Setting, did_you_mean, listing
from discreet.foundation.estimators import SelectorFace, check_is_fitted
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.learning.classifiers import CLASSIFIERS
from discreet.learning.significance import TESTS, Test
from discreet.learning.subset_scores import SubsetScores
from discreet.methods.base import Method
from discreet.methods.breach.breach_aware_measures import Measures, Watched, most_subsets
from discreet.methods.breach.breach_aware_rankings import MeasuredSubset, Rankings, eliminate, merged, rankings
from discreet.methods.breach.breach_aware_search import SEARCHES, SubsetScore
from discreet.methods.grouping import Decision
from discreet.methods.selector import mask_of
from discreet.privacy.breach_increase import BreachIncrease
from discreet.privacy.predictability import ATTACKERS, Inference, check_cuts, content_folds, cuts_of
from discreet.recoding.plan import KeepColumns


@dataclass
class SearchResult:
    """What a search found: the baseline first among the candidates, those that keep alpha in the order of choice."""

    baseline: MeasuredSubset
    candidates: list[MeasuredSubset]
    score: SubsetScore
    chosen: list[MeasuredSubset] = field(default_factory=list)
    rankings: Rankings | None = None
    trace: list[dict[str, Any]] = field(default_factory=list)


class BreachAwareSelector(SelectorFace, Method):
    """Keep the attributes that predict the class, and not the sensitive attribute; publish them as they are.

    Parameters
    ----------
    alpha : float in [-1, inf) or "majority"
        The largest breach increase; "majority" is that of always guessing the commonest sensitive value.
    ranking : "performance", "privacy" or "both"
        Down which list attributes are eliminated: those that help the recipient least first, or those that help the
        attacker most.
    enforce : "filter" or "strict"
        Whether only the release has to keep alpha, or every step as well. With a negative alpha, "strict" may not find
        a first step: if attributes carry the same information, no single removal lowers the breach.
    test : "paired-t", "corrected-resampled" or "equivalence"
        When a lower performance is as good as that of all the attributes, at 5 %. "equivalence" asks the higher ones
        too, which may be so by chance.
    margin : float in (0, 1)
        Of the accuracy that may be lost, for "equivalence".
    search : "ranked", "forward", "backward" or "floating"
        The elimination down the rankings, or a search by the score at each step.
    weights : three floats that sum to 1
        Of performance, privacy and small size.
    score : "rank" or "value"
        E(S), or a score that does not depend on the other candidates.
    learner : name of the classifier assumed for the recipient and, during the search, for the attacker
    attackers : names of the classifiers of which the strongest judges what is released, or a single name
    folds : int in [2, inf)
    cuts : mapping of sensitive column to cut points, for sensitive numbers
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Attributes
    ----------
    support_ : boolean mask of the quasi-identifiers that are kept; `get_feature_names_out()` names them
    order_ : the places of the kept ones among the quasi-identifiers, in their order
    candidates_ : all candidates, the baseline first
    choice_ : the same judged by the score, also those that do not keep alpha: ranking, front, knee, and for plots
    rankings_ : PerfR and PrivR; None when there was another search
    trace_ : the steps

    Promise
    -------
    BreachIncrease(alpha): an empirical measure, not a guarantee. The kept columns are published cell by cell.

    Examples
    --------
    >>> rows = {"job": ["nurse", "smith"] * 10, "sex": ["f", "f", "m", "m"] * 5, "ill": ["flu", "gout"] * 10}
    >>> rows["again"] = [sex == "f" for sex in rows["sex"]]
    >>> roles = Roles(target="again", quasi=["job", "sex"], sensitive=["ill"])
    >>> BreachAwareSelector(-0.3, attackers=("c45",), folds=5).fit(rows, roles).get_feature_names_out().tolist()
    ['sex']
    """

    name = "breach-aware"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, -1, None, closed="left"), StrOptions({"majority"})],
        "ranking": [StrOptions({"performance", "privacy", "both"})],
        "enforce": [StrOptions({"strict", "filter"})],
        "test": [StrOptions(set(TESTS))],
        "margin": [Interval(Real, 0, 1, closed="neither")],
        "search": [StrOptions({"ranked", *SEARCHES})],
        "weights": [tuple, list],
        "score": [StrOptions({"rank", "value"})],
        "learner": [str],
        "attackers": [tuple, list, StrOptions(set(CLASSIFIERS))],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    support_: np.ndarray
    order_: np.ndarray
    feature_names_in_: np.ndarray
    n_features_in_: int
    candidates_: list[MeasuredSubset]
    choice_: Choice
    rankings_: Rankings | None
    trace_: list[dict[str, Any]]

    def __init__(
        self,
        alpha: float | str = 0.0,
        *,
        ranking: str = "both",
        enforce: str = "filter",
        test: Test = "paired-t",
        margin: float = 0.01,
        search: str = "ranked",
        weights: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
        score: By = "rank",
        learner: str = "c45",
        attackers: Sequence[str] | str = ATTACKERS,
        folds: int = 10,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.alpha = alpha
        self.ranking = ranking
        self.enforce = enforce
        self.test = test
        self.margin = margin
        self.search = search
        self.weights = weights
        self.score = score
        self.learner = learner
        self.attackers = attackers
        self.folds = folds
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> BreachIncrease:
        named = (self.attackers,) if isinstance(self.attackers, str) else tuple(self.attackers)
        return BreachIncrease(self.alpha, named, self.folds, self.cuts)

    def fit(self, table: object, roles: Roles) -> BreachAwareSelector:
        """Choose the attributes of a table; `release` does the same, and checks and certifies what comes out."""
        check_parameters(self, self._parameter_constraints)
        table = labelled_rows(Table.of(table), roles)
        roles.check_for_release(table)
        self._plan(table, roles, Randomness(self.random_state))
        return self

    def transform(self, table: object) -> Any:
        """The kept attributes of a table, as the kind of frame it came in. For your own side: nothing is checked."""
        return as_it_came(Table.of(table).select(self.get_feature_names_out().tolist()), table)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        self._check(table, roles)
        result = self.search_with(self.measures(table, roles), self._scales(table, roles))
        self.candidates_, self.rankings_, self.trace_ = result.candidates, result.rankings, result.trace
        self.choice_ = result.score.choice(result.candidates)
        chosen, audited = self._audited(result, table, roles)
        self.feature_names_in_, self.n_features_in_ = np.array(roles.quasi, dtype=object), len(roles.quasi)
        self.order_ = np.array([roles.quasi.index(name) for name in chosen.attributes], dtype=np.intp)
        self.support_ = mask_of(self.order_, len(roles.quasi))
        note = (
            f"Candidates: {len(result.candidates)}; within alpha by {self.learner!r}: {len(result.chosen)}; judged by"
            f" the strongest of {len(self.promise.attackers)} attackers: {audited}."
        )
        return Decision(KeepColumns(chosen.attributes), result.trace, [note])

    def search_with(self, measures: Measures, scales: dict[str, Any] | None = None) -> SearchResult:
        """Run the search alone, on your own measures."""
        performance, privacy, size = self.weights
        score = SubsetScore((performance, privacy, size), self.score, dist_pbi=measures.dist_pbi, **(scales or {}))

        def is_private(candidate: MeasuredSubset) -> bool:
            return self.enforce == "filter" or candidate.is_private

        result = SearchResult(measures.baseline, [measures.baseline], score)
        most = most_subsets(len(measures.attributes), self.search, 2 if self.ranking == "both" else 1)
        with progress("Measuring subsets of attributes", most) as bar:
            measure = Watched(measures, bar.advance)
            if self.search == "ranked":
                result.rankings = rankings(measure)
                for name in ("performance", "privacy"):
                    if self.ranking in (name, "both"):
                        order = getattr(result.rankings, name)
                        path, steps = eliminate(order, measure, lambda c: c.keeps_up and is_private(c))
                        result.candidates = merged(result.candidates, path)
                        result.trace += [{"ranking": name, **step} for step in steps]
            else:
                path = SEARCHES[self.search](measure, score, is_private)
                result.candidates = merged(result.candidates, path)
                result.trace = [{"left": list(c.attributes), "performance": c.performance, "pbi": c.pbi} for c in path]
        fit = [candidate for candidate in result.candidates if candidate.keeps_up and candidate.is_private]
        result.chosen = [fit[place] for place in score.of(fit).order] if fit else []
        return result

    def _audited(self, result: SearchResult, table: Table, roles: Roles) -> tuple[MeasuredSubset, int]:
        """The first chosen candidate that keeps the promise, which covers more attackers than the search."""
        promise, persons = self.promise, _persons(table, roles)
        attacks = [promise.inference(table, roles.quasi, name, persons) for name in roles.sensitive]
        for number, candidate in enumerate(result.chosen, start=1):
            if all(promise.verdict(attack.of(candidate.attributes)).holds for attack in attacks):
                return candidate, number
        raise CannotRelease(
            f"No subset of the {len(roles.quasi)} attributes was found that keeps a {promise}"
            f" {self._why_none(result, len(promise.attackers))}"
        )

    def _why_none(self, result: SearchResult, attackers: int) -> str:
        private = sum(candidate.is_private for candidate in result.candidates)
        least = min(result.candidates, key=lambda candidate: candidate.pbi)
        why = f"and the performance: of {len(result.candidates)} candidates {private} kept alpha by {self.learner!r}"
        hint = "Raise alpha, or try another search"
        if worse := private - len(result.chosen):
            why += f", but {worse} of them predict the class worse than all the attributes do"
        if result.chosen:
            why += f"; none kept it by the strongest of {attackers} attackers"
        if self.enforce == "strict":
            hint += ", or enforce='filter', which asks for alpha at the end and not at every step"
        sentence = (
            f"The least increase by {self.learner!r} was {100 * least.pbi:.1f} %, of {listing(least.attributes)}."
        )
        return f"{why}. {sentence} {hint}."

    def measures(self, table: Table, roles: Roles) -> Measures:
        """What the search measures of subsets: the learner as recipient and as attacker."""
        assert roles.target is not None
        used, persons = [*roles.quasi, *roles.other], _persons(table, roles)
        folds = content_folds(table.select([*used, roles.target]), roles.target, self.folds, persons)
        performance = SubsetScores(table, used, roles.target, folds, self.learner)
        # Where the target is sensitive, and all the recipient gets is what the attacker gets, they learn the same.
        same = roles.target if not roles.other and cuts_of(self.cuts, roles.target) is None else None
        attacks = [
            Inference(
                table,
                roles.quasi,
                name,
                attackers=(self.learner,),
                folds=self.folds,
                persons=persons,
                cuts=cuts_of(self.cuts, name),
                scores={self.learner: performance} if name == same else None,
            )
            for name in roles.sensitive
        ]
        return Measures(performance, attacks, self.alpha, test=self.test, margin=self.margin)

    def _scales(self, table: Table, roles: Roles) -> dict[str, Any]:
        counts = np.bincount(table.column(roles.target).codes)  # type: ignore[arg-type]
        return {"guess": float(counts.max() / counts.sum()), "largest": len(roles.quasi)}

    def _check(self, table: Table, roles: Roles) -> None:
        if self.learner not in CLASSIFIERS:
            raise ParameterError(f"{self.learner!r} is not a learner.{did_you_mean(self.learner, CLASSIFIERS)}")
        evaluation([0], [0], [0], self.weights)  # refuses wrong ones, before anything is learnt
        _ = self.promise  # its parameters have ranges too
        if not roles.sensitive:
            raise RolesError(
                "BreachAwareSelector needs a sensitive column, the one an attacker is after. None was named; it may be"
                " the target."
            )
        check_cuts(self.cuts, roles.sensitive)
        _refuse_names(table, [name for name in roles.quasi if name not in roles.allow_unique])


def _persons(table: Table, roles: Roles) -> np.ndarray | None:
    return None if roles.person is None else table.column(roles.person).codes


def _refuse_names(table: Table, names: Sequence[str]) -> None:
    """Refuse quasi-identifiers that differ in nearly every row: kept columns are published unchanged."""
    like_names = [name for name in names if works_like_a_name(table.column(name))]
    if like_names:
        raise RolesError(
            f"The quasi-identifiers {listing(like_names)} differ in nearly every row, and what this method keeps is"
            f" published as it is: they would work like names. Make them identifiers, or say ",
            Setting("allow_unique", like_names),
            " if nobody outside can know them.",
        )
