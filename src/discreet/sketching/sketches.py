# SPDX-License-Identifier: Apache-2.0
"""AMS sketches of sparse records, and what can be computed from them without the records.

Component j of the sketch of x is the sum of x_i times the sign of item i in component j (N. Alon, Y. Matias,
M. Szegedy 1996). Records may have different numbers of components; two of them are compared on the first min(m, m')
they both have. Each primitive is a mean over components of independent, unbiased terms:

    attribute   x_i         s r_i       variance (|x|^2 - x_i^2) / m
    length      |x|^2       s^2         variance 2 (|x|^4 - sum x_i^4) / m
    dot         x.y         s t         variance (|x|^2 |y|^2 + (x.y)^2 - 2 sum x_i^2 y_i^2) / m
    distance    |x - y|^2   (s - t)^2   as a length, of x - y
    centroid    mean of x   a sketch again, the mean of the sketches
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.content import LABEL, LABELS, Columns, Content, File, LabelledRows, PublishedColumn
from discreet.data.records import Records, row_hash
from discreet.data.roles import Roles
from discreet.data.storage import file_of_lists, read_lists, write_lists
from discreet.errors import DataError, ParameterError
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.lazy_modules import special
from discreet.sketching.signs import Signs
from discreet.sketching.sketches_bits import add_bits

SKETCH = "sketch"  # the column of published sketches, beside their label
_COLUMN = PublishedColumn(SKETCH, "quasi", "sketch")
_CELLS = 2**24  # signs that are held at a time, a byte each
_BITS = 2**29  # the same, a bit each


@dataclass(frozen=True)
class Estimate:
    """Estimates with their intervals, and the estimated variances; arrays with one entry for each that was asked."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True, eq=False)
