# SPDX-License-Identifier: Apache-2.0
"""Sparse records of non-negative numbers: how often each item or word occurs, with a label. Sketches are of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from discreet.data.baskets import Baskets
from discreet.errors import DataError, quietly

_ITEMS, _COUNTS = "items", "counts"  # the columns of the owner's file
_LARGEST = 2**31 - 1  # of the sum of a record, so that every component of its sketch is a 32-bit number


@dataclass(frozen=True, eq=False)
class Records:
    """Rows of counts. `matrix` is CSR with sorted indices and cells above zero, whole numbers (int32) or float64.

    >>> r = Records.of([[2, 0, 1], [0, 3, 0]], ["yes", "no"])
    >>> r.shape, r.matrix.data.tolist(), r.whole
    ((2, 3), [2, 1, 3], True)
    """

    matrix: sp.csr_array
    names: tuple[str, ...]
    labels: np.ndarray | None = None
    classes: np.ndarray | None = None
    persons: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, y: Any = None, *, names: Iterable[str] | None = None) -> Records:
        """Records from a scipy or NumPy matrix of non-negative numbers, from baskets, or from records."""
        if isinstance(X, Records):
            return X if y is None else X.labelled(y)
        if isinstance(X, Baskets):
            baskets = X if y is None else X.labelled(y)
            records = cls(counts_csr(baskets.matrix), baskets.names)
            return replace(records, labels=baskets.labels, classes=baskets.classes, persons=baskets.persons)
        matrix = counts_csr(X)
        named = tuple(f"x{j}" for j in range(matrix.shape[1])) if names is None else tuple(map(str, names))
        if len(named) != matrix.shape[1] or len(set(named)) < len(named):
            raise DataError(
                f"{matrix.shape[1]} different names of items are needed; {len(set(named))} different ones were given."
            )
        records = cls(matrix, named)
        return records if y is None else records.labelled(y)

    @classmethod
    def from_text(cls, texts: Iterable[str], y: Any = None, *, vectorizer: Any = None) -> Records:
        """How often each text has each word, by scikit-learn's CountVectorizer or another of its vectorisers."""
        from sklearn.feature_extraction.text import CountVectorizer

        texts = [] if isinstance(texts, (str, bytes)) else list(texts)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise DataError("Records from text need a list of texts, one for every row, none of them missing.")
        words = CountVectorizer() if vectorizer is None else vectorizer
        matrix, failure = quietly(words.fit_transform, texts)
        if matrix is None:
            raise DataError(f"The vectoriser cannot use the texts ({failure}).")
        names = words.get_feature_names_out() if hasattr(words, "get_feature_names_out") else None
        return cls.of(matrix, y, names=names)

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Records({rows} rows, {columns} items, {self.matrix.nnz} cells)"

    @property
    def whole(self) -> bool:
        """Whether all cells are whole numbers."""
        return self.matrix.dtype.kind == "i"

    @cached_property
    def ones(self) -> np.ndarray:
        """The number of cells above zero of each record."""
        return np.diff(self.matrix.indptr)

    @cached_property
    def lengths(self) -> np.ndarray:
        """The squared length of each record, the sum of its squared cells."""
        return self.sums_of(self._squares)

    @cached_property
    def spread(self) -> np.ndarray:
        """The squared length without the largest cell: the least variance with which one component tells a cell."""
        largest = np.zeros(len(self), dtype=self._squares.dtype)
        filled = np.flatnonzero(self.ones)
        if len(filled):
            largest[filled] = np.maximum.reduceat(self._squares, self.matrix.indptr[filled])
        return self.lengths - largest

    @cached_property
    def _squares(self) -> np.ndarray:
        return self.matrix.data.astype(np.int64 if self.whole else np.float64) ** 2

    def sums_of(self, cells: np.ndarray) -> np.ndarray:
        """The sum of a number per cell, for each record."""
        summed = np.zeros(len(self), dtype=cells.dtype)
        filled = np.flatnonzero(self.ones)
        if len(filled):
            summed[filled] = np.add.reduceat(cells, self.matrix.indptr[filled])
        return summed

    def labelled(self, y: Any) -> Records:
        labelled = Baskets(sp.csr_array((len(self), 1), dtype=np.uint8), ("x",)).labelled(y)
        return replace(self, labels=labelled.labels, classes=labelled.classes)

    def take(self, rows: np.ndarray) -> Records:
        labels = None if self.labels is None else self.labels[rows]
        persons = None if self.persons is None else np.unique(self.persons[rows], return_inverse=True)[1]
        return replace(self, matrix=self.matrix[rows], labels=labels, persons=persons)

    # -- the owner's file ------------------------------------------------------------------------------------------

    def write(self, path: Path) -> None:
        """As Parquet: two lists for every record, its items and their counts."""
        offsets = pa.array(self.matrix.indptr, pa.int32())
        lists = [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (self.matrix.indices, self.matrix.data)]
        pq.write_table(pa.table(dict(zip((_ITEMS, _COUNTS), lists, strict=True))), path, store_schema=False)

    @classmethod
    def read(cls, path: Path, names: Iterable[str]) -> Records:
        named = tuple(names)
        try:
            table = pq.read_table(path)
            items, counts = (table.column(name).combine_chunks() for name in (_ITEMS, _COUNTS))
            parts = (counts.values.to_numpy(), items.values.to_numpy(), items.offsets.to_numpy())
            return cls.of(sp.csr_array(parts, shape=(len(table), len(named))), names=named)
        except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError) as error:
            raise DataError(f"The owner's records cannot be read ({type(error).__name__}).") from None


def counts_csr(X: Any) -> sp.csr_array:
    """A checked CSR matrix of numbers above zero: whole ones as int32, others as float64.

    >>> counts_csr([[0.5, 0], [1, 2]]).data.tolist(), counts_csr([[2.0, 0]]).dtype
    ([0.5, 1.0, 2.0], dtype('int32'))
    """
    wide = X
    if not sp.issparse(X):
        wide, failure = quietly(lambda: np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=np.float64))
        if wide is None:
            raise DataError(f"Records need a matrix of numbers; what was given does not make one ({failure}).")
    if wide.ndim != 2 or 0 in wide.shape:
        raise DataError(f"Records need rows and columns; {' x '.join(map(str, wide.shape)) or 'one number'} was given.")
    matrix = sp.csr_array(wide.astype(np.float64))
    matrix.sum_duplicates()
    cells = matrix.data
    wrong = int((~np.isfinite(cells)).sum() + (cells < 0).sum())
    if wrong:
        raise DataError(f"Records need non-negative numbers; {wrong} cells are negative, missing or infinite.")
    matrix.eliminate_zeros()
    matrix.sort_indices()
    if matrix.nnz > _LARGEST:
        raise DataError(f"Records have at most {_LARGEST} cells; {matrix.nnz} were given. Sketch them in parts.")
    whole = bool((matrix.data == np.floor(matrix.data)).all())
    largest = float(matrix.sum(axis=1).max())
    if largest > _LARGEST:
        raise DataError(f"A record's cells must not add up to more than {_LARGEST}; scale the numbers down.")
    cells = matrix.data.astype(np.int32) if whole else matrix.data
    small = sp.csr_array(matrix.shape, dtype=cells.dtype)
    small.data, small.indices, small.indptr = cells, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return small
