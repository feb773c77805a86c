# SPDX-License-Identifier: Apache-2.0
"""Read rows of items in batches, with everything about a row in one place, from any source of the DuckDB engine.

Two forms. Long: each line is a row id and one item; a line without an item says that the row is there. Lists: each line
is a row with the list of its items. The lines of a long file are mostly in the order of their rows, and then they are
read as they are, without a sort; where they are not, DuckDB sorts them by row id, on disk if necessary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.engines.sources import Source
from discreet.engines.stored_baskets_codes import Codes
from discreet.engines.stored_baskets_kernels import runs
from discreet.errors import DataError

_BATCH = 1 << 17  # lines read at a time
_LISTS = 1 << 14  # the same, where a line is a list
ROW, ITEM, LABEL, PERSON = "r", "i", "y", "p"


@dataclass(frozen=True)
class Form:
    """Which columns hold what; `row` is None for lists without row ids."""

    row: str | None
    item: str
    is_list: bool
    label: str | None = None
    person: str | None = None

    @property
    def items_alone(self) -> Form:
        """The same without labels and persons."""
        return replace(self, label=None, person=None)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that are read, by what they hold."""
        row = None if self.is_list else self.row
        named = {ROW: row, ITEM: self.item, LABEL: self.label, PERSON: self.person}
        return {what: name for what, name in named.items() if name is not None}


@dataclass(frozen=True)
class Lines:
    """A batch of (row, item) pairs as codes, and the label and person of each of its rows.

    row        the place of each pair's row in the batch
    items      -1 where there is none
    n_rows     number of rows
    continues  whether the first row is the last one of the batch before
    ids        the id of each row, where rows have ids
    labels     by row; empty if they come from elsewhere
    persons    by row; empty if every row is a person
    wrong      lines that disagree with the first line of their row about its label or person
    """

    row: np.ndarray
    items: np.ndarray
    n_rows: int
    continues: bool
    ids: pa.Array | None
    labels: np.ndarray
    persons: np.ndarray
    wrong: int = 0


class NotInOrderError(Exception):
    """The lines of some row may lie apart."""


def lines_of(source: Source, form: Form, codes: dict[str, Codes], *, ordered: bool) -> Iterator[Lines]:
    """The items of all rows. NotInOrderError, if not `ordered`, where the ids of rows fall."""
    if form.is_list:
        for batch in _batches(source, form, ordered=ordered):
            yield _of_lists(batch, codes)
        return
    rising = _Rising()
    for batch in _batches(source, form, ordered=ordered):
        ids = _plain(batch.column(ROW))
        if missing := _missing(ids):
            raise DataError(f"{missing} lines have no row id. Every line needs one.")
        lines = _of_runs(batch, ids, rising, codes)
        if not (ordered or rising.holds):
            raise NotInOrderError
        yield lines


def check_ids(source: Source, form: Form) -> None:
    """DataError unless each list has a row id of its own, if lists have any."""
    if form.row is None or not form.is_list:
        return
    cell = source.cell(form.row)
    if source.types[form.row] in ("FLOAT", "DOUBLE"):
        cell = f"CASE WHEN NOT isnan({cell}) THEN {cell} END"
    counted = source.scan([form.row]).aggregate(f"count(*), count({cell}), count(DISTINCT {cell})")
    ((lines, present, different),) = counted.fetchall()
    if present < lines:
        raise DataError(f"{lines - present} lines have no row id. Every line needs one.")
    if different < present:
        raise DataError(
            f"{present - different} row ids come again, and a list of items is a whole row. Give each line one item, or"
            " join the lists of a row; if every list is a row of its own, leave out its id."
        )


def _batches(source: Source, form: Form, *, ordered: bool) -> Iterator[pa.RecordBatch]:
    """The lines, in the order of the files, or sorted by row id."""
    if not ordered and source.files and source.dictionaries:
        batches = _parquet_batches(source, form)
    else:
        cells = {what: source.cell(name) for what, name in form.columns.items()}
        relation = source.scan([*form.columns.values(), *([form.row] if form.row else [])])
        if ordered and form.row is not None:
            relation = relation.order(source.cell(form.row))
        named = ", ".join(f"{cell} AS {what}" for what, cell in cells.items())
        batches = iter(relation.project(named).to_arrow_reader(_LISTS if form.is_list else _BATCH))
    return (batch for batch in batches if len(batch))


