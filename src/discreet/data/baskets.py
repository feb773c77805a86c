# SPDX-License-Identifier: Apache-2.0
"""Sparse 0/1 data: the items of each row, with a label. Read from matrices, transactions, one-hot columns or text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.data.content import LABEL, LABELS, Columns, Content, File, LabelledRows, PublishedColumn
from discreet.data.item_rows import ItemRows
from discreet.data.storage import file_of_lists, read_lists, write_lists
from discreet.data.table import Table
from discreet.data.transactions import read_transactions
from discreet.errors import DataError, listing, quietly
from discreet.foundation.displayed import Displayed
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp

if TYPE_CHECKING:
    from discreet.data.roles import Roles

ITEMS = "items"  # the column of published baskets, beside their label
_WORD = 31  # items per code: combined with a group number below 2**31, keys of `group` stay below 2**62


@dataclass(frozen=True, eq=False)
class Baskets(Displayed, LabelledRows, ItemRows):
    """Rows of items. `matrix` is CSR with sorted indices and ones only; `labels[row]` indexes `classes`.

    `sources[j]` is the table column that item j comes from, if any; `persons` numbers the person behind each row, if
    persons may have several rows.

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

    has_cells = True
    not_recodable = "Only releases of tables recode rows; for baskets, keep the released columns."
    lists = (ITEMS,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", _narrow(self.matrix))

    # -- in --------------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, X: Any, y: Any = None, *, names: Iterable[str] | None = None, persons: Any = None) -> Baskets:
        """Baskets from a scipy or NumPy 0/1 matrix, a data frame of 0/1 columns, or baskets (with other labels)."""
        if isinstance(X, Baskets):
            baskets = X
        elif not is_sparse(X) and (isinstance(X, (Table, pa.Table, Mapping)) or _is_lazy(X)):
            baskets = cls.from_columns(X)
        else:
            frame_names = getattr(X, "columns", None) if hasattr(X, "to_numpy") else None
            matrix = binary_csr(X)
            baskets = cls(matrix, tuple(f"x{j}" for j in range(matrix.shape[1]) if frame_names is None))
            names = frame_names if names is None else names
        if names is not None:
            baskets = replace(baskets, names=_checked_names(names, baskets.shape[1]))
        if persons is not None:
            baskets = replace(baskets, persons=_numbered(persons, len(baskets)))
        return baskets if y is None else baskets.labelled(y)

    @classmethod
    def from_transactions(
        cls,
        source: str | os.PathLike[str] | Iterable[Iterable[object]],
        y: Any = None,
        *,
        separator: str | None = None,
        persons: Any = None,
    ) -> Baskets:
        """One row per line, items separated by white space (or `separator`); or an iterable of item collections.

        An empty line is a row without items. Items that are all whole numbers are ordered as numbers.
        """
        matrix, names = read_transactions(source, separator)
        return cls.of(matrix, y, names=names, persons=persons)

    @classmethod
    def from_columns(
        cls, table: Any, *, target: str | None = None, columns: Sequence[str] | None = None, person: str | None = None
    ) -> Baskets:
        """Baskets from the 0/1 columns of a table; `target` holds the labels, `person` the person behind each row."""
        table = Table.of(table)
        chosen = table.names if columns is None else columns
        columns = [name for name in chosen if name not in (target, person)]
        cover, bad = [], []
        for column in table.columns(columns):
            is_one = np.array([text in ("1", "true") for text in column.texts] + [False])
            if column.has_missing or not set(column.texts) <= {"0", "1", "true", "false"}:
                bad.append(column.name)
            cover.append(np.flatnonzero(is_one[column.codes]))
        if bad:
            raise DataError(
                f"Baskets need 0/1 cells without missing values; {len(bad)} of {len(columns)} columns have others:"
                f" {listing(bad)}. Binarise them first (discreet.prepare)."
            )
        indptr = np.cumsum([0, *map(len, cover)])
        indices = np.concatenate(cover) if cover else np.empty(0, np.int64)
        matrix = sp.csc_array((np.ones(len(indices), np.uint8), indices, indptr), shape=(len(table), len(columns)))
        label = None if target is None else table.column(target).to_arrow().to_pylist()
        persons = None if person is None else table.column(person).to_arrow()
        return cls.of(matrix.tocsr(), label, names=columns, persons=persons)

    @classmethod
    def from_text(cls, texts: Iterable[str], y: Any = None, *, persons: Any = None, **vectorizer: Any) -> Baskets:
        """The words of each text, by scikit-learn's CountVectorizer (its options are passed on)."""
        from sklearn.feature_extraction.text import CountVectorizer

        texts = [] if isinstance(texts, (str, bytes)) else list(texts)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise DataError("Baskets from text need a list of texts, one for every row, none of them missing.")
        words = CountVectorizer(binary=True, **vectorizer)
        words.get_params()  # raises if an option does not exist
        matrix, failure = quietly(words.fit_transform, texts)
        if matrix is None:
            raise DataError(
                f"The texts hold no words that the vectoriser keeps, or its options do not fit ({failure})."
            )
        return cls.of(sp.csr_array(matrix), y, names=words.get_feature_names_out(), persons=persons)

    # -- properties ------------------------------------------------------------------------------------------------

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
        """Number of rows with each item."""
        return np.diff(self.columns.indptr)

    def items(self, row: int) -> tuple[str, ...]:
        start, stop = self.matrix.indptr[row : row + 2]
        return tuple(self.names[j] for j in self.matrix.indices[start:stop])

    def columns_of(self, features: np.ndarray) -> tuple[sp.csc_array, np.ndarray]:
        return self.columns, features

    # -- changing --------------------------------------------------------------------------------------------------

    def labelled(self, y: Any) -> Baskets:
        """These rows with the labels y."""
        values = one_per_row(y, len(self), "labels")
        classes, labels = np.unique(values, return_inverse=True)
        return replace(self, labels=labels.astype(np.int32), classes=classes)

    def keep(self, features: Sequence[int] | np.ndarray) -> Baskets:
        """The projection on these columns, in this order; `features` may also be a mask."""
        chosen = np.asarray(features)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        matrix = sp.csr_array(self.columns[:, chosen] if len(chosen) else sp.csr_array((len(self), 0), dtype=np.uint8))
        matrix.sort_indices()
        sources = None if self.sources is None else tuple(self.sources[j] for j in chosen)
        return replace(self, matrix=matrix, names=tuple(self.names[j] for j in chosen), sources=sources)

    def take(self, rows: np.ndarray) -> Baskets:
        """These rows, in this order. The classes stay unchanged, so that labels of two parts can be compared."""
        labels = None if self.labels is None else self.labels[rows]
        persons = None if self.persons is None else np.unique(self.persons[rows], return_inverse=True)[1]
        return replace(self, matrix=self.matrix[rows], labels=labels, persons=persons)

    # -- published -------------------------------------------------------------------------------------------------

    @property
    def shape_name(self) -> str:
        return "baskets"

    @property
    def data(self) -> sp.csr_array:
        return self.matrix

    def to_arrow(self) -> pa.Table:
        """A column of labels, if there are any, and a 0/1 column for each item."""
        label = LABEL
        while label in self.names:
            label += "'"
        columns: dict[str, Any] = {} if self.label_values is None else {label: pa.array(self.label_values.tolist())}
        dense = self.matrix.tocsc()
        for item, name in enumerate(self.names):
            ones = np.zeros(len(self), dtype=np.uint8)
            ones[dense.indices[dense.indptr[item] : dense.indptr[item + 1]]] = 1
            columns[name] = ones
        return pa.table(columns)

    def equals(self, other: Content) -> bool:
        return (
            isinstance(other, Baskets)
            and self.names == other.names
            and self.label_texts == other.label_texts
            and (self.matrix != other.matrix).nnz == 0
        )

    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        return (LABELS, *(PublishedColumn(name, "quasi", "item") for name in self.names))

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        head, items = columns[:1], columns[1:]  # an item may have the name of the label column
        return (
            [(column.name, column.role, column.kind) for column in head] == [LABELS[:3]]
            and super().fits(items)
            and all((column.role, column.kind) == ("quasi", "item") for column in items)
        )

    def with_persons(self, persons: np.ndarray | None, roles: Roles | None) -> tuple[Baskets, None]:
        return Baskets(self.matrix, self.names, self.labels, self.classes, persons=persons), None

    def rows_of_items(self) -> Iterator[np.ndarray]:
        columns = self.columns
        return (columns.indices[start:stop] for start, stop in pairwise(columns.indptr))

    def quasi_codes(self, quasi: Sequence[str]) -> tuple[list[np.ndarray], list[int]]:
        words = [self.columns[:, first : first + _WORD] for first in range(0, self.shape[1], _WORD)]
        codes = [word.astype(np.int64) @ (1 << np.arange(word.shape[1])) for word in words]
        return codes, [1 << word.shape[1] for word in words]

    def class_codes(self) -> tuple[str | None, dict[str, np.ndarray]]:
        return (None, {}) if self.labels is None else (LABEL, {LABEL: self.labels})

    def n_items(self, quasi: Sequence[str]) -> int:
        return len(self.names)

    def write(self, target: File, format: str = "parquet") -> None:
        names = pa.array(self.names, pa.string()).take(pa.array(self.matrix.indices))
        items = pa.ListArray.from_arrays(pa.array(self.matrix.indptr, pa.int32()), names)
        write_lists(target, ITEMS, items, self.label_texts)

    @classmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> Baskets:
        """Read published baskets; every item in the file must be one of the columns."""
        names = [column.name for column in columns if column.role == "quasi"]
        with file_of_lists(source, "baskets") as file:
            coded, indptr, labelled = read_lists(file, ITEMS, rows=rows)
            assert labelled is not None
            place = {name: j for j, name in enumerate(names)}
            places = np.array([place[name] for name in coded.dictionary.to_pylist()], dtype=np.int64)
            indices = places[coded.indices.to_numpy()] if len(places) else np.empty(0, np.int64)
        size = (len(indptr) - 1, len(names))
        baskets = cls.of(sp.csr_array((np.ones(len(indices)), indices, indptr), shape=size), names=names)
        return replace(baskets, classes=labelled[0], labels=labelled[1])


def binary_csr(X: Any) -> sp.csr_array:
    """A validated CSR matrix of ones: no missing cell, no other number, no repeated cell.

    >>> binary_csr([[0, 1], [1, 1]]).indices.tolist()
    [1, 0, 1]
    """
    matrix = None
    if is_sparse(X):
        if X.ndim != 2:
            raise DataError(f"Baskets need a matrix of rows and columns; an array of {X.ndim} dimensions was given.")
        wide = X.astype(np.int64) if X.dtype.kind in "bui" and X.format == "coo" else X  # 8-bit sums would wrap
        matrix = sp.csr_array(wide, copy=True)
        matrix.sum_duplicates()
        cells = matrix.data
    else:
        cells = _dense(X)
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
    return _narrow(sp.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape))


