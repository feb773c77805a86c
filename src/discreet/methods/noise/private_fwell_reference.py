# SPDX-License-Identifier: Apache-2.0
"""Weights from margins to the nearest hits and misses in a public sample: one row moves its own margin alone.

Proofs: docs/methods/private_fwell.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import ParameterError, quietly
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.mechanisms.euclidean import Euclidean
from discreet.methods.noise.margin_loss import minimiser
from discreet.methods.noise.margins import margins
from discreet.methods.noise.private_fwell_blocks import clipped
from discreet.methods.noise.private_fwell_strategy import SLACK, Strategy
from discreet.methods.noise.private_rows import classes_of
from discreet.methods.noise.weighting import scaled


class ReferenceStrategy(Strategy):
    """Seek nearest hits and misses in a public sample."""

    key = "reference"
    factor = 1 + SLACK

    def mechanism(self, rows: int, columns: int) -> Euclidean:
        s = self.settings
        sensitivity = s.clip / (s.regularization * rows)
        return Euclidean(sensitivity=self.factor * sensitivity, epsilon=s.epsilon, dimension=columns)

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        s, rows = self.settings, len(labels)
        z = self._margins(labels, *self._within(X, names))
        return minimiser(clipped(z, s.clip), s.regularization, SLACK / 2 * s.clip / rows)[0]

    def _margins(self, labels: Any, X: Any, low: np.ndarray, high: np.ndarray) -> Any:
        others, other_labels = self._sample(X)
        classes, other_classes = common_codes(labels, other_labels)
        return margins(scaled(X, low, high), classes, scaled(others, low, high), other_classes)

    def _sample(self, X: Any) -> tuple[Any, np.ndarray]:
        """The public sample, as dense or as sparse as X."""
        sample, _ = quietly(_matrices, self.settings.reference, is_sparse(X))
        if sample is None or sample[0].shape[1] != X.shape[1] or sample[0].shape[0] != len(sample[1]):
            raise ParameterError(
                f"strategy='reference' needs a public sample: reference=(rows, labels), numbers in {X.shape[1]}"
                " columns without missing ones, and as many labels as rows."
            )
        return sample


def _matrices(reference: Any, sparse: bool) -> tuple[Any, np.ndarray]:
    rows, labels = reference
    cells = rows.toarray() if is_sparse(rows) else np.asarray(rows, dtype=float)
    if not np.isfinite(cells).all():
        raise ValueError
    return (sp.csr_array(cells) if sparse else cells), np.asarray(labels)


def common_codes(labels: Any, others: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two lists of labels as codes of the same classes; what counts is how a label is read by itself.

    >>> [codes.tolist() for codes in common_codes(["a", "b"], ["b", "c"])]
    [[0, 1], [1, 2]]
    """
    codes = classes_of([*_listed(labels), *_listed(others)])
    return codes[: len(labels)], codes[len(labels) :]


def _listed(labels: Any) -> list[Any]:
    return list(labels.tolist() if isinstance(labels, np.ndarray) else labels)
