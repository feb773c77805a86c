# SPDX-License-Identifier: Apache-2.0
"""Sparse 0/1 data: which items each person has, with a label. From matrices, transactions, one-hot columns, text."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from discreet.data.table import Table
from discreet.errors import DataError, RolesError, listing


@dataclass(frozen=True, eq=False)
class Baskets:
    """Rows of items. `matrix` is CSR with sorted indices and ones only; `labels[row]` indexes `classes`.

    `sources[j]` names the table column that item j was made from, when there is one; `persons` numbers the persons
    when several rows may belong to one.

    >>> b = Baskets.of([[1, 0, 1], [1, 1, 0]], ["yes", "no"], names=["milk", "tea", "rye"])
    >>> b.shape, b.classes.tolist(), b.items(0)
    ((2, 3), ['no', 'yes'], ('milk', 'rye'))
    """

    matrix: sp.csr_array
    names: tuple[str, ...]
    labels: np.ndarray | None = None
    classes: np.ndarray | None = None
    sources: tuple[str, ...] | None = None
    persons: np.ndarray | None = None

    # -- in --------------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, X: object, y: object = None, *, names: Iterable[str] | None = None, persons: object = None) -> Baskets:
        """Baskets from a scipy or NumPy 0/1 matrix, a data frame of 0/1 columns, or baskets (with other labels)."""
        if isinstance(X, Baskets):
            return X if y is None else X.labelled(y)
        if names is None:
            names = getattr(X, "columns", None)
        matrix = binary_csr(X)
        names = tuple(f"x{j}" for j in range(matrix.shape[1])) if names is None else tuple(map(str, names))
        if len(names) != matrix.shape[1]:
            raise DataError(f"{len(names)} names were given for {matrix.shape[1]} columns.")
        if len(set(names)) < len(names):
            raise DataError(f"Item names must differ; {len(names) - len(set(names))} of {len(names)} repeat another.")
        numbered = None if persons is None else np.unique(np.asarray(persons), return_inverse=True)[1]
        if numbered is not None and len(numbered) != matrix.shape[0]:
            raise DataError(f"{len(numbered)} persons were given for {matrix.shape[0]} rows.")
        baskets = cls(matrix, names, persons=numbered)
        return baskets if y is None else baskets.labelled(y)

    @classmethod
    def from_transactions(
        cls, source: str | os.PathLike | Iterable[Iterable[object]], y: object = None, *, separator: str | None = None
    ) -> Baskets:
        """One row per line, items separated by white space (or `separator`); or an iterable of item collections.

        An empty line is a row without items. Items that are all whole numbers are ordered as numbers.
        """
        if isinstance(source, (str, os.PathLike)):
            rows: Iterable[Iterable[object]] = (line.split(separator) for line in _lines(Path(source)))
        else:
            rows = source
        number: dict[str, int] = {}
        indices, indptr = [], [0]
        for row in rows:
            items = {number.setdefault(item, len(number)) for item in (str(item).strip() for item in row) if item}
            indices.extend(items)
            indptr.append(len(indices))
        if len(indptr) == 1 or not number:
            raise DataError("There are no items in the transactions: nothing can be selected from them.")
        whole = all(item.isdigit() for item in number)
        names = sorted(number, key=int if whole else str)
        place = np.empty(len(number), dtype=np.int32)
        place[[number[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        matrix = sp.csr_array(
            (np.ones(len(indices), np.uint8), place[np.asarray(indices, dtype=np.int64)], np.asarray(indptr)),
            shape=(len(indptr) - 1, len(names)),
        )
        return cls.of(matrix, y, names=names)

    @classmethod
    def from_columns(cls, table: object, *, target: str | None = None, columns: Sequence[str] | None = None) -> Baskets:
        """Baskets from the 0/1 columns of a table (`target` gives the labels)."""
        table = Table.of(table)
        columns = [name for name in (columns or table.names) if name != target]
        cover, bad = [], []
        for column in table.columns(columns):
            is_one = np.array([text in ("1", "true") for text in column.texts] + [False])
            fine = not column.has_missing and set(column.texts) <= {"0", "1", "true", "false"}
            cover.append(np.flatnonzero(is_one[column.codes]))
            if not fine:
                bad.append(column.name)
        if bad:
            raise DataError(
                f"Baskets need 0/1 cells without missing values; {len(bad)} of {len(columns)} columns have others:"
                f" {listing(bad)}. Binarise them first (discreet.prepare)."
            )
        indptr = np.cumsum([0, *map(len, cover)])
        indices = np.concatenate(cover) if cover else np.empty(0, np.int64)
        matrix = sp.csc_array((np.ones(len(indices), np.uint8), indices, indptr), shape=(len(table), len(columns)))
        label = None if target is None else np.asarray(table.column(target).to_arrow().to_pylist())
        return cls.of(matrix.tocsr(), label, names=columns)

    @classmethod
    def from_text(cls, texts: Iterable[str], y: object = None, **vectorizer) -> Baskets:
        """Which words each text has, by scikit-learn's CountVectorizer (its options are passed on)."""
        from sklearn.feature_extraction.text import CountVectorizer

        words = CountVectorizer(binary=True, **vectorizer)
        try:
            matrix = words.fit_transform(texts)
        except ValueError:
            raise DataError("The texts hold no words that the vectoriser keeps.") from None
        return cls.of(sp.csr_array(matrix), y, names=words.get_feature_names_out())

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Baskets({rows} rows, {columns} items, {self.matrix.nnz} ones)"

    @cached_property
    def columns(self) -> sp.csc_array:
        """The same matrix by columns: `indices[indptr[j]:indptr[j+1]]` are the rows that have item j."""
        return self.matrix.tocsc()

    @cached_property
    def support(self) -> np.ndarray:
        """Rows that have each item."""
        return np.diff(self.columns.indptr)

    def items(self, row: int) -> tuple[str, ...]:
        start, stop = self.matrix.indptr[row : row + 2]
        return tuple(self.names[j] for j in self.matrix.indices[start:stop])

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    # -- changing --------------------------------------------------------------------------------------------------

    def labelled(self, y: object) -> Baskets:
        """These rows with the labels y, of two classes or more."""
        y = np.asarray(y)
        if y.ndim != 1 or len(y) != len(self):
            raise DataError(f"{len(y) if y.ndim else 0} labels were given for {len(self)} rows.")
        missing = sum(value is None or value != value for value in y.tolist())
        if missing:
            raise DataError(f"{missing} of {len(y)} labels are missing. Drop those rows first.")
        classes, labels = np.unique(y, return_inverse=True)
        return replace(self, labels=labels.astype(np.int32), classes=classes)

    def keep(self, features: Sequence[int]) -> Baskets:
        """The projection on these columns, in this order."""
        features = list(features)
        matrix = sp.csr_array(self.columns[:, features]) if features else sp.csr_array((len(self), 0), dtype=np.uint8)
        matrix.sort_indices()
        sources = None if self.sources is None else tuple(self.sources[j] for j in features)
        return replace(self, matrix=matrix, names=tuple(self.names[j] for j in features), sources=sources)

    def take(self, rows: np.ndarray) -> Baskets:
        labels = None if self.labels is None else self.labels[rows]
        persons = None if self.persons is None else self.persons[rows]
        return replace(self, matrix=self.matrix[rows], labels=labels, persons=persons)

    def check_for_release(self) -> None:
        if self.labels is None:
            raise RolesError("A release of baskets needs labels: release(X, y).")
        if self.n_classes < 2:
            raise RolesError("The labels have one class only: there is nothing to learn from them.")