def _narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Use 32-bit indices if they suffice: half the memory, one type for compiled code, and liblinear needs them."""
    if matrix.nnz >= 2**31 or (matrix.indices.dtype == np.int32 and matrix.indptr.dtype == np.int32):
        return matrix
    small = sp.csr_array(matrix.shape, dtype=matrix.dtype)
    small.data = matrix.data
    small.indices, small.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return small


def _dense(X: Any) -> np.ndarray:
    dense, failure = quietly(lambda: np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X))
    if dense is None:
        raise DataError(f"Baskets need a matrix of rows and columns; these rows do not form one ({failure}).")
    if dense.ndim != 2:
        raise DataError(f"Baskets need a matrix of rows and columns; an array of {dense.ndim} dimensions was given.")
    if dense.dtype.kind in "biufc":
        return dense
    numbers, failure = quietly(dense.astype, np.float64)
    if numbers is None:
        raise DataError("Baskets need 0/1 cells; the matrix holds text or missing values.")
    return numbers


def _is_lazy(X: Any) -> bool:
    """Whether X is a query, a polars LazyFrame or a DuckDB relation."""
    return type(X).__module__.split(".")[0].lstrip("_") in ("polars", "duckdb") and not hasattr(X, "to_numpy")


def _checked_names(names: Iterable[Any], n_columns: int) -> tuple[str, ...]:
    checked = tuple(map(str, names))
    if len(checked) != n_columns:
        raise DataError(f"{len(checked)} names were given for {n_columns} columns.")
    if len(set(checked)) < len(checked):
        raise DataError(f"Item names must differ; {len(checked) - len(set(checked))} of {len(checked)} repeat another.")
    return checked


def _numbered(persons: Any, n_rows: int) -> np.ndarray:
    """Persons numbered from 0."""
    return np.unique(one_per_row(persons, n_rows, "persons"), return_inverse=True)[1]


def one_per_row(data: Any, n_rows: int, what: str) -> np.ndarray:
    """An array with one value per row, none missing, all comparable."""
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        data = data.to_pylist()
    values, _ = quietly(np.asarray, data, object if isinstance(data, (list, tuple)) else None)
    if values is None or values.ndim != 1 or len(values) != n_rows:
        shape = "no list" if values is None or not values.ndim else " x ".join(map(str, values.shape))
        raise DataError(f"One of the {what} is needed for each of the {n_rows} rows; {shape} were given.")
    missing = _missing(values)
    if missing:
        raise DataError(f"{missing} of {n_rows} {what} are missing. Drop those rows first.")
    if values.dtype == object:
        kinds = {str if isinstance(value, str) else float if np.isscalar(value) else type(value) for value in values}
        if len(kinds) > 1:
            raise DataError(f"The {what} mix text with other values. Give all of them one type.")
        values = np.asarray(values.tolist())
    return values


def _missing(values: np.ndarray) -> int:
    if values.dtype.kind in "fcmM":
        return int((values != values).sum())
    if values.dtype != object:
        return 0
    return sum(value is None or type(value).__name__ == "NAType" or value != value for value in values.tolist())
