# SPDX-License-Identifier: Apache-2.0
"""The k nearest neighbours of every record by cosine: exactly, or most of them through an index.

Exact: records are in tiles of a few thousand, with a list of the records of each item in each tile. Tile by tile and
record by record, the dot products with all records of the tile are summed from these lists; the sums of a tile fit into
the processor's cache. Records nearer than the k-th neighbour so far are then taken, comparing 64 sums at a time with a
bound first. The work is the number of common items of all pairs of records, plus a comparison per pair; records are
split over threads.

Ties go to the record whose content has the smaller hash, so that neighbours do not depend on the order of the records.
Records of equal content are interchangeable.

The index is PyNNDescent's (extra `neighbours`). It misses some neighbours; `recall` counts how many.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np

from discreet.data.records import Records, row_hash
from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import RandomState, seed_of
from discreet.sketching.component_limits import pair_sums

_PIECE = 4096  # records that a thread does at a time
_TILE = 8192  # records whose sums are kept at a time: at most 2**16
_BLOCK = 64  # sums that are compared at a time; divides _TILE
_SMALL = 2**24  # below it, sums of whole numbers are exact in 32 bits
_CLEAR = 1 - 1e-6  # what is less than this share of a bound is clearly less


@dataclass(frozen=True)
class Neighbours:
    """`of[i]` are the k nearest neighbours of record i, nearest first; `cosine[i]` how near they are."""

    of: np.ndarray
    cosine: np.ndarray

    @property
    def farthest(self) -> np.ndarray:
        """The cosine of the k-th neighbour."""
        return self.cosine[:, -1]


def content_hash(records: Records) -> np.ndarray:
    """A number for the content of each record, the same wherever the record stands."""
    matrix = records.matrix
    return row_hash(matrix.indptr, matrix.indices, matrix.data)


def nearest(records: Records, k: int) -> Neighbours:
    """The k nearest neighbours of every record, exactly. Needs more than k records, none of them empty.

    The last result is cached for the same records in any order, so a release is checked before and after it is written
    at the cost of one search.

    >>> nearest(Records.of([[1, 1, 0], [1, 1, 1], [0, 0, 1]]), 1).of.ravel().tolist()
    [1, 0, 1]
    """
    _check(records, k)
    order = _order(records)
    neighbours, near = _all(_Ranked.of(records, order), k)
    of, cosine = np.empty_like(neighbours), np.empty_like(near)
    of[order], cosine[order] = order[neighbours], near
    return Neighbours(of, cosine)


def recall(records: Records, found: Neighbours, rows: np.ndarray) -> float:
    """The share of the nearest neighbours of some records that were found; as near as the k-th counts as found."""
    order = _order(records)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    true = _nearest(_Ranked.of(records, order), found.of.shape[1], rank[rows])[1]
    return float((found.cosine[rows] >= true[:, -1:] - 1e-12).mean())


def _order(records: Records) -> np.ndarray:
    """The records by their content. Equal records may stand for each other."""
    return np.argsort(content_hash(records), kind="stable")


@dataclass(frozen=True)
class _Ranked:
    """Records in the order of their content; equal when all their cells are."""

    digest: bytes
    matrix: sp.csr_array = field(compare=False)
    lengths: np.ndarray = field(compare=False)

    @classmethod
    def of(cls, records: Records, order: np.ndarray) -> _Ranked:
        small = records.whole and records.lengths.max() < _SMALL
        matrix = sp.csr_array(records.matrix[order].astype(np.float32 if small else np.float64))
        digest = hashlib.sha256(repr(matrix.shape).encode())
        for part in (matrix.indptr, matrix.indices, matrix.data):
            digest.update(part.tobytes())
        return cls(digest.digest(), matrix, records.lengths[order])


@lru_cache(maxsize=1)
def _all(ranked: _Ranked, k: int) -> tuple[np.ndarray, np.ndarray]:
    return _nearest(ranked, k, np.arange(ranked.matrix.shape[0]))


def _nearest(ranked: _Ranked, k: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of some rows, and their cosines."""
    matrix, neighbours, near = ranked.matrix, np.full((len(rows), k), -1), np.full((len(rows), k), -1.0)
    ones = bool((matrix.data == 1).all())
    # a length beyond all for those that fill the last block: never near
    lengths = np.append(ranked.lengths, [np.inf] * (_BLOCK - 1)).astype(matrix.dtype)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for first in range(0, matrix.shape[0], _TILE):
            tile = sp.csc_array(matrix[first : first + _TILE])
            size = lengths[first : first + -(-tile.shape[0] // _BLOCK) * _BLOCK]
            of_items = (tile.indptr, tile.indices.astype(np.uint16), tile.data)
            search = partial(_search, matrix.indptr, matrix.indices, matrix.data, *of_items, ones, size, first)
            pieces = [slice(start, start + _PIECE) for start in range(0, len(rows), _PIECE)]
            list(threads.map(lambda s, search=search: search(rows[s], neighbours[s], near[s]), pieces))
    return neighbours, np.sqrt(near / ranked.lengths[rows].astype(np.float64)[:, None])


def approximate(records: Records, k: int, random_state: RandomState = None) -> Neighbours:
    """Most of the k nearest neighbours of every record: the nearest, by exact cosines, of three times as many that
    PyNNDescent finds. With a `random_state` it uses one thread, and finds the same ones again."""
    _check(records, k)
    try:
        from pynndescent import NNDescent
    except ImportError:
        raise DataError(
            "Approximate neighbours need the package pynndescent: pip install 'discreet[neighbours]'."
        ) from None
    order = _order(records)
    matrix = sp.csr_matrix(records.matrix[order].astype(np.float32))
    wide = min(3 * k, len(records) - 1)
    seed = seed_of(random_state)
    seeded = {} if seed is None else {"random_state": seed % 2**32, "n_jobs": 1}  # 32 bits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it did not find enough of them: others take their place
        index = NNDescent(matrix, metric="cosine", n_neighbors=wide + 1, **seeded)
        graph = index.neighbor_graph[0]
    neighbours = _without_itself(graph.astype(np.int64), wide)
    of = np.empty_like(neighbours)
    of[order] = order[neighbours]
    rows = np.repeat(np.arange(len(records)), wide)
    cosine = cosines(records, rows, of.ravel()).reshape(of.shape)
    first = np.argsort(-cosine, axis=1, kind="stable")[:, :k]
    return Neighbours(np.take_along_axis(of, first, 1), np.take_along_axis(cosine, first, 1))


def cosines(records: Records, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    product, dots, _ = pair_sums(records, rows, others)
    return dots / np.sqrt(product)


def _without_itself(neighbours: np.ndarray, k: int) -> np.ndarray:
    """k neighbours of each that are not itself; what the index could not fill is filled with others."""
    n = len(neighbours)
    others = np.empty((n, k), dtype=np.int64)
    for i, row in enumerate(neighbours.tolist()):
        mine = [j for j in dict.fromkeys(row) if j >= 0 and j != i][:k]
        more = (j for j in range(n) if j != i and j not in mine)
        others[i] = mine + [next(more) for _ in range(k - len(mine))]
    return others


def _check(records: Records, k: int) -> None:
    if len(records) <= k:
        raise DataError(f"{k} neighbours need more than {k} records. Got {len(records)}.")
    empty = int((records.ones == 0).sum())
    if empty:
        raise DataError(f"{empty} records are empty and have no neighbours. Leave them out.")


@compiled
def _search(indptr, indices, cells, item_ptr, item_rows, item_cells, ones, lengths, first, queries, neighbours, near):
    """Bring the records of a tile into the neighbours of the asked ones: `near` is (x.y)^2 / |y|^2, largest first.

    Tiles come in order, so lower numbers come first among equally near ones.
    """
    n, k, whole = len(lengths), neighbours.shape[1], cells.dtype.type
    dots = np.zeros(n, cells.dtype)
    for place in range(len(queries)):
        q, mine, keys = queries[place], neighbours[place], near[place]
        for p in range(indptr[q], indptr[q + 1]):
            item, cell = indices[p], cells[p]
            if ones:
                for o in range(item_ptr[item], item_ptr[item + 1]):
                    dots[item_rows[o]] += cell
            else:
                for o in range(item_ptr[item], item_ptr[item + 1]):
                    dots[item_rows[o]] += cell * item_cells[o]
        for start in range(0, n, _BLOCK):
            part, size = dots[start : start + _BLOCK], lengths[start : start + _BLOCK]
            bound, nearer = whole(keys[k - 1] * _CLEAR), np.uint8(0)
            for j in range(_BLOCK):  # no branch: many at once
                nearer |= np.uint8(part[j] * part[j] > bound * size[j])
            if nearer:
                for j in range(_BLOCK):
                    key = np.float64(part[j]) ** 2 / np.float64(size[j])
                    if key <= keys[k - 1] or first + start + j == q or size[j] == np.inf:
                        continue
                    at = k - 1
                    while at > 0 and keys[at - 1] < key:
                        keys[at], mine[at] = keys[at - 1], mine[at - 1]
                        at -= 1
                    keys[at], mine[at] = key, first + start + j
            for j in range(_BLOCK):
                part[j] = 0
