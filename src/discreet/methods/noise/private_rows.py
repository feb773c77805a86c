# SPDX-License-Identifier: Apache-2.0
"""Rows as differentially private methods take them: every cell is read by itself, and a person has few rows.

A refusal tells what it depends on. So only shapes, types of whole arrays and names are refused here; whatever a cell,
a label or a person's id holds, there is a way to count it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.cells import Cells
from discreet.data.dataset import as_baskets
from discreet.data.reading import Marks
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, DataError, PrivacyLeakWarning, RolesError, quietly
from discreet.foundation.estimators import validate_data
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.parameters import check_parameters
from discreet.foundation.randomness import Randomness
from discreet.recoding.public_domain import NOT_PUBLIC, check_roles

_NO_MARKS = Marks.of(())


SEEDED = (
    "A seed was given, so the noise is a simulation that whoever knows the seed can repeat: nothing is private about"
    " it. Leave random_state out for a release."
)


def simulation(method: Any, data: object, roles: Roles) -> tuple[Randomness, Table]:
    """The randomness and the rows of a simulation, with warnings of what is not private about it."""
    check_parameters(method, method._parameter_constraints)
    randomness, table = Randomness(method.random_state), Table.by_cells(data)
    check_roles(table, roles)
    if randomness.seeded:
        warnings.warn(SEEDED, PrivacyLeakWarning, stacklevel=3)
    if method.domain is None:
        warnings.warn(str(CannotRelease(*NOT_PUBLIC)), PrivacyLeakWarning, stacklevel=3)
    return randomness, table


def numbers(X: Any, estimator: Any = None) -> Any:
    """A matrix of doubles, dense or CSR; what is no finite number is not-a-number. Its shape is scikit-learn's matter.

    >>> numbers(np.array([[1, "x"], ["2.5", None]], dtype=object)).tolist()
    [[1.0, nan], [2.5, nan]]
    """
    if estimator is not None:
        X = validate_data(estimator, X, accept_sparse="csr", ensure_min_samples=2, dtype=None, ensure_all_finite=False)
    if is_sparse(X):
        cells = sp.csr_array(X, dtype=np.float64, copy=True)
        cells.sum_duplicates()
        cells.data = np.where(np.isfinite(cells.data), cells.data, np.nan)
        return cells
    X = np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"A matrix of rows and columns is needed; an array of {X.ndim} dimensions was given.")
    if X.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            doubles = X.astype(np.float64)
        return np.where(np.isfinite(doubles), doubles, np.nan)
    return Cells.of(X.ravel().tolist()).line.reshape(X.shape)


def ones(X: Any, estimator: Any = None) -> sp.csr_array:
    """A matrix of 0/1 cells: a number other than zero is a one, everything else a zero.

    >>> ones(np.array([[0, 2.0], [np.nan, 1]])).toarray().tolist()
    [[0, 1], [0, 1]]
    """
    cells = numbers(X, estimator)
    if is_sparse(cells):
        cells.data = np.nan_to_num(cells.data)
    has = sp.csr_array(cells if is_sparse(cells) else np.nan_to_num(cells))
    has.eliminate_zeros()
    has.sort_indices()
    return sp.csr_array((np.ones(has.nnz, dtype=np.uint8), has.indices, has.indptr), shape=has.shape)


def labels_of(y: Any, rows: int) -> list[str | None]:
    """The label of each row as it is read by itself; None where it is missing.

    >>> labels_of(["True", True, "true", "unknown", float("nan")], 5)
    ['true', 'true', 'true', 'unknown', None]
    """
    if y is None:
        raise RolesError("This method requires y to be passed, but the target y is None: it needs labels, (X, y).")
    if not hasattr(y, "__len__"):
        y = np.asarray(y)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=3)
        y = np.asarray(y).ravel()
    n, _ = quietly(len, y)
    if getattr(y, "ndim", 1) != 1 or n != rows:
        raise DataError(f"y should be a 1d array with one label for each of the {rows} rows.")
    if isinstance(y, tuple):
        y = list(y)
    cells = Table.of({"y": y}, empty=True).cells("y")
    texts = [*cells.texts, None]
    return [texts[code] for code in cells.codes]


def classes_of(labels: Any) -> np.ndarray:
    """Labels as codes; a missing label is a class of its own."""
    return Cells.of(labels if isinstance(labels, np.ndarray) else list(labels), marks=_NO_MARKS).codes


def baskets_of(X: Any, y: Any) -> tuple[Baskets, list[str | None]]:
    """Baskets of a matrix, whatever its cells hold, or the baskets that came; and the label of each row."""
    baskets = as_baskets(X)
    if baskets is not None:
        return baskets, labels_of(baskets.label_values if y is None else y, len(baskets))
    matrix = ones(X)
    return Baskets(matrix, tuple(f"x{j}" for j in range(matrix.shape[1]))), labels_of(y, matrix.shape[0])


# -- persons -----------------------------------------------------------------------------------------------------------


def persons_of(cells: Cells) -> np.ndarray:
    """A number for the person of each row; a row without an id is a person of its own.

    >>> persons_of(Cells.of(["a", None, "b", None, "a"])).tolist()
    [0, 2, 1, 3, 0]
    """
    texts, codes = cells.identities
    codes, n_texts = codes.astype(np.int64), len(texts)
    nobody = codes == n_texts
    codes[nobody] = n_texts + np.arange(np.count_nonzero(nobody))
    return codes


def some_rows(persons: np.ndarray, most: int, randomness: Randomness) -> np.ndarray:
    """Of each person the rows of the highest priority, at most so many. A row's priority is drawn before anyone looks.

    So with the priorities fixed, what one person has does not touch another's rows; and where one row changes its
    person, at most one row leaves and at most one comes.
    """
    return best_rows(persons, randomness.uint64(len(persons)), most)


def best_rows(persons: np.ndarray, priority: np.ndarray, most: int) -> np.ndarray:
    """Of each person the rows of the highest priority, at most so many: of the smallest numbers."""
    order = np.lexsort((priority, persons))
    ordered = persons[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(order) else np.empty(0, dtype=int)
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return np.sort(order[rank < most])
