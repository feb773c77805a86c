# SPDX-License-Identifier: Apache-2.0
"""Sketches at collection time and of streams: batch by batch, in memory that does not grow with the stream.

DeltaSketch looks at one record at a time, so a stream gives the sketches that all its records at once would give. Each
batch is checked before it goes out. The items and their order are the owner's, beside the key: items that are not on
the list are left out and counted.

Records come out in the order they came in, suppressed ones as empty sketches. That order, and which records were
suppressed, is more than a release tells: shuffle the sketches before you publish them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.baskets import ITEMS
from discreet.data.content import LABEL
from discreet.data.records import Records
from discreet.errors import CannotRelease, DataError, ParameterError, PromiseBroken, Setting
from discreet.foundation.lazy_modules import sparse as sp
from discreet.methods.sketches.delta_sketch import DeltaSketch
from discreet.sketching.component_limits import determined
from discreet.sketching.signs import KEY_FILE, Signs, read_key, write_key
from discreet.sketching.sketches import SKETCH, Sketches, sketch

BLOCK = 2**20  # bytes of text that are read at a time
_UNKNOWN, _EMPTY = -1, -2  # cells that are no item of the list


@dataclass
class StreamCounts:
    """Counts of a stream so far."""

    records: int = 0
    suppressed: int = 0
    components: int = 0
    unknown: int = 0  # items that are not on the list


def owners_key(folder: Path | str, items: Iterable[str] | None = None) -> tuple[Signs, tuple[str, ...]]:
    """Read the key in the owner's folder, with the names of the items; create one if there is none and items are given.

    The folder is made for the owner alone (0700), the file too (0600). A key that others may read is refused.
    """
    path = Path(folder) / KEY_FILE
    names = None if items is None else tuple(items)
    if path.exists():
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise DataError(
                f"{KEY_FILE} can be read by others: anyone who has the key knows the signs. Set its mode 0600."
            )
        signs, listed = read_key(path)
        if names is not None and names != listed:
            raise DataError(
                f"The key is for {len(listed)} items; the list has {len(names)}, or others. Use a new folder."
            )
        return signs, listed
    if names is None:
        raise DataError(f"There is no {KEY_FILE} in the owner's folder. Give a list of items to create one.")
    if not names or len(set(names)) < len(names):
        raise DataError(f"A key needs different items; {len(names)} were given, {len(set(names))} of them different.")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    signs = Signs.fresh(len(names))
    write_key(signs, names, path)
    return signs, names


def line_batches(stream: IO[bytes], separator: str | None = None, *, label_first: bool = False) -> Iterator[pa.Table]:
    """Batches of records from lines of items in UTF-8.

    >>> import io
    >>> [batch.column("items").to_pylist() for batch in line_batches(io.BytesIO(b"tea milk\\nrye\\n"))]
    [[['tea', 'milk'], ['rye']]]
    """
    incomplete = b""
    while block := stream.read(BLOCK):
        whole, newline, rest = (incomplete + block).rpartition(b"\n")
        incomplete = rest
        if newline:
            yield _cut(whole, separator, label_first)
    if incomplete:
        yield _cut(incomplete, separator, label_first)


def _cut(block: bytes, separator: str | None, label_first: bool) -> pa.Table:
    try:
        lines = pa.array(block.decode("utf-8").replace("\r\n", "\n").split("\n"), pa.large_string())
    except UnicodeDecodeError:
        raise DataError("The lines of a stream must be text in UTF-8; these are not.") from None
    if separator is None:
        lists = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(lines))
    else:
        lists = pc.split_pattern(lines, separator)
    if not label_first:
        return pa.table({ITEMS: lists})
    return pa.table({LABEL: pc.list_element(lists, 0), ITEMS: pc.list_slice(lists, 1)})


def records_of(batch: pa.Table | pa.RecordBatch, names: pa.Array, account: StreamCounts, *, counts: bool) -> Records:
    """The records of a batch: a list of items each, and a label where there is one. An item that is named twice counts
    twice with `counts`, else once.
    """
    if ITEMS not in batch.schema.names:
        raise DataError(f"A batch needs a column {ITEMS!r}, a list of items for each record; it has none.")
    lists = batch.column(ITEMS)
    lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise DataError(f"The column {ITEMS!r} must hold a list of items for each record; it holds {lists.type}.")
    if lists.null_count:
        raise DataError(f"{lists.null_count} records of a batch are missing. An empty list is a record without items.")
    cells = lists.flatten().cast(pa.large_string()).dictionary_encode()  # each different text is looked at once
    texts = pc.utf8_trim_whitespace(cells.dictionary)
    places = np.asarray(pc.fill_null(pc.index_in(texts, value_set=names), _UNKNOWN), dtype=np.int64)
    places = np.append(np.where(np.asarray(pc.equal(texts, ""), dtype=bool), _EMPTY, places), _EMPTY)
    items = places[np.asarray(pc.fill_null(cells.indices, len(texts)))]
    sizes = np.asarray(pc.list_value_length(lists), dtype=np.int64)
    row_of = np.repeat(np.arange(len(lists), dtype=np.int64), sizes)
    account.unknown += int((items == _UNKNOWN).sum())
    is_listed = items >= 0
    each, times = np.unique(row_of[is_listed] * len(names) + items[is_listed], return_counts=True)
    data = times.astype(np.int32) if counts else np.ones(len(each), dtype=np.int32)
    starts = np.searchsorted(each, np.arange(len(lists) + 1, dtype=np.int64) * len(names)).astype(np.int32)
    matrix = sp.csr_array((data, (each % len(names)).astype(np.int32), starts), shape=(len(lists), len(names)))
    records = Records(matrix, ())
    if LABEL not in batch.schema.names:
        return records
    labels = batch.column(LABEL).cast(pa.string())
    if labels.null_count:
        raise DataError(f"{labels.null_count} records of a batch have no label.")
    coded = (labels.combine_chunks() if isinstance(labels, pa.ChunkedArray) else labels).dictionary_encode()
    classes = np.array(coded.dictionary.to_pylist(), dtype=object)
    return replace(records, labels=coded.indices.to_numpy(), classes=classes)


def sketch_stream(
    batches: Iterable[pa.Table | pa.RecordBatch],
    method: DeltaSketch,
    signs: Signs,
    names: Iterable[str],
    account: StreamCounts | None = None,
    *,
    counts: bool = False,
) -> Iterator[Sketches]:
    """The sketches of each batch, checked.

    >>> batch = pa.table({"items": [["tea", "milk", "rye"], ["gin"], ["rye", "tea"]]})
    >>> account, method = StreamCounts(), DeltaSketch(0.5, information=None, allow_determined=True)
    >>> signs, names = Signs(bytes(32), 3), ["milk", "rye", "tea"]
    >>> [s.counts.tolist() for s in sketch_stream([batch], method, signs, names, account)]
    [[4, 0, 2]]
    >>> account
    StreamCounts(records=3, suppressed=1, components=6, unknown=1)
    """
    account = StreamCounts() if account is None else account
    items = pa.array(list(names), pa.large_string())
    if len(items) != signs.n_items:
        raise ParameterError(f"The key is for {signs.n_items} items; {len(items)} names were given.")
    for batch in batches:
        records = records_of(batch, items, account, counts=counts)
        if len(records):
            yield _checked(records, method, signs, account)


def _checked(records: Records, method: DeltaSketch, signs: Signs, account: StreamCounts) -> Sketches:
    sizes = method.components(records)
    full = int(determined(records, sizes).sum())
    if full and not method.allow_determined:
        raise CannotRelease(
            f"{full} of {len(records)} sketches can carry all the bits of their records. Set information below 1, ask"
            " for more blur, or say ",
            Setting("allow_determined", True),
            ".",
        )
    sketches = sketch(records, signs, sizes)
    verdict = method.promise.check_with_source(sketches, None, records)
    if not verdict.holds:
        raise PromiseBroken(verdict.sentence())
    account.records += len(sketches)
    account.suppressed += int((sketches.counts == 0).sum())
    account.components += len(sketches.values)
    return sketches


def as_batch(sketches: Sketches) -> pa.Table:
    """Sketches in the columns that published files have."""
    lists = pa.ListArray.from_arrays(pa.array(sketches.offsets, pa.int32()), pa.array(sketches.values))
    if sketches.labels is None:
        return pa.table({SKETCH: lists})
    texts = pa.array([str(label) for label in sketches.classes.tolist()], pa.string())  # type: ignore[union-attr]
    return pa.table({LABEL: texts.take(pa.array(sketches.labels)), SKETCH: lists})


def add_items(sketches: Sketches, rows: Any, items: Any, signs: Signs, amounts: Any = 1) -> Sketches:
    """The sketches after records gained items, one item for each row that is named; the same as sketching anew with as
    many components. The variance of no cell falls by it, so delta-anonymity stays.

    Replace the old sketch by the new one, and publish one of them only: their difference is the item's signs.

    >>> signs = Signs(bytes(32), 4)
    >>> grown = add_items(sketch([[1, 0, 1, 0]], signs, 5), [0], [3], signs)
    >>> grown.values.tolist() == sketch([[1, 0, 1, 1]], signs, 5).values.tolist()
    True
    """
    rows, items, amounts = np.broadcast_arrays(np.atleast_1d(rows), items, amounts)
    if (np.asarray(amounts) < 0).any():
        raise ParameterError("Records gain items: an amount below zero was given.")
    values = sketches.values.astype(np.result_type(sketches.values, amounts, np.int32))
    gained = signs.of(items, int(sketches.counts.max(initial=1)))
    for row, amount, sign in zip(rows.tolist(), amounts.tolist(), gained, strict=True):
        values[sketches.offsets[row] : sketches.offsets[row + 1]] += (amount * sign[: sketches.counts[row]]).astype(
            values.dtype
        )
    return replace(sketches, values=values)
