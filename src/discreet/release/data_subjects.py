# SPDX-License-Identifier: Apache-2.0
"""Estimate whether two data sets are about the same people, from a few hundred keyed hashes of each.

A likeness is a bottom-k sketch: each person (or row) is hashed with a key, and the SIZE smallest hashes are kept. The
hashes of two sketches below the smaller of their largest ones are a random sample of both data sets, so the share of
common ones estimates how much of the smaller data set is in the larger, with an interval. There are three kinds, as far
as the roles allow, and each is compared with its own kind:

ids      the values of a person or identifier column
rows     whole rows, all columns; of baskets and records, all items and the label
quasi    quasi-identifiers and the target

Rows of different people may be equal. By Good and Turing, a new row from the same source equals one of the table with a
probability of about 1 - (unique rows) / (rows); only a larger share is remarkable.

A likeness is stored in the ledger, encrypted under the ledger's key: without it, not even a guess can be tested.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.tally import is_engine
from discreet.data.column import Column
from discreet.data.records import Records, mixed, sums
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import quietly
from discreet.foundation.lazy_modules import is_sparse, special
from discreet.foundation.lazy_modules import sparse as sp

SIZE = 512  # hashes of a sketch
REMARKABLE = 0.1  # share of common people above which a warning is due
_LONGEST = 64  # bytes of a cell with hash words of their own; further bytes reuse them
_MANY = 100_000  # rows above which distinct rows are estimated from a sample
_FIRST = mixed(np.zeros(1, np.uint64))[0]
_NONCE, _TAG = 16, 8


@dataclass(frozen=True, eq=False)
class Likeness:
    """The smallest hashes of `units` different persons or rows; `chance` is the probability of a chance match."""

    kind: str
    units: int
    chance: float
    hashes: np.ndarray = field(repr=False)  # increasing, at most SIZE

    def sealed(self, key: bytes) -> dict[str, Any]:
        """The encrypted form that the ledger stores."""
        nonce = secrets.token_bytes(_NONCE)
        content = self.hashes.astype("<u8").tobytes()
        tag, stream = _stream(key, nonce, len(content))
        hidden = bytes(a ^ b for a, b in zip(content, stream, strict=True))
        text = base64.b64encode(nonce + tag + hidden).decode()
        return {"kind": self.kind, "units": self.units, "chance": self.chance, "hashes": text}

    @classmethod
    def unsealed(cls, sealed: dict[str, Any], key: bytes) -> Likeness | None:
        """The inverse of `sealed`; None if it was written under another key."""
        packed = base64.b64decode(sealed["hashes"])
        nonce, tag, hidden = packed[:_NONCE], packed[_NONCE : _NONCE + _TAG], packed[_NONCE + _TAG :]
        expected, stream = _stream(key, nonce, len(hidden))
        if tag != expected:
            return None
        content = bytes(a ^ b for a, b in zip(hidden, stream, strict=True))
        return cls(sealed["kind"], int(sealed["units"]), float(sealed["chance"]), np.frombuffer(content, dtype="<u8"))


@dataclass(frozen=True)
class Overlap:
    """The share of the smaller data set that is in the larger, with a 95 % interval."""

    kind: str
    share: float
    low: float
    high: float
    remarkable: bool


def overlap(one: Likeness, other: Likeness) -> Overlap | None:
    """The overlap of two likenesses of one kind; None if they cannot be compared.

    >>> people = DataSubjects(Table.of({"id": [f"p{i}" for i in range(2000)]}), Roles(person="id"))
    >>> ids = people.likenesses(bytes(32))[0]
    >>> overlap(ids, ids)
    Overlap(kind='ids', share=1.0, low=0.9928, high=1.0, remarkable=True)
    """
    if one.kind != other.kind or not len(one.hashes) or not len(other.hashes):
        return None
    small, large = sorted((one, other), key=lambda likeness: likeness.units)
    ends = [sketch.hashes[-1] if sketch.units > len(sketch.hashes) else None for sketch in (small, large)]
    end = min((e for e in ends if e is not None), default=None)
    inside = small.hashes if end is None else small.hashes[small.hashes <= end]
    if not len(inside):
        return None
    common = int(np.isin(inside, large.hashes).sum())
    share, (low, high) = common / len(inside), _clopper_pearson(common, len(inside))
    low, high = (share, share) if end is None else (low, high)  # the sketches are complete
    remarkable = low > max(REMARKABLE, large.chance)
    return Overlap(one.kind, share, round(low, 4), round(high, 4), remarkable)


class DataSubjects:
    """The people a release is about: its source data, read only if a ledger needs it."""

    def __init__(self, data: Any, roles: Any = None, y: Any = None):
        self._source = (data, roles, y)
        self._cached: tuple[bytes, list[Likeness]] | None = None

    @property
    def source(self) -> tuple[Any, Any, Any]:
        """The data, roles and labels; without data where they were not kept."""
        return self._source

    def __reduce__(self) -> Any:  # never pickle the data
        return DataSubjects, (None,)

    def likenesses(self, key: bytes) -> list[Likeness]:
        """The likenesses under a key, of all kinds that the data allow."""
        if self._cached is None or self._cached[0] != key:
            self._cached = (key, [*_likenesses(key, *self._source)])
        return self._cached[1]


def _likenesses(key: bytes, data: Any, roles: Any, y: Any) -> Iterator[Likeness]:
    hashing = _Hash(key)
    if not isinstance(roles, Roles):
        records, _ = quietly(_records, data, y if roles is None else roles)
        if records is not None:
            yield _sketched("rows", _hash_records(hashing, records))
        return
    if is_engine(data):
        yield from quietly(lambda: list(_of_engine(hashing, data, roles)))[0] or ()
        return
    table, _ = quietly(Table.of, data)
    if table is None:
        return
    quietly(table.columns)  # read all columns at once
    columns = {name: column for name in table.names if (column := quietly(table.column, name)[0]) is not None}
    persons = dict.fromkeys(name for name in (roles.person, *roles.identifiers) if name in columns)
    values = {name: hashing.texts(column.values) for name, column in columns.items()}
    yield from (_sketched("ids", values[name]) for name in persons)
    cells = {name: hashing.cells(column, values[name]) for name, column in columns.items()}
    quasi = [name for name in dict.fromkeys((*roles.quasi, roles.target)) if name in cells]
    for kind, names in (("rows", list(cells)), ("quasi", quasi)):
        if names:
            yield _sketched(kind, mixed(np.asarray(sum(cells[name] for name in names))))


def _of_engine(hashing: _Hash, engine: Any, roles: Roles) -> Iterator[Likeness]:
    """Of rows that stay in an engine: by persons and by quasi-identifiers, which are counted; not by whole rows."""
    persons = dict.fromkeys(name for name in (roles.person, *roles.identifiers) if name in engine.names)
    yield from (_sketched("ids", hashing.texts(engine.values(name).values)) for name in persons)
    counted = engine.tally([name for name in dict.fromkeys((*roles.quasi, roles.target)) if name in engine.names])
    cells = (hashing.cells(column, hashing.texts(column.values)) for column in map(counted.column, counted.columns))
    yield _sketched("quasi", mixed(np.asarray(sum(cells))), counted.counts.sum(axis=1))


def _records(data: Any, y: Any) -> Records:
    """The rows of baskets, records or any numeric matrix, even if `Records` refuses its numbers."""
    records, _ = quietly(Records.of, data)
    if records is None:
        matrix = sp.csr_array(data if is_sparse(data) else np.asarray(data, dtype=np.float64))
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        records = Records(matrix, tuple(f"x{j}" for j in range(matrix.shape[1])))
    labelled, _ = quietly(records.labelled, y)
    return records if y is None or labelled is None else labelled


def _hash_records(hashing: _Hash, records: Records) -> np.ndarray:
    names = hashing.texts(pa.array(records.names, pa.large_string()))
    cells = mixed(names[records.matrix.indices] ^ records.matrix.data.astype(np.float64).view(np.uint64))
    rows = sums(records.matrix.indptr, cells)
    if records.labels is not None and records.classes is not None:
        labels = hashing.texts(pa.array([str(label) for label in records.classes.tolist()], pa.large_string()))
        rows = rows + mixed(labels)[records.labels]
    return mixed(rows)


def _sketched(kind: str, hashes: np.ndarray, rows: np.ndarray | None = None) -> Likeness:
    """The likeness of hashed rows; of many rows, a sample by hash, which keeps equal rows together.

    `rows` are the numbers of rows that each hash stands for, if that is not one.
    """
    if rows is not None:
        order = np.argsort(hashes, kind="stable")
        chance = 1 - float((rows == 1).sum()) / max(int(rows.sum()), 1)
        return Likeness(kind, len(hashes), chance, hashes[order][:SIZE])
    share = min(1.0, _MANY / max(len(hashes), 1))
    sample = hashes if share == 1 else hashes[hashes < np.uint64(share * 2.0**63) * np.uint64(2)]
    distinct, times = np.unique(sample, return_counts=True)
    if share < 1 and len(distinct) < SIZE:
        share, (distinct, times) = 1.0, np.unique(hashes, return_counts=True)
    chance = 0.0 if kind == "ids" else 1 - float((times == 1).sum()) / max(int(times.sum()), 1)
    return Likeness(kind, round(len(distinct) / share), chance, distinct[:SIZE])


class _Hash:
    """Keyed 64-bit hashes of texts: a random word for each byte and position, summed and mixed."""

    def __init__(self, key: bytes):
        drawn = hashlib.shake_256(key + b"likeness").digest(8 * _LONGEST * 256)
        self._words = np.frombuffer(drawn, dtype="<u8").astype(np.uint64).reshape(_LONGEST, 256) | np.uint64(1)

    def texts(self, values: pa.Array) -> np.ndarray:
        """A hash for each value, which depends only on its text."""
        if not len(values):
            return np.empty(0, np.uint64)
        texts = values if pa.types.is_large_string(values.type) else values.cast(pa.large_string())
        texts = pa.concat_arrays([texts]) if texts.offset else texts  # from the first byte on
        offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64, count=len(texts) + 1)
        data = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)[: offsets[-1]]
        lengths = np.diff(offsets)
        place = np.arange(len(data)) - np.repeat(offsets[:-1], lengths)
        if len(data) and lengths.max() > _LONGEST:
            words = self._words[place % _LONGEST, data] * mixed((place // _LONGEST).astype(np.uint64))
        else:
            words = self._words.ravel()[(place << 8) + data] * _FIRST
        return mixed(sums(offsets, words) + self._words[0, 0] * lengths.astype(np.uint64))

    def cells(self, column: Column, values: np.ndarray) -> np.ndarray:
        """A hash for each row of a column, including the column's name; missing cells have a hash of their own."""
        name = self.texts(pa.array([column.name], pa.large_string()))[0]
        return mixed(np.append(values, self._words[1, 1]) ^ name)[column.codes]


def _stream(key: bytes, nonce: bytes, length: int) -> tuple[bytes, bytes]:
    drawn = hashlib.shake_256(key + b"seal" + nonce).digest(_TAG + length)
    return drawn[:_TAG], drawn[_TAG:]


def _clopper_pearson(common: int, n: int) -> tuple[float, float]:
    low = 0.0 if not common else float(special.betaincinv(common, n - common + 1, 0.025))
    return low, 1.0 if common == n else float(special.betaincinv(common + 1, n - common, 0.975))