class Sketches(LabelledRows):
    """Sketches of records: `values[offsets[i]:offsets[i + 1]]` are the components of record i, perhaps none.

    >>> signs = Signs(bytes(32), 4)
    >>> s = sketch([[1, 0, 1, 0], [0, 2, 0, 1]], signs, [3, 2])
    >>> s.counts.tolist(), len(s)
    ([3, 2], 2)
    """

    values: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray | None = None
    classes: np.ndarray | None = None

    not_recodable = "New records are sketched with the owner's key: discreet.sketching.sketches.sketch."
    lists = (SKETCH,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"Sketches({len(self)} records, {len(self.values)} components)"

    @cached_property
    def counts(self) -> np.ndarray:
        """The number of components of each record."""
        return np.diff(self.offsets)

    def row(self, record: int) -> np.ndarray:
        return self.values[self.offsets[record] : self.offsets[record + 1]]

    @cached_property
    def padded(self) -> np.ndarray:
        """A matrix of float64 with a row for each record, zeros after its last component.

        With zeros there, a product of two rows is the sum over the components that both have.
        """
        widest = int(self.counts.max(initial=0))
        matrix = np.zeros((len(self), widest))
        matrix[np.arange(widest) < self.counts[:, None]] = self.values
        return matrix

    @cached_property
    def running(self) -> np.ndarray:
        """The sums of the squares of the first components of each record: one of them, two, and so on."""
        return np.cumsum(np.asfortranarray(self.padded) ** 2, axis=1, out=np.empty(self.padded.shape, order="F"))

    def take(self, rows: Any) -> Sketches:
        """These records, in this order."""
        rows = np.asarray(rows)
        counts = self.counts[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        places = np.repeat(self.offsets[:-1][rows] - offsets[:-1], counts) + np.arange(offsets[-1])
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, values=self.values[places], offsets=offsets, labels=labels)

    def labelled(self, labels: np.ndarray | None, classes: np.ndarray | None) -> Sketches:
        return replace(self, labels=labels, classes=classes)

    def content_order(self) -> np.ndarray:
        """An order of the records that depends on what they say only."""
        places = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.counts)
        key = row_hash(self.offsets, places, self.values)
        return np.lexsort((key,) if self.labels is None else (key, self.labels))

    # -- estimates with intervals ----------------------------------------------------------------------------------

    def attribute(self, rows: Any, item: int, signs: Signs, *, confidence: float = 0.95) -> Estimate:
        """How much of the item the records have. Needs the key."""
        rows = np.atleast_1d(rows)
        terms = self.padded[rows] * signs.of([item], self.padded.shape[1])[0]
        return _mean(terms, self._shared(rows, rows), confidence)

    def dot(self, rows: Any, others: Any, *, confidence: float = 0.95) -> Estimate:
        """The dot products of pairs of records.

        The interval is for pairs that were chosen without these sketches; for pairs that were chosen because their
        sketches are near, see `nearest`.
        """
        rows, others = np.broadcast_arrays(np.atleast_1d(rows), others)
        shared = self._shared(rows, others)
        return _product(self.padded[rows], self.padded[others], shared, confidence)

    def nearest(self, rows: Any, *, n: int = 1, confidence: float = 0.95) -> tuple[np.ndarray, Estimate]:
        """The n records most similar to each of these by cosine, and their dot products, one entry per pair.

        Of many rough estimates the largest are too large, and an interval around them misses. So the components are
        parted: every other one says who is near, and the rest says how near. A record with fewer than four components
        is nobody's neighbour.
        """
        rows = np.atleast_1d(rows)
        chosen_on, measured_on = self._every_other(0), self._every_other(1)
        able = np.flatnonzero(measured_on.counts >= 2)
        if len(able) <= n or not np.isin(rows, able).all():
            raise DataError(f"Nearest records need four components each, and {n} others that have them.")
        near = []
        for row in rows:
            alike = chosen_on.take([row]).dots(chosen_on.take(able))[0] / np.sqrt(chosen_on.lengths()[able] + 1e-300)
            alike[able == row] = -np.inf
            near.append(able[np.argsort(-alike, kind="stable")[:n]])
        order = np.array(near)
        return order, measured_on.dot(np.repeat(rows, n), order.ravel(), confidence=confidence)

    def _every_other(self, first: int) -> Sketches:
        """The records on every other component."""
        places = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.counts)
        counts = (self.counts + 1 - first) // 2
        return Sketches(self.values[places % 2 == first], np.concatenate([[0], np.cumsum(counts)]))

    def length(self, rows: Any, *, confidence: float = 0.95) -> Estimate:
        """The squared lengths of records."""
        rows = np.atleast_1d(rows)
        return _square(self.padded[rows], self._shared(rows, rows), confidence)

    def distance(self, rows: Any, others: Any, *, confidence: float = 0.95) -> Estimate:
        """The squared Euclidean distances of pairs of records, on the components that both have."""
        rows, others = np.broadcast_arrays(np.atleast_1d(rows), others)
        shared = self._shared(rows, others)
        both = np.arange(self.padded.shape[1]) < shared[:, None]
        return _square((self.padded[rows] - self.padded[others]) * both, shared, confidence)

    def centroid(self, rows: Any) -> Sketches:
        """The mean of some records as a sketch of its own, on the components that all of them have."""
        rows = np.atleast_1d(rows)
        shared = int(self.counts[rows].min(initial=2**31)) if len(rows) else 0
        if not shared:
            raise DataError("A centroid needs records that have components; one of them has none, or there are none.")
        return Sketches(self.padded[rows, :shared].mean(axis=0), np.array([0, shared]))

    def _shared(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        shared = np.minimum(self.counts[rows], self.counts[others])
        if not shared.all():
            raise DataError(f"{int((shared == 0).sum())} of the records have no components: they were suppressed.")
        return shared

    # -- estimates of many at once -----------------------------------------------------------------------------------

    def lengths(self) -> np.ndarray:
        """The squared length of every record; zero for one without components."""
        return np.einsum("ij,ij->i", self.padded, self.padded) / np.maximum(self.counts, 1)

    def dots(self, others: Sketches | None = None) -> np.ndarray:
        """The dot product of every record here with every one there; zero where one has no components."""
        others = self if others is None else others
        width = min(self.padded.shape[1], others.padded.shape[1])
        shared = np.minimum(self.counts[:, None], others.counts)
        return self.padded[:, :width] @ others.padded[:, :width].T / np.maximum(shared, 1)

    def attributes(self, signs: Signs) -> np.ndarray:
        """All attributes of all records, estimated: rows that any estimator takes, as wide as the records were."""
        each = signs.of(np.arange(signs.n_items), self.padded.shape[1]).astype(np.float64)
        return self.padded @ each.T / np.maximum(self.counts, 1)[:, None]

    # -- published -------------------------------------------------------------------------------------------------

    @property
    def shape_name(self) -> str:
        return "sketches"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.published_columns(None))

    @property
    def data(self) -> Sketches:
        return self

    def equals(self, other: Content) -> bool:
        return (
            isinstance(other, Sketches)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.offsets, other.offsets)
            and self.label_texts == other.label_texts
        )

    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        return (_COLUMN,) if self.labels is None else (LABELS, _COLUMN)

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        stated = [(column.name, column.role, column.kind) for column in columns]
        return super().fits(columns) and stated in ([_COLUMN[:3]], [LABELS[:3], _COLUMN[:3]])

    def write(self, target: File, format: str = "parquet") -> None:
        lists = pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), pa.array(self.values))
        write_lists(target, SKETCH, lists, self.label_texts)

    @classmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> Sketches:
        """A file of one's own, such as that of a stream, is read without columns, as it is."""
        labelled = columns[0].name == LABEL if columns else None
        with file_of_lists(source, "sketches") as file:
            listed, offsets, labels = read_lists(file, SKETCH, labelled=labelled, rows=rows)
            values = listed.to_numpy().astype(np.float64 if pa.types.is_floating(listed.type) else np.int32)
            if not np.isfinite(values).all():
                raise ValueError
        if labels is None:
            return cls(values, offsets)
        return cls(values, offsets, labels[1], labels[0])


