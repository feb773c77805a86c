# SPDX-License-Identifier: Apache-2.0
"""Weights of features under differential privacy: from columns picked in turn, from blocks of rows, or a public sample.

Paper: J. Yang, Y. Li, "Differentially Private Feature Selection", Algorithm 2 (Private FWELL).

Departures from the paper:

1. As published the method is not differentially private: a row is the nearest hit or miss of others, so one row may
   move all margins, and the sensitivity does not shrink with the number of rows. "as-published" is there for studies;
   it warns, and releases nothing.
2. "reference" looks for neighbours in a public sample, "blocks" averages the weights of blocks of rows; both clip the
   margins and have sensitivities that are proved. Weights are exact minimisers, not the result of one pass.
3. "strata", "ranks" and "splits" are ours. They look for no neighbours: features are picked one after the other, and
   the weights say the order of the picks. "ranks" asks how well the cells of a column order the classes. "splits" cuts
   columns at public cuts and asks what a column tells together with those picked before. "strata", which is the default
   ("auto"), asks how well the cells of a column order the classes among rows that the columns picked before leave
   alike. benchmarks/fwell measures them all.
4. Bounds are given by the user. Read from the rows they would tell about them; such a run warns and releases nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from discreet.data.cells import Cells
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease, DataError, ParameterError, PrivacyLeakWarning, listing
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import Randomness, RandomState
from discreet.mechanisms.mechanism import Mechanism
from discreet.methods.base import Method
from discreet.methods.noise.engine_levels import PersonNumbers, check_engine
from discreet.methods.noise.fwell import REGULARIZATION
from discreet.methods.noise.private_fwell_as_published import PublishedStrategy
from discreet.methods.noise.private_fwell_blocks import BlockStrategy
from discreet.methods.noise.private_fwell_ranks import RankStrategy
from discreet.methods.noise.private_fwell_reference import ReferenceStrategy
from discreet.methods.noise.private_fwell_splits import SplitStrategy
from discreet.methods.noise.private_fwell_strata import StrataStrategy
from discreet.methods.noise.private_fwell_strategy import Strategy
from discreet.methods.noise.private_rows import SEEDED, baskets_of, labels_of, numbers, persons_of, some_rows
from discreet.methods.noise.weighting import BOUNDS, N_FEATURES, Weighter
from discreet.privacy.differential_privacy import DifferentialPrivacy
from discreet.privacy.noise import KEY
from discreet.recoding.public_domain import check_roles
from discreet.release.release import Release

ONE_ROW_EACH = (
    "Of a person with several rows one is drawn, which 'strata', 'ranks' and 'splits' allow: the proofs of the other"
    " values of `strategy` do not. Choose one of the three, or bring the rows of a person together and name no person."
)
NO_BOUNDS = "The bounds are read from the rows, and tell about them. Give public bounds for a release."
STRATEGIES: dict[str, type[Strategy]] = {
    strategy.key: strategy
    for strategy in (
        StrataStrategy,
        RankStrategy,
        SplitStrategy,
        BlockStrategy,
        ReferenceStrategy,
        PublishedStrategy,
    )
}


class PrivateFwell(Weighter, Method):
    """Weights of features that hide every single row.

    Parameters
    ----------
    epsilon : float in (0, inf)
    regularization : float in (0, inf)
        As of `Fwell`, for "blocks" and "reference".
    bounds : pair (low, high) of numbers, or of one number for each column, or mapping of columns to pairs, or None
        Public bounds of the cells; cells beyond are brought back to them. "ranks" needs none; "strata" does without,
        but then picks columns that repeat each other.
    strategy : "auto", "strata", "ranks", "splits", "blocks", "reference" or "as-published"
        Where the nearest hits and misses of a row are sought: nowhere, columns are picked instead by ranks within
        strata ("auto"), by ranks, or by splits; in its block of rows; in a public sample; among all rows, which is not
        private.
    reference : pair (X, y) or None
        The public sample, for "reference": rows of persons whom the promise does not cover.
    blocks : int or None
        How many, for "blocks"; None makes blocks of about ten rows.
    clip : float in (0, inf)
        The largest norm of a margin; longer ones are shortened. Cells count as 0 to 1.
    n_features : int or None
        How many features are kept; None stands for a tenth. Strategies that pick give so many a weight above zero.
    random_state : int, RandomState, Generator or None
        With a seed the noise is a simulation: it warns, and nothing can be released.

    Attributes
    ----------
    weights_ : the weight of each feature, with noise; of strategies that pick 1 for the first one, falling to 0 for no
        pick

    Promise
    -------
    `DifferentialPrivacy(epsilon)` of the weights, for tables of equally many rows that differ in one; with a delta of
    2^-100 for "blocks" and "reference". The number of rows, the names of the columns and all parameters are public.

    Examples
    --------
    >>> X = Randomness(0).numpy().random((2000, 20))
    >>> PrivateFwell(epsilon=5.0).fit(X, X[:, 4] + X[:, 7] > 1).get_support(indices=True).tolist()
    [4, 7]
    """

    name = "private-fwell"
    takes = frozenset({"table", "baskets"})
    gives = "weights"
    by_cells = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "regularization": REGULARIZATION,
        "bounds": BOUNDS,
        "strategy": [StrOptions({"auto", *STRATEGIES})],
        "reference": [None, tuple, list],
        "blocks": [None, Interval(Integral, 1, None, closed="left")],
        "clip": [Interval(Real, 0, None, closed="neither")],
        "n_features": N_FEATURES,
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        epsilon: float = 1.0,
        regularization: float = 0.1,
        bounds: Any = None,
        *,
        strategy: str = "auto",
        reference: Any = None,
        blocks: int | None = None,
        clip: float = 1.0,
        n_features: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.regularization = regularization
        self.bounds = bounds
        self.strategy = strategy
        self.reference = reference
        self.blocks = blocks
        self.clip = clip
        self.n_features = n_features
        self.random_state = random_state

    @property
    def promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon, self._named.delta)

    def fit(self, X: Any, y: Any) -> Self:
        """Weigh the columns of X, numbers dense or scipy sparse. The weights are private, the rows are not."""
        check_parameters(self, self._parameter_constraints)
        X = numbers(X, self)
        labels = labels_of(y, X.shape[0])
        if self.n_features is not None and self.n_features > X.shape[1]:
            raise ParameterError(f"{self.n_features} features were asked of {X.shape[1]}. Ask for fewer.")
        randomness = Randomness(self.random_state)
        for wrong in self._leaks(randomness):
            warnings.warn(wrong, PrivacyLeakWarning, stacklevel=2)
        names = [str(j) for j in range(X.shape[1])]
        self.weights_ = self._weigh(X, labels, names, randomness)[0]
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True  # no cell is refused
        return tags

    def _release(self, data: object, roles: object, y: object) -> Release:
        """As of every method, and `release(X, y)` of a matrix of numbers."""
        if isinstance(roles, Roles) or not (is_sparse(data) or isinstance(data, np.ndarray)):
            return super()._release(data, roles, y)
        X = numbers(data)
        labels = labels_of(y if roles is None else roles, X.shape[0])
        return self._release_weights(X, labels, [(f"x{j}", "number") for j in range(X.shape[1])], None)

    def _release_matrix(self, data: Any, labels: Any, randomness: Randomness) -> Release:
        baskets, read = baskets_of(data, labels)
        columns = [(name, "item") for name in baskets.names]
        return self._release_weights(baskets.matrix.astype(np.float64), read, columns, baskets.persons)

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        check_roles(table, roles)
        kinds = _numeric(roles, table.declared)
        cells = np.column_stack([table.cells(name).line for name in roles.quasi])
        target = table.cells(str(roles.target))
        persons = None if roles.person is None else persons_of(table.cells(roles.person))
        return self._release_weights(cells, _labels(target), kinds, persons)

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        """All rows come into memory as numbers, eight bytes for each cell: their ranks and distances count."""
        for wrong in self._leaks(randomness):
            raise CannotRelease(wrong)
        check_engine(engine, roles, self)
        kinds = _numeric(roles, getattr(engine, "declared", lambda name: None))
        names = dict.fromkeys([*roles.quasi, str(roles.target), *([] if roles.person is None else [roles.person])])
        cells, labels, persons, number = [], [], [], PersonNumbers()
        for batch in engine.cells(list(names)):  # type: ignore[attr-defined]
            cells.append(np.column_stack([batch[name].line for name in roles.quasi]))
            labels += _labels(batch[str(roles.target)])
            persons += [] if roles.person is None else [number(batch[roles.person])]
        # An engine may hand rows out in an order that depends on what they hold; blocks go by the number of a row.
        order = np.arange(len(labels)) if randomness.seeded else randomness.permutation(len(labels))
        whose = np.concatenate(persons)[order] if persons else None
        return self._release_weights(np.concatenate(cells)[order], [labels[i] for i in order], kinds, whose)

    def _release_weights(
        self, X: Any, labels: list[str | None], columns: list[tuple[str, str]], persons: np.ndarray | None
    ) -> Release:
        randomness = Randomness(self.random_state)
        for wrong in self._leaks(randomness):
            raise CannotRelease(wrong)
        if persons is not None and not self._named.one_row_each:
            raise CannotRelease(ONE_ROW_EACH)
        weights, mechanism = self._weigh(X, labels, [name for name, _ in columns], randomness, persons)
        document = {"weights": weights.tolist(), KEY: [asdict(mechanism.noise)]}
        return self._release_document(
            Document.of("weights", [(name, "quasi", kind) for name, kind in columns], document), None, []
        )

    def _leaks(self, randomness: Randomness) -> list[str]:
        """What keeps the weights of this run from being private."""
        leaks = [SEEDED] if randomness.seeded else []
        leaks += [] if self._named.leak is None else [self._named.leak]
        return leaks + ([NO_BOUNDS] if self._named.needs_bounds and self.bounds is None else [])

    @property
    def _named(self) -> type[Strategy]:
        """The strategy that was asked for; "auto" is the one that is best as a rule."""
        return STRATEGIES["strata" if self.strategy == "auto" else self.strategy]

    def _public_parameters(self) -> dict[str, Any]:
        """As certificates show them; of a public sample its size."""
        plain = super()._public_parameters()
        return plain if self.reference is None else {**plain, "reference": f"{len(self.reference[1])} rows"}

    # -- the weights -----------------------------------------------------------------------------------------------

    def mechanism(self, rows: int, columns: int) -> Mechanism:
        """The noise for a table of so many rows and columns."""
        return self._named(self).mechanism(rows, columns)

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        """What the noise is put on; it changes by at most the sensitivity of `mechanism` when one row does."""
        return self._named(self).statistic(X, labels, names)

    def _weigh(
        self, X: Any, labels: Any, names: list[str], randomness: Randomness, persons: np.ndarray | None = None
    ) -> tuple[np.ndarray, Mechanism]:
        rows, columns = X.shape  # public; of each person one row is used
        if rows < 2 or columns < (self.n_features or 1):
            raise CannotRelease(f"{self.n_features or 1} of {columns} features were asked, from {rows} rows.")
        strategy = self._named(self)
        mechanism = strategy.mechanism(rows, columns)
        if persons is not None:
            sampled = some_rows(persons, 1, randomness)
            X, labels = X[sampled], [labels[row] for row in sampled]
        return strategy.weights(X, labels, names, mechanism, randomness), mechanism


def _numeric(roles: Roles, declared: Callable[[str], str | None]) -> list[tuple[str, str]]:
    """The quasi-identifiers with their kinds; DataError if one is declared to hold categories."""
    kinds = [(name, declared(name) or "number") for name in roles.quasi]
    named = [name for name, kind in kinds if kind == "category"]
    if named:
        raise DataError(f"Only numbers have weights; {listing(named)} are declared categories. Make 0/1 columns.")
    return kinds


def _labels(target: Cells) -> list[str | None]:
    texts = [*target.texts, None]
    return [texts[code] for code in target.codes]
