# SPDX-License-Identifier: Apache-2.0
"""Sparse records of non-negative numbers, such as word counts, with a label. Sketches are computed from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.baskets import Baskets
from discreet.errors import DataError, quietly
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.plain_files import opened

_ITEMS, _COUNTS, _NEAR = "items", "counts", "neighbours"  # the columns of the owner's file
_LARGEST = 2**31 - 1  # sum of a record, so that components of its sketch fit in 32 bits


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
    neighbours: np.ndarray | None = None  # k for each record, if found by an index

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
        item_names = tuple(f"x{j}" for j in range(matrix.shape[1])) if names is None else tuple(map(str, names))
        if len(item_names) != matrix.shape[1] or len(set(item_names)) < len(item_names):
            raise DataError(
                f"{matrix.shape[1]} item names are needed; {len(set(item_names))} different ones were given."
            )
        records = cls(matrix, item_names)
        return records if y is None else records.labelled(y)

    @classmethod
    def unnamed(cls, X: Any) -> Records:
        """As `of`, for work that does not ask for names, which take longer to make up than many a matrix to check."""
        return cls.of(X) if isinstance(X, (Records, Baskets)) else cls(counts_csr(X), ())

    @classmethod
    def from_text(cls, texts: Iterable[str], y: Any = None, *, vectorizer: Any = None) -> Records:
        """Word counts of each text, by scikit-learn's CountVectorizer or another of its vectorisers."""
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
        return sums(self.matrix.indptr, self._squares)

    @cached_property
    def spread(self) -> np.ndarray:
        """The squared length without the largest cell: the least variance of a cell estimated from one component."""
        largest = np.zeros(len(self), dtype=self._squares.dtype)
        filled = np.flatnonzero(self.ones)
        if len(filled):
            largest[filled] = np.maximum.reduceat(self._squares, self.matrix.indptr[filled])
        return self.lengths - largest

    @cached_property
    def _squares(self) -> np.ndarray:
        return self.matrix.data.astype(np.int64 if self.whole else np.float64) ** 2

    def labelled(self, y: Any) -> Records:
        labelled = Baskets(sp.csr_array((len(self), 1), dtype=np.uint8), ("x",)).labelled(y)
        return replace(self, labels=labelled.labels, classes=labelled.classes)

    def take(self, rows: np.ndarray) -> Records:
        """These records, in this order, with their neighbours if all of those are among them."""
        labels = None if self.labels is None else self.labels[rows]
        persons = None if self.persons is None else np.unique(self.persons[rows], return_inverse=True)[1]
        neighbours = None
        if self.neighbours is not None:
            place = np.full(len(self), -1, dtype=np.int64)
            place[rows] = np.arange(len(rows))
            there = place[self.neighbours[rows]]
            neighbours = there if (there >= 0).all() else None
        return replace(self, matrix=self.matrix[rows], labels=labels, persons=persons, neighbours=neighbours)

    # -- the owner's file ------------------------------------------------------------------------------------------

    def write(self, path: Path) -> None:
        """Write to Parquet: lists of the items, counts and, if any, neighbours of each record."""
        offsets = pa.array(self.matrix.indptr, pa.int32())
        lists = {
            name: pa.ListArray.from_arrays(offsets, pa.array(part))
            for name, part in ((_ITEMS, self.matrix.indices), (_COUNTS, self.matrix.data))
        }
        if self.neighbours is not None:
            ends = pa.array(np.arange(len(self) + 1) * self.neighbours.shape[1], pa.int32())
            lists[_NEAR] = pa.ListArray.from_arrays(ends, pa.array(self.neighbours.ravel()))
        pq.write_table(pa.table(lists), path, compression="none", store_schema=False)

    @classmethod
    def read(cls, path: Path, names: Iterable[str]) -> Records:
        item_names = tuple(names)
        try:
            with opened(path) as file:
                table = pq.ParquetFile(file).read()
            items, counts = (table.column(name).combine_chunks() for name in (_ITEMS, _COUNTS))
            parts = (counts.values.to_numpy(), items.values.to_numpy(), items.offsets.to_numpy())
            records = cls.of(sp.csr_array(parts, shape=(len(table), len(item_names))), names=item_names)
            if _NEAR not in table.column_names:
                return records
            near = table.column(_NEAR).combine_chunks().values.to_numpy().reshape(len(table), -1)
            return replace(records, neighbours=near)
        except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError, IndexError) as error:
            raise DataError(f"The owner's records cannot be read ({type(error).__name__}).") from None


def counts_csr(X: Any) -> sp.csr_array:
    """A validated CSR matrix of positive numbers, int32 if all are whole, otherwise float64.

    >>> counts_csr([[0.5, 0], [1, 2]]).data.tolist(), counts_csr([[2.0, 0]]).dtype
    ([0.5, 1.0, 2.0], dtype('int32'))
    """
    wide = X
    if not is_sparse(X):
        wide, failure = quietly(lambda: np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=np.float64))
        if wide is None:
            raise DataError(f"Records need a matrix of numbers; this does not form one ({failure}).")
    if wide.ndim != 2 or 0 in wide.shape:
        raise DataError(f"Records need rows and columns; {' x '.join(map(str, wide.shape)) or 'one number'} was given.")
    if _all_ones(wide):
        return _csr(np.ones(wide.nnz, dtype=np.int32), wide)
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
    return _csr(matrix.data.astype(np.int32) if whole else matrix.data, matrix)


def _all_ones(wide: Any) -> bool:
    """Whether this is a CSR matrix in order whose cells are all one, as in baskets: nothing is left to check."""
    if not is_sparse(wide) or wide.format != "csr" or not 0 < wide.nnz <= _LARGEST or wide.dtype.kind not in "uif":
        return False
    return bool(wide.data.min() == 1 and wide.data.max() == 1 and wide.has_canonical_format)


def _csr(cells: np.ndarray, places: Any) -> sp.csr_array:
    """These cells in the places of the cells of a CSR matrix."""
    small = sp.csr_array(places.shape, dtype=cells.dtype)
    small.data, small.indices, small.indptr = cells, places.indices.astype(np.int32), places.indptr.astype(np.int32)
    return small


def row_hash(indptr: np.ndarray, places: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each row's columns and cells; not cryptographic."""
    bits = cells.astype(np.float64).view(np.uint64)
    return mixed(sums(indptr, mixed(mixed(places.astype(np.uint64)) ^ bits)))


def sums(indptr: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The sum of the cells of each row."""
    summed, filled = np.zeros(len(indptr) - 1, dtype=cells.dtype), np.flatnonzero(np.diff(indptr))
    if len(filled):
        summed[filled] = np.add.reduceat(cells, indptr[filled])
    return summed


def mixed(words: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