def sketch(X: Any, signs: Signs, components: Any) -> Sketches:
    """The sketches of the rows of a matrix of non-negative numbers, or of records.

    `components` says how many, one number for all rows or one for each; a row with none has an empty sketch. The signs
    are computed as they are needed: those of all items at once where there are few, of the cells of some rows else. For
    rows of ones, signs are bits.
    """
    records = Records.unnamed(X)
    if records.shape[1] != signs.n_items:
        raise ParameterError(f"The signs are for {signs.n_items} items; the records have {records.shape[1]}.")
    counts = np.broadcast_to(np.asarray(components, dtype=np.int64), len(records))
    if counts.min(initial=0) < 0:
        raise ParameterError("The number of components of a record is zero or more.")
    widest, matrix = int(counts.max(initial=0)), records.matrix
    offsets = np.concatenate([[0], np.cumsum(counts)])
    values = np.zeros(int(offsets[-1]), dtype=np.int32 if records.whole else np.float64)
    if not widest:
        return Sketches(values, offsets, records.labels, records.classes)
    if records.whole and (matrix.data == 1).all() and records.shape[1] * widest <= _BITS:
        add_bits(matrix.indptr, matrix.indices, signs.words(widest), offsets, values)
    elif records.shape[1] * widest <= _CELLS:
        every = signs.of(np.arange(records.shape[1]), widest)
        _add_up(matrix.indptr, matrix.indices, matrix.data, every, offsets, values)
    else:
        for start, stop in _pieces(matrix, _CELLS // widest):
            _piece(matrix, start, stop, signs, widest, offsets, values)
    return Sketches(values, offsets, records.labels, records.classes)


def _piece(
    matrix: sp.csr_array, start: int, stop: int, signs: Signs, widest: int, offsets: np.ndarray, values: np.ndarray
) -> None:
    """The sketches of rows start to stop, with the signs of those items only that they have."""
    first, last = matrix.indptr[start], matrix.indptr[stop]
    items, places = np.unique(matrix.indices[first:last], return_inverse=True)
    _add_up(
        matrix.indptr[start : stop + 1] - first,
        places.astype(np.int32),
        matrix.data[first:last],
        signs.of(items, widest),
        offsets[start : stop + 1],
        values,
    )


def _pieces(matrix: sp.csr_array, most: int) -> Iterator[Any]:
    """Consecutive rows with at most so many cells together, one row at least."""
    start, n_rows = 0, matrix.shape[0]
    while start < n_rows:
        stop = int(np.searchsorted(matrix.indptr, matrix.indptr[start] + max(most, 1), side="right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        yield start, stop
        start = stop


@compiled
def _add_up(indptr, indices, cells, signs, offsets, values):
    for row in range(len(indptr) - 1):
        mine = values[offsets[row] : offsets[row + 1]]
        for place in range(indptr[row], indptr[row + 1]):
            cell, sign = cells[place], signs[indices[place]]
            for j in range(len(mine)):
                mine[j] += cell * sign[j]


def _mean(terms: np.ndarray, shared: np.ndarray, confidence: float) -> Estimate:
    """The mean of independent terms with Student's interval; a single term has no interval."""
    value = terms.sum(axis=1) / shared
    excess = np.maximum((terms**2).sum(axis=1) - shared * value**2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(shared > 1, excess / (shared * (shared - 1.0)), np.inf)
        wide = (
            np.where(shared > 1, special.stdtrit(np.maximum(shared - 1.0, 1.0), 0.5 + confidence / 2), 1.0)
            * variance**0.5
        )
    return Estimate(value, value - wide, value + wide, variance)


def _square(components: np.ndarray, shared: np.ndarray, confidence: float) -> Estimate:
    """A squared length from its components, with the interval that it has when they are nearly normal."""
    value = (components**2).sum(axis=1) / shared
    low, high = _ends(value, _freedom(components, shared), confidence)
    return Estimate(value, low, high, 2 * value**2 / shared)


def _product(these: np.ndarray, those: np.ndarray, shared: np.ndarray, confidence: float) -> Estimate:
    """A dot product from the components of both, which are zero where one of them has none; a single component has no
    interval.

    Products of like records are skewed, and Student's interval covers too little. With a such that a s and t / a are
    equally long, s t = ((a s + t / a)^2 - (a s - t / a)^2) / 4 is a difference of two squared lengths that are nearly
    independent. Their intervals are joined as Zou and Donner 2008 do it ("Construction of confidence limits about
    effect measures").
    """
    plain = _mean(these * those, shared, confidence)
    both = np.arange(these.shape[1]) < shared[:, None]
    these, those = these * both, those * both
    squares = (these**2).sum(axis=1), (those**2).sum(axis=1)
    scale = np.where(squares[0] * squares[1] > 0, squares[1] / np.where(squares[0] > 0, squares[0], 1.0), 1.0)
    scale = (scale**0.25)[:, None]
    ends = []
    for sides in (these * scale + those / scale, these * scale - those / scale):
        value = (sides**2).sum(axis=1) / shared / 4
        freedom = _freedom(sides, shared) * (1 - 0.5 / shared)  # some of it went into making them equally long
        low, high = _ends(value, freedom, confidence)
        ends.append((value - low, high - value))
    (below, above), (less, more) = ends
    wide = shared > 1
    low = np.where(wide, plain.value - np.hypot(below, more), -np.inf)
    high = np.where(wide, plain.value + np.hypot(above, less), np.inf)
    return Estimate(plain.value, low, high, plain.variance)


def _ends(value: np.ndarray, freedom: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """The interval of a mean of squares that has so many degrees of freedom."""
    tail = (1 - confidence) / 2
    return value * freedom / special.chdtri(freedom, tail), value * freedom / special.chdtri(freedom, 1 - tail)


_NORMAL = 40  # components that count for the normal distribution, beside those that show how far from it they are


def _freedom(components: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Degrees of freedom of a sum of squares: as many as components when they are normal, more when records are short.

    A sum of few signs is never far from its mean square; how far is estimated, and drawn to what normal ones have.
    """
    squares = components**2
    total = np.where(squares.any(axis=1), squares.sum(axis=1), 1.0)
    spread = (squares**2).sum(axis=1) * shared / total**2 - 1  # 2 for normal components
    unbiased = spread * (shared + 2) / np.maximum(shared - 1, 1)
    return 2 * shared * (shared + _NORMAL) / (np.maximum(shared * unbiased, 0.0) + 2 * _NORMAL)