def _parquet_batches(source: Source, form: Form) -> Iterator[pa.RecordBatch]:
    """Directly, one file after the other; texts arrive as dictionaries, of which each entry is coded once."""
    columns = form.columns
    for path in source.files:
        with pq.ParquetFile(path) as file:
            texts = [field.name for field in file.schema_arrow if _is_text(field.type)]  # not in lists: pyarrow cannot
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            size = _LISTS if form.is_list else _BATCH
            for batch in file.iter_batches(size, columns=list(dict.fromkeys(columns.values()))):
                yield pa.record_batch([batch.column(name) for name in columns.values()], names=list(columns))


class _Rising:
    """Finds where rows begin, and whether their ids rise: as numbers or texts, or as texts by length first, as numbers
    written as texts do.
    """

    def __init__(self) -> None:
        self._last: pa.Array | None = None
        self._by_value = self._by_length = True

    @property
    def holds(self) -> bool:
        return self._by_value or self._by_length

    def rows(self, ids: pa.Array) -> tuple[np.ndarray, np.ndarray, bool]:
        """The row of each line, counted from the first of the batch; the first line of each row; and whether the first
        row is the last one of the batch before.
        """
        last = ids[:1] if self._last is None else self._last.cast(ids.type)
        if pa.types.is_integer(ids.type):
            row: np.ndarray = np.empty(len(ids), dtype=np.int32)
            first: np.ndarray = np.empty(len(ids), dtype=np.int32)
            cells = ids.to_numpy(zero_copy_only=False)
            n_rows, rises = runs(cells, last.to_numpy(zero_copy_only=False)[0], row, first)
            first = first[:n_rows]
            self._by_value, self._by_length = self._by_value and bool(rises), False
            same = last.equals(ids[:1])
        else:
            before = pa.concat_arrays([last, ids[:-1]])
            starts = np.array(pc.not_equal(ids, before))
            places = pa.array(np.flatnonzero(starts))
            self._compare(ids.take(places), before.take(places))
            same = not starts[0]
            starts[0] = True
            row, first = np.cumsum(starts, dtype=np.int32) - np.int32(1), np.flatnonzero(starts)
        continues = same and self._last is not None
        self._last = ids[-1:]
        return row, first, continues

    def _compare(self, ids: pa.Array, before: pa.Array) -> None:
        fell = np.asarray(pc.less(ids, before))
        self._by_value = self._by_value and not fell.any()
        if self._by_length and _is_text(ids.type):
            longer = np.asarray(pc.utf8_length(ids)) - np.asarray(pc.utf8_length(before))
            self._by_length = not ((longer < 0) | ((longer == 0) & fell)).any()
        else:
            self._by_length = False


def _of_runs(batch: pa.RecordBatch, ids: pa.Array, rising: _Rising, codes: dict[str, Codes]) -> Lines:
    row, first, continues = rising.rows(ids)
    own, wrong = {}, 0
    for what in (LABEL, PERSON):
        cells = codes[what].of(batch.column(what)) if what in batch.schema.names else np.zeros(0, np.int32)
        own[what] = cells[first] if len(cells) else cells
        wrong += int((cells != own[what][row]).sum()) if len(cells) else 0
    items = codes[ITEM].of(batch.column(ITEM))
    return Lines(row, items, len(first), continues, ids.take(pa.array(first)), own[LABEL], own[PERSON], wrong)


def _of_lists(batch: pa.RecordBatch, codes: dict[str, Codes]) -> Lines:
    lists = batch.column(ITEM)
    if lists.null_count:
        raise DataError(f"{lists.null_count} rows have no list of items. A row without items has an empty list.")
    items = lists.flatten()
    if missing := _missing(items):
        raise DataError(f"{missing} items of the lists are missing values. Leave them out of their rows.")
    row = np.repeat(np.arange(len(lists), dtype=np.int32), np.asarray(pc.list_value_length(lists)))
    own = {
        what: codes[what].of(batch.column(what)) if what in batch.schema.names else np.zeros(0, np.int32)
        for what in (LABEL, PERSON)
    }
    return Lines(row, codes[ITEM].of(items), len(lists), False, None, own[LABEL], own[PERSON])


def _missing(cells: pa.Array) -> int:
    """The number of cells that are missing or, among numbers, none."""
    floats = pa.types.is_floating(cells.type)
    return int(pc.sum(pc.is_null(cells, nan_is_null=True)).as_py() or 0) if floats else cells.null_count


def _plain(ids: pa.Array) -> pa.Array:
    return ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
