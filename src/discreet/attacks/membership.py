# SPDX-License-Identifier: Apache-2.0
"""Is the person in it? Differential privacy bounds how often anyone can tell; other promises say nothing of it.

Two games, each with a fair coin, so that guessing blindly wins one in two.

The strong one: the attacker knows all rows but one, and both rows that the last may be (for add-remove neighbours: that
it may be missing). The method is run many times on either table, on the simulation back end. From two thirds of the
runs the attacker learns to tell them apart (shadow runs: a threshold on one count, or a logistic regression on all of
them, whichever does better on runs set aside); the last third says how often that is right.

The weak one, on a single release: of two persons, one in the release and one not, drawn alike, which is in it? The one
whose row the release has more often, in relation to how often the two groups together have it: the whole row, and each
pair of columns.

Under (epsilon, delta)-differential privacy nobody is right more often than (e^epsilon + delta)/(1 + e^epsilon), in
either game: docs/attacks/membership.md has the proof.

Literature: S. Yeom, I. Giacomelli, M. Fredrikson and S. Jha, "Privacy Risk in Machine Learning", 2018 (the games);
R. Shokri and others, "Membership Inference Attacks", 2017 (shadow runs).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, rate
from discreet.attacks.joining import joined_codes
from discreet.attacks.label_meanings import recode_known
from discreet.attacks.published import Published
from discreet.counting.tally import distinct_codes, grouped
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, PrivacyLeakWarning
from discreet.evaluate.confidence import share_of_pairs
from discreet.foundation.randomness import RandomState, seed_of
from discreet.methods import Method
from discreet.privacy.differential_privacy import private_part
from discreet.privacy.promise import Promise

_FEWEST = 30  # runs on either input: a third of them must teach something
_CUTS = 101  # thresholds that are tried on a count


def accuracy_bound(epsilon: float, delta: float = 0.0, choices: int = 2) -> float:
    """How often anyone can tell which of equally likely neighbouring inputs a release was made from.

    >>> accuracy_bound(math.log(3)), accuracy_bound(math.log(3), choices=4)
    (0.75, 0.5)
    """
    return float((1 + (choices - 1) * delta * math.exp(-epsilon)) / (1 + (choices - 1) * math.exp(-epsilon)))


def replacement_bound(promise: Promise, choices: int = 2) -> float | None:
    """The same, for inputs of which each is another with one row replaced; None where no privacy is promised.

    One row in the place of another is one change for replace-one neighbours, and two for add-remove.
    """
    private = private_part(promise)
    if private is None:
        return None
    if private.neighbours == "replace-one":
        return accuracy_bound(private.epsilon, private.delta, choices)
    return accuracy_bound(2 * private.epsilon, min(1.0, private.delta * (1 + math.exp(private.epsilon))), choices)


# -- the strong game ---------------------------------------------------------------------------------------------------


def tell_apart(
    sample: Callable[[Any, int], Any], one: Any, other: Any, promise: Promise | None = None, *, runs: int = 1000
) -> Finding:
    """Learn to tell outcomes of two inputs apart, and test it on further outcomes.

    `sample(input, runs)` gives that many independent outcomes: numbers, or rows of numbers.

    >>> from discreet.privacy.differential_privacy import DifferentialPrivacy
    >>> found = tell_apart(lambda bit, runs: np.full(runs, bit), 0, 1, DifferentialPrivacy(1.0), runs=300)
    >>> found.success.value, found.breaks_promise
    (1.0, True)
    """
    if runs < _FEWEST:
        raise ParameterError(f"At least {_FEWEST} runs on each input are needed. Got {runs} instead.")
    outcomes = [np.asarray(sample(data, runs), dtype=float).reshape(runs, -1) for data in (one, other)]
    parts = [np.array_split(part, 3) for part in outcomes]
    taught, chosen, tested = (
        (np.vstack([zero, first]), np.repeat([0, 1], [len(zero), len(first)]))
        for zero, first in zip(*parts, strict=True)
    )
    ways = [how(*taught) for how in (_threshold, _logistic)]
    guesses = max(ways, key=lambda guess: float((guess(chosen[0]) == chosen[1]).mean()))
    right = guesses(tested[0]) == tested[1]
    private = None if promise is None else private_part(promise)
    return Finding(
        attack="membership, shadow runs",
        question="Can an attacker who knows all rows but one tell which of two that one is?",
        success=rate(float(right.sum()), len(right)),
        targets=len(right),
        baseline=0.5,
        bound=None if private is None else accuracy_bound(private.epsilon, private.delta),
        detail=f"{runs} runs on either input; two thirds of them taught the attacker.",
        units="runs",
        kind="membership",
    )


def membership_of_row(
    method: Method,
    data: object,
    roles: Roles,
    *,
    row: int | None = None,
    promise: Promise | None = None,
    runs: int = 1000,
    random_state: RandomState = 0,
) -> Finding:
    """The strong game with one row of a table, against a method that simulates tables.

    `row` is the one that fewest share, if none is named; where neighbours are of equal size its place is taken by the
    commonest other row. `promise` is what is claimed, the method's own if nothing else is.
    """
    table = Table.of(data).select(roles.named)
    groups, first = grouped(table, roles.published)
    sizes = np.bincount(groups)
    target = int(first[sizes.argmin()]) if row is None else row
    if len(sizes) < 2:
        raise DataError("All rows are equal, so no attack can distinguish them.")
    common = int(first[np.where(np.arange(len(sizes)) == groups[target], 0, sizes).argmax()])
    promise = method.promise if promise is None else promise
    private = private_part(promise)
    everyone = np.arange(len(table))
    if private is not None and private.neighbours == "add-remove":
        without = everyone[everyone != target]
    else:
        without = np.where(everyone == target, common, everyone)
    seeds = iter(np.random.default_rng(seed_of(random_state)).integers(0, 2**31, 2 * runs).tolist())
    both = table.take(np.array([target, common]))

    def sample(rows: np.ndarray, runs: int) -> np.ndarray:
        people = table.take(rows)
        return np.stack([_agreeing(simulated(method, people, roles, next(seeds)), both) for _ in range(runs)])

    return tell_apart(sample, everyone, without, promise, runs=runs)


def simulated(method: Method, table: Table, roles: Roles, random_state: int) -> Any:
    """What the method would publish, on the simulation back end where it has one: has `table` and `recode`."""
    seeded: Any = type(method)(**{**method.get_params(deep=False), "random_state": random_state})
    if seeded.gives not in ("", "synthetic"):
        raise DataError(f"The method {method.name!r} publishes no rows, and this attack counts rows.")
    roles = roles.for_part()  # the rows are not all of those that a release is of
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # nothing is published
        return seeded.simulate(table, roles) if hasattr(seeded, "simulate") else seeded.release(table, roles)


def equal_cells(released: Table, written: Table, row: int) -> np.ndarray:
    """For each released row and column, whether the cell is that of one row in the form of the release."""
    equal = np.zeros((len(released), len(released.names)), dtype=bool)
    for c, column in enumerate(released.columns()):
        other = written.column(column.name)
        text = [*other.texts, None][other.codes[row]]
        place = len(column.values) if text is None else column.texts.index(text) if text in column.texts else -1
        equal[:, c] = column.codes == place
    return equal


def _agreeing(drawn: Any, persons: Table) -> np.ndarray:
    """How many released rows there are, and agree with each person in a column, in a pair of columns, in all."""
    written, counts = drawn.recode(persons), [len(drawn.table)]
    for row in range(len(persons)):
        equal = equal_cells(drawn.table, written, row).astype(np.float64)
        pairs = equal.T @ equal
        counts += [*pairs[np.triu_indices(len(pairs))].tolist(), int(equal.all(axis=1).sum())]
    return np.array(counts, dtype=float)


Guess = Callable[[np.ndarray], np.ndarray]


def _threshold(outcomes: np.ndarray, labels: np.ndarray) -> Guess:
    """The number and the cut that part the outcomes best."""
    best, chosen = -1.0, (0, 0.0, True)
    for place in range(outcomes.shape[1]):
        values = outcomes[:, place]
        for cut in np.unique(np.quantile(values, np.linspace(0, 1, _CUTS))):
            above = float(((values >= cut) == labels).mean())
            if max(above, 1 - above) > best:
                best, chosen = max(above, 1 - above), (place, float(cut), above >= 0.5)
    place, cut, upwards = chosen
    return lambda rows: ((rows[:, place] >= cut) == upwards).astype(int)


def _logistic(outcomes: np.ndarray, labels: np.ndarray) -> Guess:
    """All numbers at once."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(outcomes, labels).predict


