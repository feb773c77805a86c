# SPDX-License-Identifier: Apache-2.0
"""Feature selection by HamDist under differential privacy: by noisy scores, or by the exponential mechanism.

Paper: B. Zhang, N. Mohammed, V. S. Dave, M. Al Hasan, "Feature Selection for Classification under Anonymity
Constraint", Section 5.2: the selection part of Laplace-DP and Exponential-DP, with HamDist of Definition 8.

Departures from the paper:

1. The score is the number of pairs of rows of different classes that the feature separates, HamDist without its
   division. The order is the same. HamDist changes by up to 1 between neighbours, since a class may have one row, and
   the paper does not say what its sensitivity is; the number of pairs changes by n - 1 at most.
2. The scale of noisy scores has a factor of 2, without which the loss is up to twice the claim.
3. Only the names of the selected features are released, in the order of the picks: no scores, no columns. The paper
   goes on to publish a table of the selected columns; that is another release with a budget of its own.
4. More than two classes are allowed.
5. Tables are taken, too: the values and cuts that make them 0/1 are public arguments, never read from the rows.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from discreet.counting.class_separation import separated_pairs
from discreet.counting.tally import is_engine
from discreet.data.baskets import Baskets
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease, DataError, PrivacyLeakWarning
from discreet.foundation.parameters import Interval, check_parameters
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import Exponential, LaplaceTop, Selection
from discreet.methods.noise.engine_levels import (
    CountedLevels,
    Levels,
    TextNumbers,
    check_engine,
    counted,
    counted_levels,
    engine_simulation,
)
from discreet.methods.noise.private_rows import (
    SEEDED,
    baskets_of,
    classes_of,
    labels_of,
    ones,
    persons_of,
    simulation,
    some_rows,
)
from discreet.methods.selector import Selector, mask_of
from discreet.privacy.differential_privacy import DifferentialPrivacy
from discreet.privacy.noise import KEY
from discreet.recoding.public_domain import NOT_PUBLIC, Domain, check_roles
from discreet.release.release import Release


def pair_scores(baskets: Baskets) -> np.ndarray:
    """For each feature, the pairs of rows of different classes that it tells apart.

    Replacing one row changes only the pairs it is in, at most n - 1; so no score changes by more than n - 1.

    >>> pair_scores(Baskets.of([[1, 0], [1, 1], [0, 1]], [1, 1, 0])).tolist()
    [2, 1]
    """
    return separated_pairs(baskets).astype(np.int64)


def item_scores(rows: CountedLevels, domain: Domain, n_classes: int) -> np.ndarray:
    """`pair_scores` of the items of a domain, by counts; the last line of codes has the classes.

    If a_k of the N_k rows of class k have the item, A of N in all, it parts A (N - A) - sum a_k (N_k - a_k) pairs.
    """
    scores = []
    of_class = counted([rows.codes[-1]], [n_classes], rows.rows)
    for levels, codes in zip(domain.columns, rows.codes[:-1], strict=True):
        ones = counted([codes, rows.codes[-1]], [len(levels), n_classes], rows.rows)
        ones = ones.reshape(len(levels), n_classes)[1 if len(levels) == 2 else 0 :]
        has = ones.sum(axis=1)
        scores.append(has * (of_class.sum() - has) - (ones * (of_class - ones)).sum(axis=1))
    return np.concatenate(scores)


class PrivateSelector(Selector):
    """A selector that picks features by a mechanism. A subclass names the mechanism and itself."""

    takes = frozenset({"table", "baskets"})
    gives = "names"
    by_cells = True
    selection: ClassVar[type[Selection]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "domain": [None, object],  # checked when it is read
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, epsilon: float = 1.0, n_features: int = 10, *, domain: Any = None, random_state: int | None = None
    ) -> None:
        self.epsilon = epsilon
        self.n_features = n_features
        self.domain = domain
        self.random_state = random_state

    @property
    def promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon)

    @property
    def keeps_items(self) -> bool:
        """The names of all items must be public; those of baskets outside memory are read from the rows."""
        return False

    def fit(self, X: Any, y: Any) -> Self:
        """Pick features of a 0/1 matrix (scipy sparse or dense) for the labels y; `order_` is the order of picks.

        The picks are differentially private. What `transform` makes of the rows is not. A cell that is a number other
        than zero counts as a one, whatever else it holds as a zero; a label that cannot be read is a class of its own.
        """
        check_parameters(self, self._parameter_constraints)
        matrix = ones(X, self)
        labels = labels_of(y, matrix.shape[0])
        randomness = Randomness(self.random_state)
        if randomness.seeded:
            warnings.warn(SEEDED, PrivacyLeakWarning, stacklevel=2)
        names = tuple(f"x{j}" for j in range(matrix.shape[1]))
        baskets = _labelled(Baskets(matrix, names), classes_of(labels))
        self.order_ = self.mechanism(*baskets.shape).apply(pair_scores(baskets), randomness).astype(np.intp)
        self.support_ = mask_of(self.order_, self.n_features_in_)
        return self

    def mechanism(self, rows: int, features: int) -> Selection:
        """The mechanism for as many rows and features: both numbers are public.

        Where of each person one row is drawn, there are fewer; the sensitivity is for all of them still.
        """
        if rows < 2 or self.n_features > features:
            raise CannotRelease(
                f"{self.n_features} of {features} features cannot be selected from {rows} rows. Ask for at most"
                " as many features as there are, from at least two rows."
            )
        return self.selection(sensitivity=rows - 1, epsilon=self.epsilon, picks=int(self.n_features))  # Delta H

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False  # no cell is refused
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    # -- tables ----------------------------------------------------------------------------------------------------

    def simulate(self, data: object, roles: Roles) -> list[str]:
        """Names picked from a table for a study, never certified: with a seed, or with a domain read from the rows."""
        if is_engine(data):
            randomness = engine_simulation(self, data, roles)
            return self._picked_of_engine(data, roles, self._domain(roles), randomness)[0]
        randomness, table = simulation(self, data, roles)
        domain = Domain.from_data(table, Roles(quasi=roles.quasi)) if self.domain is None else self._domain(roles)
        return self._picked(_as_items(table, roles, domain), randomness)[0]

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        if self.domain is None:
            raise CannotRelease(*NOT_PUBLIC)
        check_roles(table, roles)
        domain = self._domain(roles)
        release = self._released(_as_items(table, roles, domain), randomness)
        return replace(release, parameters=release.parameters | {"domain": domain.plain})

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        if self.domain is None:
            raise CannotRelease(*NOT_PUBLIC)
        if randomness.seeded:
            raise CannotRelease(SEEDED)
        check_engine(engine, roles, self)
        domain = self._domain(roles)
        release = self._released_names(*self._picked_of_engine(engine, roles, domain, randomness))
        return replace(release, parameters=release.parameters | {"domain": domain.plain})

    def _picked_of_engine(
        self, engine: Any, roles: Roles, domain: Domain, randomness: Randomness
    ) -> tuple[list[str], Selection]:
        names, n_rows = domain.items.names, len(engine)
        mechanism = self.mechanism(n_rows, len(names))
        columns, classes = {one.name: one.codes for one in domain.columns}, TextNumbers()
        levels: list[tuple[str, Levels]] = [*columns.items(), (str(roles.target), classes)]
        rows = counted_levels(engine, levels, person=roles.person, most=1, randomness=randomness, n_rows=n_rows)
        scores = item_scores(rows, domain, len(classes))
        return [names[pick] for pick in mechanism.apply(scores, randomness)], mechanism

    def _domain(self, roles: Roles) -> Domain:
        """Of the quasi-identifiers. The target may be there, too: one file then serves this and `PrivateTable`."""
        return Domain.of(self.domain, Roles(quasi=roles.quasi), unused=[roles.target])

    # -- baskets ---------------------------------------------------------------------------------------------------

    def _release_matrix(self, data: Any, labels: Any, randomness: Randomness) -> Release:
        if self.domain is not None:
            raise DataError("A domain is for tables: the cells of baskets are 0 and 1. Leave it out.")
        baskets, read = baskets_of(data, labels)
        return self._released(_labelled(baskets, classes_of(read)), randomness)

    # -- shared ----------------------------------------------------------------------------------------------------

    def _picked(self, baskets: Baskets, randomness: Randomness) -> tuple[list[str], Selection]:
        mechanism = self.mechanism(*baskets.shape)
        if baskets.persons is not None:
            baskets = baskets.take(some_rows(baskets.persons, 1, randomness))
        return [baskets.names[pick] for pick in mechanism.apply(pair_scores(baskets), randomness)], mechanism

    def _released(self, baskets: Baskets, randomness: Randomness) -> Release:
        if randomness.seeded:
            raise CannotRelease(SEEDED)
        return self._released_names(*self._picked(baskets, randomness))

    def _released_names(self, names: list[str], mechanism: Selection) -> Release:
        document = {"names": names, KEY: [asdict(mechanism.noise)]}
        return self._release_document(
            Document.of("names", [(name, "quasi", "item") for name in names], document), None, []
        )


def _as_items(table: Table, roles: Roles, domain: Domain) -> Baskets:
    """The rows as items of the domain. A label that is missing is a class of its own: no row is refused."""
    levels = Table([column for columns in domain.apply(table).values() for column in columns])
    persons = None if roles.person is None else persons_of(table.cells(roles.person))
    return _labelled(replace(domain.items.apply(levels), persons=persons), table.cells(str(roles.target)).codes)


def _labelled(baskets: Baskets, labels: np.ndarray) -> Baskets:
    return replace(baskets, labels=labels, classes=np.arange(labels.max(initial=-1) + 1))


class LaplaceSelector(PrivateSelector):
    """The features with the largest scores after discrete Laplace noise of scale 2 n_features (n - 1) / epsilon.

    Parameters
    ----------
    epsilon : float
        What the release may cost.
    n_features : int
        How many names are released.
    domain : mapping, or path of a TOML or JSON file
        For tables: the values of each quasi-identifier, or `{"cuts": [...]}`. Public: known without the rows.

    Promise
    -------
    `DifferentialPrivacy(epsilon)` of the names that are released, for tables of equally many rows that differ in one.
    The number of rows and the names of all features are public; the classes, their sizes and the cells are not. With a
    `person` in the roles one row of each person is drawn, and the tables may differ in all rows of one person.

    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]] * 50
    >>> LaplaceSelector(epsilon=5, n_features=1).fit(X, [1, 1, 0, 0] * 50).get_support().tolist()
    [True, False, False]
    """

    name = "laplace-select"
    selection = LaplaceTop  # Section 5.2, Laplace-DP: H(x) + Lap(Delta H / epsilon), top N; departure 2


class ExponentialSelector(PrivateSelector):
    """Features picked one after the other, with odds that grow exponentially with their scores.

    Promise
    -------
    As `LaplaceSelector`, with the same parameters. Neither picks larger scores throughout; where costs add up by zCDP,
    this one costs less.

    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]] * 50
    >>> ExponentialSelector(epsilon=5, n_features=1).fit(X, [1, 1, 0, 0] * 50).get_support().tolist()
    [True, False, False]
    """

    name = "exponential-select"
    selection = Exponential