def binary_csr(X: object) -> sp.csr_array:
    """A checked CSR matrix of ones: no missing, no other number, no repeated cell."""
    if hasattr(X, "to_numpy") and not sp.issparse(X):
        X = X.to_numpy()
    if sp.issparse(X):
        matrix = sp.csr_array(X, copy=True)
        matrix.sum_duplicates()
        cells = matrix.data
    else:
        dense = np.asarray(X)
        if dense.ndim != 2:
            raise DataError(f"Baskets need a matrix of rows and columns; an array of {dense.ndim} dimensions was given.")
        if dense.dtype == object or dense.dtype.kind in "US":
            try:
                dense = dense.astype(np.float64)
            except (TypeError, ValueError):
                raise DataError("Baskets need 0/1 cells; the matrix holds text or missing values.") from None
        cells, matrix = dense, None
    if cells.dtype.kind == "f" and np.isnan(cells).any():
        raise DataError(f"Baskets need 0/1 cells without missing values; {int(np.isnan(cells).sum())} are missing.")
    wrong = int(((cells != 0) & (cells != 1)).sum())
    if wrong:
        raise DataError(
            f"Baskets need 0/1 cells; {wrong} cells hold something else. Counts can be binarised with (X > 0)."
        )
    if matrix is None:
        matrix = sp.csr_array(cells.astype(np.uint8))
    matrix.eliminate_zeros()
    matrix.sort_indices()
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise DataError(f"Baskets need rows and columns; {matrix.shape[0]} x {matrix.shape[1]} was given.")
    ones = np.ones(matrix.nnz, dtype=np.uint8)
    return sp.csr_array((ones, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)), shape=matrix.shape)


def _lines(path: Path) -> Iterable[str]:
    if not path.exists():
        raise DataError(f"There is no file {path.name!r}. Check the path.")
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    try:
        with opened as file:
            yield from file
    except UnicodeDecodeError:
        raise DataError(f"{path.name!r} is not a text file of transactions (one row per line, UTF-8).") from None
