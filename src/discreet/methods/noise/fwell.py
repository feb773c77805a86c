# SPDX-License-Identifier: Apache-2.0
"""FWELL: weights of features that bring each row near its nearest hit and far from its nearest miss.

Paper: J. Yang, Y. Li, "Differentially Private Feature Selection", Algorithm 1.

Departures from the paper:

1. The weights are the minimiser of the paper's objective, and `gradient_norm_` proves how near they are to it.
   Algorithm 1 makes one pass of steps of length 1, which depends on the order of the rows and ends up anywhere near
   the minimiser or far from it; it is there as `solver="one-pass"`.
2. Cells are scaled to bounds first: a distance that adds up metres and years means nothing. The paper does not say
   how its data were scaled.
3. The margins z are not normalised; the paper's proof needs them to be, its algorithm does not.
4. Ties of distances go to the lowest row; more than two classes are allowed: a miss is a row of any other class.
5. The regularization is chosen by how well held-out rows are classified, unless it is given; the paper does not say how
   it was set. Then margins are means over ten or a hundred nearest hits and misses, not one, which vary less from
   sample to sample; which of them is chosen, too, and for sparse rows whether distances are Manhattan's or cosines.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.foundation.estimators import Estimator
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.methods.noise.fwell_choice import Variant, best_variant, variants
from discreet.methods.noise.fwell_neighbours import margins_to
from discreet.methods.noise.margin_loss import gradient, minimiser, one_pass
from discreet.methods.noise.weighting import BOUNDS, N_FEATURES, Weighter, limits, scaled, spread

REGULARIZATION = [Interval(Real, 0, None, closed="neither")]


class Fwell(Weighter, Estimator):
    """Feature weighting by local learning. No privacy is promised, so it has no `release`; see `PrivateFwell`.

    Parameters
    ----------
    regularization : float in (0, inf), or "auto"
        The factor of the squared norm of the weights. "auto" tries several on parts of the rows and takes the one whose
        features classify the other rows best by their nearest neighbours.
    bounds : pair (low, high) of numbers, or of one number for each column, or None
        To which cells are scaled; cells beyond are brought back to them. None takes the least and the largest number
        of each column.
    solver : "exact" or "one-pass"
        The minimiser, or Algorithm 1 as printed.
    n_features : int or None
        How many features `transform` keeps; None stands for a tenth.
    tolerance : float in (0, inf)
        The norm of the gradient at which the minimiser is near enough.
    n_neighbors : int in [1, inf), or None
        Margins are means over so many nearest hits and misses. None: one, as in the paper, where the regularization is
        given; else ten or a hundred, chosen with it.
    metric : "manhattan", "cosine" (sparse rows), or None
        Which rows are near. None: Manhattan distance, as in the paper, where the regularization is given; else, for
        sparse rows, chosen with it.

    Attributes
    ----------
    weights_ : the weight of each feature; the larger, the more it tells the classes apart
    regularization_, n_neighbors_, metric_ : what was used
    held_out_ : of each way that was tried, the share of held-out rows classified rightly; empty if none was
    gradient_norm_ : norm of the objective's gradient at `weights_`. They are within gradient_norm_ /
        (2 regularization_) of the exact minimiser, in the Euclidean norm, up to rounding.

    Examples
    --------
    >>> X = [[0, 0.2], [0.1, 0.9], [0.9, 0.3], [1, 0.8]]
    >>> weighted = Fwell(regularization=0.1, n_features=1).fit(X, ["well", "well", "ill", "ill"])
    >>> weighted.weights_.round(2).tolist(), weighted.get_support().tolist()
    ([0.88, -0.78], [True, False])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "regularization": [*REGULARIZATION, StrOptions({"auto"})],
        "bounds": BOUNDS,
        "solver": [StrOptions({"exact", "one-pass"})],
        "n_features": N_FEATURES,
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [StrOptions({"manhattan", "cosine"}), None],
    }

    def __init__(
        self,
        regularization: float | str = "auto",
        *,
        bounds: Any = None,
        solver: str = "exact",
        n_features: int | None = None,
        tolerance: float = 1e-9,
        n_neighbors: int | None = None,
        metric: str | None = None,
    ) -> None:
        self.regularization = regularization
        self.bounds = bounds
        self.solver = solver
        self.n_features = n_features
        self.tolerance = tolerance
        self.n_neighbors = n_neighbors
        self.metric = metric

    def fit(self, X: Any, y: Any) -> Self:
        """Weigh the columns of X, numbers dense or scipy sparse, by how they tell the labels y apart."""
        check_parameters(self, self._parameter_constraints)
        X, y = self._rows(X, y)
        _, classes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(counts) < 2 or counts.min() < 2:
            raise DataError(
                f"Every row needs another one of its class and one of another class. There are {len(counts)} classes,"
                f" {np.count_nonzero(counts < 2)} of them with a single row."
            )
        ends = spread(X) if self.bounds is None else limits(self.bounds, [str(j) for j in range(X.shape[1])])
        X = scaled(X, *ends)
        chosen, self.held_out_ = best_variant(X, classes, self._variants(is_sparse(X)), self.n_features)
        self.regularization_, self.n_neighbors_, self.metric_ = chosen
        z = margins_to(X, classes, self.n_neighbors_, self.metric_)
        if self.solver == "exact":
            self.weights_, self.gradient_norm_ = minimiser(z, self.regularization_, self.tolerance)
        else:
            self.weights_ = one_pass(z, self.regularization_)
            self.gradient_norm_ = float(np.linalg.norm(gradient(z, self.regularization_, self.weights_)))
        return self

    def _variants(self, sparse: bool) -> list[Variant]:
        if self.metric == "cosine" and not sparse:
            raise ParameterError("metric='cosine' is for sparse rows; dense ones are compared by Manhattan distance.")
        if not isinstance(self.regularization, str):
            return [Variant(float(self.regularization), self.n_neighbors or 1, self.metric or "manhattan")]
        return variants(self.n_neighbors, self.metric, sparse=sparse)
