# SPDX-License-Identifier: Apache-2.0
"""Weights of features under differential privacy: from ranks or splits, from blocks of rows, or from a public sample.

Paper: J. Yang, Y. Li, "Differentially Private Feature Selection", Algorithm 2 (Private FWELL).

Departures from the paper:

1. As published the method is not differentially private: a row is the nearest hit or miss of others, so one row may
   move all margins, and the sensitivity does not shrink with the number of rows. "as-published" is there for studies;
   it warns, and releases nothing.
2. "reference" looks for neighbours in a public sample, "blocks" averages the weights of blocks of rows; both clip the
   margins and have sensitivities that are proved. Weights are exact minimisers, not the result of one pass.
3. "ranks" and "splits" are ours. They look for no neighbours: features are picked one after the other, and the weights
   say the order of the picks. "ranks" asks how well the cells of a column order the classes; it needs no bounds.
   "splits" cuts columns at public cuts and asks what a column tells together with those picked before, so that none is
   picked for what is known already; it needs a larger budget. The default, "auto", takes one of the two by what is
   public: rows, picks, epsilon, and whether bounds are given. benchmarks/fwell measures them all.
4. Bounds are given by the user. Read from the rows they would tell about them; such a run warns and releases nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, DataError, ParameterError, PrivacyLeakWarning, listing, quietly
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.euclidean import Euclidean
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.selection import Exponential
from discreet.methods.base import Method
from discreet.methods.noise.fwell import REGULARIZATION
from discreet.methods.noise.fwell_loss import minimiser
from discreet.methods.noise.fwell_neighbours import margins
from discreet.methods.noise.private_fwell_blocks import clipped, common_codes, longest, n_blocks, of_blocks
from discreet.methods.noise.private_fwell_ranks import rank_scores
from discreet.methods.noise.private_fwell_splits import UNIT, levels, picked_splits, split_scores
from discreet.methods.noise.private_rows import baskets_of, classes_of, labels_of, numbers, persons_of, some_rows
from discreet.methods.noise.private_select import SEEDED
from discreet.methods.noise.weighting import BOUNDS, N_FEATURES, Weighter, limits, scaled, spread
from discreet.privacy.differential_privacy import DifferentialPrivacy
from discreet.privacy.noise import FINITE, KEY
from discreet.recoding.public_domain import check_roles
from discreet.release.release import Release

AS_PUBLISHED = (
    "As published, Private FWELL is not differentially private: one row may be the neighbour of all others. Its weights"
    " are for studies, not for release; the other values of `neighbours` keep the promise."
)
ONE_ROW_EACH = (
    "Of a person with several rows one is drawn, which 'ranks' and 'splits' allow: the proofs of the other values of"
    " `neighbours` do not. Choose one of the two, or bring the rows of a person together and name no person."
)
NO_BOUNDS = "The bounds are read from the rows, and tell about them. Give public bounds for a release."
PICKING = ("ranks", "splits")  # ways that pick columns by name
_ENOUGH = 300  # rows times epsilon for each pick, from which "auto" takes splits
_SLACK = 1e-3  # of the sensitivity, for a minimiser that is not exact and for rounding


class PrivateFwell(Weighter, Method):
    """Weights of features that hide every single row.

    Parameters
    ----------
    epsilon : float in (0, inf)
    regularization : float in (0, inf)
        As of `Fwell`; "ranks" and "splits" have no use for it.
    bounds : pair (low, high) of numbers, or of one number for each column, or mapping of columns to pairs, or None
        Public bounds of the cells; cells beyond are brought back to them. "ranks" needs none.
    neighbours : "auto", "ranks", "splits", "blocks", "reference" or "as-published"
        Where the nearest hits and misses of a row are sought: nowhere, columns are ranked or split instead ("auto":
        split if there are bounds, and rows times epsilon is at least 300 for each pick); in its block of rows; in a
        public sample; among all rows, which is not private.
    reference : pair (X, y) or None
        The public sample, for "reference": rows of persons whom the promise does not cover.
    blocks : int or None
        How many, for "blocks"; None makes blocks of about ten rows.
    clip : float in (0, inf)
        The largest norm of a margin; longer ones are shortened. Cells count as 0 to 1.
    n_features : int or None
        How many features are kept; None stands for a tenth. "ranks" and "splits" give so many a weight above zero.
    random_state : int or None
        With a seed the noise is a simulation: it warns, and nothing can be released.

    Attributes
    ----------
    weights_ : the weight of each feature, with noise; of "ranks" and "splits" 1 for the first pick, falling to 0 for no
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
    _parameter_constraints: ClassVar[dict] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "regularization": REGULARIZATION,
        "bounds": BOUNDS,
        "neighbours": [StrOptions({"auto", *PICKING, "blocks", "reference", "as-published"})],
        "reference": [None, tuple, list],
        "blocks": [None, Interval(Integral, 1, None, closed="left")],
        "clip": [Interval(Real, 0, None, closed="neither")],
        "n_features": N_FEATURES,
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        epsilon=1.0,
        regularization=0.1,
        bounds=None,
        *,
        neighbours="auto",
        reference=None,
        blocks=None,
        clip=1.0,
        n_features=None,
        random_state=None,
    ):
        self.epsilon = epsilon
        self.regularization = regularization
        self.bounds = bounds
        self.neighbours = neighbours
        self.reference = reference
        self.blocks = blocks
        self.clip = clip
        self.n_features = n_features
        self.random_state = random_state

    @property
    def promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon, 0.0 if self.neighbours in ("auto", *PICKING) else FINITE)

    def fit(self, X, y):
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True  # no cell is refused
        return tags

    def _release(self, data: object, roles: object, y: object) -> Release:
        """As of every method, and `release(X, y)` of a matrix of numbers."""
        if isinstance(roles, Roles) or not (sp.issparse(data) or isinstance(data, np.ndarray)):
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
        kinds: list[tuple[str, str]] = [(name, table.declared(name) or "number") for name in roles.quasi]
        named = [name for name, kind in kinds if kind == "category"]
        if named:
            raise DataError(f"Only numbers have weights; {listing(named)} are declared categories. Make 0/1 columns.")
        cells = np.column_stack([table.cells(name).line for name in roles.quasi])
        target = table.cells(str(roles.target))
        texts = [*target.texts, None]
        persons = None if roles.person is None else persons_of(table.cells(roles.person))
        return self._release_weights(cells, [texts[code] for code in target.codes], kinds, persons)

    def _release_weights(
        self, X: Any, labels: list[str | None], columns: list[tuple[str, str]], persons: np.ndarray | None
    ) -> Release:
        randomness = Randomness(self.random_state)
        for wrong in self._leaks(randomness):
            raise CannotRelease(wrong)
        if persons is not None and self.way(*X.shape) not in PICKING:
            raise CannotRelease(ONE_ROW_EACH)
        weights, mechanism = self._weigh(X, labels, [name for name, _ in columns], randomness, persons)
        said = {"weights": weights.tolist(), KEY: [asdict(mechanism.noise)]}
        return self._release_document(
            Document.of("weights", [(name, "quasi", kind) for name, kind in columns], said), None, []
        )

    def _leaks(self, randomness: Randomness) -> list[str]:
        """What keeps the weights of this run from being private."""
        leaks = [SEEDED] if randomness.seeded else []
        leaks += [AS_PUBLISHED] if self.neighbours == "as-published" else []
        return leaks + ([NO_BOUNDS] if self.neighbours not in ("auto", "ranks") and self.bounds is None else [])

    def _public_parameters(self) -> dict:
        """As certificates show them; of a public sample its size."""
        plain = super()._public_parameters()
        return plain if self.reference is None else {**plain, "reference": f"{len(self.reference[1])} rows"}

    # -- the weights -----------------------------------------------------------------------------------------------

    def way(self, rows: int, columns: int) -> str:
        """What `neighbours` stands for. Only what is public decides."""
        if self.neighbours != "auto":
            return self.neighbours
        enough = rows * self.epsilon >= _ENOUGH * self._picks(columns)
        return "splits" if enough and self.bounds is not None else "ranks"

    def _picks(self, columns: int) -> int:
        return max(1, columns // 10) if self.n_features is None else int(self.n_features)

    def mechanism(self, rows: int, columns: int) -> Mechanism:
        """The noise for a table of so many rows and columns; the sensitivities are proved in the documentation."""
        way = self.way(rows, columns)
        if way in PICKING:
            change = 2 * rows - 3 if way == "ranks" else UNIT
            return Exponential(sensitivity=change, epsilon=self.epsilon, picks=self._picks(columns))
        if self.neighbours == "blocks":
            sensitivity = 2 * longest(self.clip, self.regularization) / n_blocks(rows, self.blocks)
        else:
            sensitivity = self.clip / (self.regularization * rows)
        factor = 2 if self.neighbours == "as-published" else 1 + _SLACK
        return Euclidean(sensitivity=factor * sensitivity, epsilon=self.epsilon, dimension=columns)

    def statistic(self, X: Any, labels: Any, names: list[str], way: str | None = None) -> np.ndarray:
        """What the noise is put on; between neighbours it changes by the sensitivity of `mechanism` at most.

        Missing cells are NaN. They count as larger than all others ("ranks"), or as the middle of the bounds. Of
        "splits" these are the scores of the first pick, a line of cuts for each column.
        """
        classes, way = classes_of(labels), way or self.way(*X.shape)
        if way == "ranks":
            return rank_scores(_filled(X, np.full(X.shape[1], np.inf)), classes)
        X, low, high = self._within(X, names)
        if way == "splits":
            return split_scores(levels(X, low, high), np.zeros_like(classes), classes)
        X = scaled(X, low, high)
        if self.neighbours == "blocks":
            blocks = n_blocks(len(classes), self.blocks)
            return of_blocks(X, classes, blocks, self.regularization, self.clip)
        if self.neighbours == "as-published":
            z = margins(X, classes)
        else:
            others, other_labels = self._sample(X)
            classes, other_classes = common_codes(labels, other_labels)
            z = margins(X, classes, scaled(others, low, high), other_classes)
        return minimiser(clipped(z, self.clip), self.regularization, _SLACK / 2 * self.clip / len(classes))[0]

    def _within(self, X: Any, names: list[str]) -> tuple[Any, np.ndarray, np.ndarray]:
        """The cells without missing ones, and their bounds. What is refused depends on the bounds alone."""
        low, high = limits(self.bounds, names) if self.bounds is not None else spread(_filled(X, np.zeros(X.shape[1])))
        if sp.issparse(X) and self.bounds is not None and (np.clip(0.0, low, high) != 0).any():
            raise ParameterError("Sparse rows have zeros: give bounds with the zero between them, or dense rows.")
        return _filled(X, (low + high) / 2), low, high

    def _sample(self, X: Any) -> tuple[Any, np.ndarray]:
        """The public sample, as dense or as sparse as X."""
        made, _ = quietly(_matrices, self.reference, sp.issparse(X))
        if made is None or made[0].shape[1] != X.shape[1] or made[0].shape[0] != len(made[1]):
            raise ParameterError(
                f"neighbours='reference' needs a public sample: reference=(rows, labels), numbers in {X.shape[1]}"
                " columns without missing ones, and as many labels as rows."
            )
        return made

    def _weigh(
        self, X: Any, labels: Any, names: list[str], randomness: Randomness, persons: np.ndarray | None = None
    ) -> tuple[np.ndarray, Mechanism]:
        rows, columns = X.shape  # public; of each person one row is used
        if rows < 2 or columns < (self.n_features or 1):
            raise CannotRelease(f"{self.n_features or 1} of {columns} features were asked, from {rows} rows.")
        way, mechanism = self.way(rows, columns), self.mechanism(rows, columns)
        if persons is not None:
            kept = some_rows(persons, 1, randomness)
            X, labels = X[kept], [labels[row] for row in kept]
        if isinstance(mechanism, Exponential) and way == "splits":
            drawn = picked_splits(levels(*self._within(X, names)), classes_of(labels), mechanism, randomness)
        else:
            drawn = mechanism.apply(self.statistic(X, labels, names, way), randomness)
        if way not in PICKING:
            return drawn, mechanism
        weights = np.zeros(columns)
        weights[drawn] = 1 - np.arange(len(drawn)) / len(drawn)
        return weights, mechanism


def _matrices(reference: Any, sparse: bool) -> tuple[Any, np.ndarray]:
    rows, labels = reference
    cells = rows.toarray() if sp.issparse(rows) else np.asarray(rows, dtype=float)
    if not np.isfinite(cells).all():
        raise ValueError
    return (sp.csr_array(cells) if sparse else cells), np.asarray(labels)


def _filled(X: Any, middle: np.ndarray) -> Any:
    """X with these numbers, one for each column, in place of missing ones."""
    if not sp.issparse(X):
        return np.where(np.isnan(X), middle, X)
    return sp.csr_array((np.where(np.isnan(X.data), middle[X.indices], X.data), X.indices, X.indptr), shape=X.shape)
