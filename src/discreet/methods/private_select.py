# SPDX-License-Identifier: Apache-2.0
"""Selecting features by their HamDist under differential privacy: by noisy scores, or by the exponential mechanism.

Paper: B. Zhang, N. Mohammed, V. S. Dave, M. Al Hasan, "Feature Selection for Classification under Anonymity
Constraint", section 5.2, Laplace-DP and Exponential-DP: the selection half of both.

Departures from the paper:

1. The score is the number of pairs of rows of different classes that the feature tells apart, HamDist without its
   division. The order is the same. HamDist changes by up to 1 between neighbours, since a class may have one row, and
   the paper does not say what its sensitivity is; the number of pairs changes by n - 1 at most.
2. Noisy scores have the factor 2 in their scale, without which the loss is up to twice the claim.
3. Only the names of the selected features are released, in the order of the picks: no scores, no columns. The paper
   goes on to publish a table of the selected columns; that is another release with a budget of its own.
4. More than two classes are allowed.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from numbers import Integral, Real
from typing import ClassVar

import numpy as np

from discreet.data.baskets import Baskets
from discreet.document import Document
from discreet.errors import CannotRelease, DataError, PrivacyLeakWarning
from discreet.mechanisms.selection import Exponential, LaplaceTop, Selection
from discreet.methods.selector import Selector, numeric
from discreet.parameters import Interval, check_parameters
from discreet.privacy.differential import DifferentialPrivacy
from discreet.privacy.noise import KEY
from discreet.randomness import Randomness
from discreet.release import Release
from discreet.utility import separated_pairs

SEEDED = (
    "A seed was given, so the noise is a simulation that whoever knows the seed can repeat: nothing is private about"
    " it. Leave random_state out for a release."
)


def pair_scores(baskets: Baskets) -> np.ndarray:
    """For each feature, the pairs of rows of different classes that it tells apart.

    Replacing one row changes only the pairs it is in, at most n - 1; so no score changes by more than n - 1.

    >>> pair_scores(Baskets.of([[1, 0], [1, 1], [0, 1]], [1, 1, 0])).tolist()
    [2, 1]
    """
    return separated_pairs(baskets).astype(np.int64)


class PrivateSelector(Selector):
    """A selector that picks features by a mechanism. A subclass names the mechanism and itself."""

    takes = frozenset({"baskets"})
    gives = "names"
    mechanism: ClassVar[type[Selection]]
    _parameter_constraints: ClassVar[dict] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(self, epsilon=1.0, n_features=10, *, random_state=None):
        self.epsilon = epsilon
        self.n_features = n_features
        self.random_state = random_state

    @property
    def promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon)

    def fit(self, X, y):
        """Pick features of a 0/1 matrix (scipy sparse or dense) for the labels y; `support_` is in the order of picks.

        The picks are differentially private. What `transform` makes of the rows is not.
        """
        check_parameters(self, self._parameter_constraints)
        X, y = numeric(self, X, y, "0/1 cells", advice=" Binarise it first.")
        randomness = Randomness(self.random_state)
        if randomness.seeded:
            warnings.warn(SEEDED, PrivacyLeakWarning, stacklevel=2)
        baskets = Baskets.of(X, y)
        self.support_ = self._mechanism(baskets).apply(pair_scores(baskets), randomness).astype(np.intp)
        return self

    def _mechanism(self, baskets: Baskets) -> Selection:
        """The mechanism for as many rows; their number and that of the features are public."""
        rows, features = baskets.shape
        if rows < 2 or self.n_features > features:
            raise CannotRelease(
                f"{self.n_features} of {features} features were asked, from {rows} rows. Ask for as many as there are"
                " or fewer, of two rows at least."
            )
        if baskets.persons is not None and len(np.unique(baskets.persons)) < rows:
            raise DataError(
                "Some persons have several rows. The promise covers one row of each person: bring the rows of a person"
                " together first."
            )
        return self.mechanism(sensitivity=rows - 1, epsilon=self.epsilon, picks=int(self.n_features))

    def _release_baskets(self, baskets: Baskets, randomness: Randomness) -> Release:
        if randomness.seeded:
            raise CannotRelease(SEEDED)
        mechanism = self._mechanism(baskets)
        names = [baskets.names[pick] for pick in mechanism.apply(pair_scores(baskets), randomness)]
        said = {"names": names, KEY: [asdict(mechanism.noise)]}
        return self._release_document(Document.of("names", [(name, "quasi", "item") for name in names], said), None, [])


class LaplaceSelector(PrivateSelector):
    """The features with the largest scores after discrete Laplace noise of scale 2 n_features (n - 1) / epsilon.

    Promise
    -------
    `DifferentialPrivacy(epsilon)` of the names that are released, for tables of equally many rows that differ in one.
    The number of rows and the names of all features are public; the classes, their sizes and the cells are not.

    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]] * 50
    >>> LaplaceSelector(epsilon=5, n_features=1).fit(X, [1, 1, 0, 0] * 50).get_support().tolist()
    [True, False, False]
    """

    name = "laplace-select"
    mechanism = LaplaceTop


class ExponentialSelector(PrivateSelector):
    """Features picked one after the other, with odds that grow exponentially with their scores.

    Promise
    -------
    As `LaplaceSelector`. At the same epsilon it picks larger scores.

    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]] * 50
    >>> ExponentialSelector(epsilon=5, n_features=1).fit(X, [1, 1, 0, 0] * 50).get_support().tolist()
    [True, False, False]
    """

    name = "exponential-select"
    mechanism = Exponential