# -- the weak game, on one release -------------------------------------------------------------------------------------


def membership(case: Case) -> list[Finding]:
    """Of two persons, one in the release and one not, say which is."""
    members, others = case.table, case.absent
    if others is None:
        raise DataError("The membership attack compares persons in the release with others: give a control group.")
    rng = np.random.default_rng(case.random_state)
    names = _known_of_all(case.published, (members, others))
    scores = [_excess(case.published, people, (members, others), names) for people in (members, others)]
    n = min(case.targets, len(members), len(others))
    inside, outside = (score[rng.permutation(len(score))[:n]] for score in scores)
    return [
        Finding(
            attack="membership, one release",
            question="Can an attacker who knows all published columns tell which of two persons is in the release?",
            success=share_of_pairs(inside, outside),
            targets=n,
            baseline=0.5,
            bound=None if case.roles.person is not None else replacement_bound(case.published.promise),
            note="Bound and baseline hold if both groups were drawn in the same way.",
            units="pairs",
            kind="membership",
            knows=tuple(dict.fromkeys(map(case.published.source, names))),
        )
    ]


def _known_of_all(published: Published, people: Sequence[Table]) -> list[str]:
    """The published columns that can be told of all these persons."""
    written = [recode_known(published, table) for table in people]
    names = [name for name in published.columns if all(name in table for table in written)]
    if not names:
        raise DataError("The persons have none of the columns of the release.")
    return names


def _excess(published: Published, people: Table, pool: Sequence[Table], names: Sequence[str]) -> np.ndarray:
    """How often the release has each person's row, and pairs of its cells, for once that the pool has it: the mean."""
    written = [recode_known(published, table) for table in (people, *pool)]
    sets = [published.table, *written]
    codes = [joined_codes([table.column(name) for table in sets]) for name in names]
    ends = np.cumsum([len(table) for table in sets])
    ratios = np.zeros(len(people))
    views = _views(codes)
    for cells in views:
        released, mine, in_pool = cells[: ends[0]], cells[ends[0] : ends[1]], cells[ends[1] :]
        n = int(cells.max()) + 1
        ratios += np.bincount(released, minlength=n)[mine] / np.maximum(np.bincount(in_pool, minlength=n)[mine], 1)
    return ratios / len(views)


def _views(codes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Numbers of equal cells: of all columns together, and of each pair."""
    chosen = [codes, *(pair for pair in combinations(codes, 2) if len(codes) > 2)]
    return [distinct_codes(columns, len(codes[0]))[1] for columns in chosen]
