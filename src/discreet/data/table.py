# SPDX-License-Identifier: Apache-2.0
"""A table of people: named columns, coded on first access.

`Table.of` takes any data frame, file or query. Output is built from codes and distinct values only, so that no index,
metadata or unused level of the source can leak.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.cells import Cells
from discreet.data.column import KINDS, MISSING_MARKS, Column, Kind, encode, from_labels
from discreet.data.content import Columns, Content, File, PublishedColumn, columns_with_roles
from discreet.data.csv import public_dialect
from discreet.data.how_read import ColumnReading, HowRead
from discreet.data.notation import Formats
from discreet.data.read import ArrowSource, read
from discreet.data.reading import Marks
from discreet.data.storage import ROW_GROUP, read_cells, write_cells, write_columns
from discreet.data.text_reader import TextReader, certain_columns
from discreet.errors import DataError, did_you_mean, listing, quietly, shown
from discreet.foundation.displayed import Displayed
from discreet.foundation.frame_output import Framed, as_frame

if TYPE_CHECKING:
    from discreet.data.roles import Roles

_BITS = frozenset({"0", "1", "true", "false"})
PERSON = "\x00person"  # a column name no file can have
_MANY_ROWS = 200_000  # from which columns are coded in parallel


@dataclass(frozen=True)
class _Origin:
    """The source cells of a table, before kinds of columns are inferred."""

    source: ArrowSource
    marks: Marks
    formats: Formats
    rows: np.ndarray | None = None  # of the source; None means all
    without: frozenset[str] = frozenset()  # columns replaced since

    def cells(self, name: str) -> Cells:
        raw = self.source.objects.get(name)
        cells = Cells.of(
            self.source.table.column(name) if raw is None else raw,
            marks=self.marks,
            encoding=self.source.encoding,
            notations=self.formats.given(name).of_cells,
        )
        return cells if self.rows is None else cells.take(self.rows)


def _by_cells(name: str, cells: Cells) -> Column:
    texts = [text.encode("utf-8", "replace").decode() for text in cells.texts]
    return from_labels(name, [*texts, None], cells.codes)


def is_bit(column: Column) -> bool:
    """Whether all cells are 0 or 1, or truth values."""
    return column.levels <= 2 and not column.has_missing and set(column.texts) <= _BITS


class Table(Displayed, Framed, Content):
    """Named columns of equal length, as codes.

    >>> t = Table.of({"age": [31, 45, None], "sex": ["f", "m", "f"]})
    >>> t.names, len(t), t.column("age").kind, t.column("age").codes.tolist()
    (('age', 'sex'), 3, 'number', [0, 1, 2])
    """

    has_cells = True
    names: tuple[str, ...]

    def __init__(self, columns: Iterable[Column], *, frame: str = "arrow"):
        columns = list(columns)
        self._columns = {column.name: column for column in columns}
        if len(self._columns) < len(columns):
            raise DataError(
                f"{len(columns) - len(self._columns)} of {len(columns)} columns repeat the name of another."
            )
        self._source: ArrowSource | None = None
        self._kinds: dict[str, Kind] = {}
        self._missing: tuple[str, ...] = MISSING_MARKS
        self._origin: _Origin | None = None
        self._declared: dict[str, Kind] = {}  # kinds, including those of the table it was derived from
        self._reader: TextReader | None = None  # None if texts were read before
        self._readings: dict[str, ColumnReading] = {}
        self._recognising: frozenset[str] | None = None  # columns whose texts are read; None for all
        self._certain: list[ColumnReading] | None = None
        self.names = tuple(self._columns)
        self._known = frozenset(self.names)
        self.frame = frame
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise DataError(f"The columns have different lengths, from {min(lengths)} to {max(lengths)}.")
        self._n_rows = lengths.pop() if lengths else 0

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] | None = None,
        decimal: str | Mapping[str, str] | None = None,
        thousands: str | Mapping[str, str] | None = None,
        date_format: str | Mapping[str, str] | None = None,
        empty: bool = False,
        **csv_options: Any,
    ) -> Table:
        """A table from a pandas, polars or Arrow frame, a DuckDB relation, a mapping, or a file of any kind that
        docs/files.md lists, of which `table` names the sheet or table if there are several.

        `kinds` overrides the inferred kinds of columns, `missing` the marks of a missing cell (an empty cell always
        is). How texts write numbers and dates is recognised from all cells of a column (see `reading`), or said, for
        all columns or by their names: `decimal` and `thousands` are the marks in numbers, `date_format` is day-first,
        month-first, year-first or a format such as %d.%m.%Y. Further options (delimiter, quote, encoding, names,
        header) go to the CSV reader, which otherwise detects them. `empty` allows a table without rows.
        """
        missing = MISSING_MARKS if missing is None else (missing,) if isinstance(missing, str) else tuple(missing)
        formats = Formats.of(decimal=decimal, thousands=thousands, date_format=date_format)
        if isinstance(data, Table):
            if formats != Formats():
                data = data.reread(formats=formats)
            if not kinds and missing == MISSING_MARKS and not csv_options:
                return data
            table = cls._lazy(read(data.to_arrow(), **csv_options), kinds or {}, missing, frame=data.frame)
            table._recognising = frozenset(kinds or ())
            table._readings = {name: one for name, one in data._readings.items() if name not in (kinds or ())}
            if data._origin is not None:
                both = data._origin.marks.texts | Marks.of(missing).texts
                table._origin = replace(data._origin, marks=Marks(both))
            table._declared = data._declared | table._declared
            return table
        return cls._lazy(read(data, empty=empty, **csv_options), kinds or {}, missing, formats)

    @classmethod
    def by_cells(cls, data: Any, *, dialect: Mapping[str, Any] | None = None, **options: Any) -> Table:
        """As `of`, for use with `cells`: a table without rows is allowed, and delimiter, quote and header of a CSV file
        are detected from its first line alone, unless `dialect` sets them."""
        if isinstance(data, Table):
            return data
        detected = public_dialect(Path(os.fsdecode(data))) if isinstance(data, (str, os.PathLike)) else {}
        specified = {name: value for name, value in (dialect or {}).items() if value is not None}
        if "names" in specified or "header" in specified:
            detected.pop("header", None)
        return cls.of(data, empty=True, **options, **detected | specified)

    @classmethod
    def _lazy(
        cls,
        source: ArrowSource,
        kinds: Mapping[str, Kind],
        missing: Sequence[str],
        formats: Formats | None = None,
        *,
        frame: str | None = None,
    ) -> Table:
        formats = formats or Formats()
        names = source.table.column_names
        unknown = [name for name in kinds if name not in set(names)]
        if unknown:
            hint = did_you_mean(unknown[0], names)
            raise DataError(f"Kinds are set for columns that are not in the data: {listing(unknown)}.{hint}")
        formats.check_names(tuple(names))
        table = cls([], frame=frame or source.frame)
        table._reader = TextReader(formats, source.delimiter == ";", table._shown_elsewhere)
        table._source, table._missing = source, tuple(missing)
        texts: dict[str, Kind] = dict.fromkeys(source.texts, "category")
        table._kinds = texts | dict(kinds)
        table._origin, table._declared = _Origin(source, Marks.of(missing), formats), dict(kinds)
        table.names, table._known, table._n_rows = tuple(names), frozenset(names), source.table.num_rows
        return table

    def __len__(self) -> int:
        return self._n_rows

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __repr__(self) -> str:
        return f"Table({len(self)} rows, columns {listing(self.names)})"

    def column(self, name: str) -> Column:
        if name not in self._columns:
            self._columns[name] = self._coded(name)
        return self._columns[name]

    def columns(self, names: Iterable[str] | None = None) -> list[Column]:
        """These columns, or all, in this order."""
        names = list(self.names if names is None else names)
        fresh = [name for name in dict.fromkeys(names) if name not in self._columns]
        if len(fresh) > 1 and len(self) >= _MANY_ROWS:  # Arrow and NumPy release the GIL
            with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
                self._columns.update(zip(fresh, pool.map(self._coded, fresh), strict=True))
        return [self.column(name) for name in names]

    def _coded(self, name: str) -> Column:
        if self._source is None or name not in self._known:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self.names)}")
        if name in self._source.unusable:
            raise DataError(self._source.unusable[name])
        column = encode(
            name,
            self._source.table.column(name),
            kind=self._kinds.get(name),
            missing=self._missing,
            reader=self._reader if self._source.recognise and name in (self._recognising or self._known) else None,
        )
        if column.reading is not None:
            self._readings[name] = column.reading
        return column

    def _shown_elsewhere(self, name: str) -> list[ColumnReading]:
        """What the other columns show for certain about decimal marks and dates."""
        if self._certain is None and self._source is not None:
            self._certain = certain_columns(self._source.table, self._missing)
        return [one for one in self._certain or () if one.name != name]

    @property
    def reading(self) -> HowRead:
        """How the columns that were used so far were read: `reading.sentences()` says so, with counts."""
        order = {name: self._readings[name] for name in self.names if name in self._readings}
        return HowRead.of(None if self._origin is None else self._origin.source, order)

    @property
    def notations(self) -> dict[str, str]:
        """The names of the notations of columns whose texts are not plain, as a release records them."""
        return {name: one.notation.name for name, one in self._readings.items() if one.notation is not None}

    def reread(self, *, kinds: Mapping[str, Kind] | None = None, **how: Any) -> Table:
        """The table read again from its source, with other kinds, otherwise as `TextReader.but` says.

        Of a table made from others, only texts are read anew.
        """
        kinds = self._kinds | {name: kind for name, kind in (kinds or {}).items() if name in self._known}
        reader = (self._reader or TextReader()).but(**how)
        if self._source is not None:
            table = self._lazy(self._source, kinds, self._missing, reader.formats, frame=self.frame)
            table._recognising = self._recognising
        else:
            table = self._lazy(ArrowSource(self.to_arrow(), self.frame), kinds, self._missing, reader.formats)
            table._recognising = frozenset({*kinds, *reader.formats.names, *reader.formats.recorded})
        table._reader = replace(reader, elsewhere=how.get("elsewhere") or table._shown_elsewhere)
        table._declared = self._declared | kinds
        return table

    def cells(self, name: str) -> Cells:
        """The source cells of a column, each read by itself, independent of the column's kind.

        For a derived column, such as one of labels, its values are the cells.
        """
        if name not in self._known:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self.names)}")
        if self._origin is None or name in self._origin.without:
            return Cells.of(self.column(name).to_arrow(), marks=Marks.of(()))
        return self._origin.cells(name)

    def readable(self, names: Iterable[str]) -> Table:
        """This table if these columns can be read; otherwise one in which unreadable columns become categories, each
        cell read by itself. For the owner only: which of the two it is depends on the cells."""
        read = {name: quietly(self.column, name, errors=(DataError,))[0] for name in names}
        if all(column is not None for column in read.values()):
            return self
        others = {name: quietly(self.column, name, errors=(DataError,))[0] for name in self.names if name not in read}
        columns = {name: column or _by_cells(name, self.cells(name)) for name, column in (read | others).items()}
        return self._derived([columns[name] for name in self.names if name in columns])

    def declared(self, name: str) -> Kind | None:
        """The declared kind of a column; None if it is inferred."""
        return self._declared.get(name)

    def select(self, names: Sequence[str]) -> Table:
        """These columns only."""
        return self._derived(self.columns(names))

    def take(self, rows: np.ndarray) -> Table:
        """These rows, in this order; values that no longer occur are dropped."""
        table = self._derived([column.take(rows) for column in self.columns()])
        if self._origin is not None:
            before = self._origin.rows
            table._origin = replace(self._origin, rows=np.asarray(rows) if before is None else before[rows])
        return table

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """This table with columns replaced or added."""
        changed = {column.name: column for column in columns}
        current = {name: changed.get(name) or self.column(name) for name in self.names}
        table = self._derived([*current.values(), *(column for name, column in changed.items() if name not in current)])
        if self._origin is not None:
            table._origin = replace(self._origin, without=self._origin.without.union(changed))
        return table

    def _derived(self, columns: list[Column]) -> Table:
        table = Table(columns, frame=self.frame)
        table._origin, table._declared, table._readings = self._origin, self._declared, self._readings
        if not columns:
            table._n_rows = len(self)
        return table

    def head(self, rows: int = 5) -> Any:
        """The first rows, as the kind of frame the table came from; the display of a table shows no cells."""
        return self.take(np.arange(min(max(rows, 0), len(self)))).to_frame()

    def to_arrow(self) -> pa.Table:
        return pa.table({column.name: column.to_arrow() for column in self.columns()})

    def to_frame(self, frame: str | None = None) -> Any:
        """The table as the kind of frame it came from (Arrow for files), or as `frame`."""
        return as_frame(self.to_arrow(), frame or self.frame)

    # -- published -------------------------------------------------------------------------------------------------

    @property
    def shape_name(self) -> str:
        return "table"

    @property
    def data(self) -> Any:
        return self.to_frame()

    @property
    def n_rows(self) -> int:
        return self._n_rows

    def equals(self, other: Content) -> bool:
        return (
            isinstance(other, Table)
            and self.names == other.names
            and all(
                mine.texts == theirs.texts and np.array_equal(mine.codes, theirs.codes)
                for mine, theirs in zip(self.columns(), other.columns(), strict=True)
            )
        )

    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        return columns_with_roles({column.name: column.kind for column in self.columns()}, roles)

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        return super().fits(columns) and {column.kind for column in columns} <= set(KINDS)

    def value_columns(self, names: Sequence[str]) -> list[Column]:
        return [
            Column(one.name, one.kind, one.values, np.arange(one.levels, dtype=np.int32)) for one in self.columns(names)
        ]

    def with_persons(self, persons: np.ndarray | None, roles: Roles | None) -> tuple[Table, Roles | None]:
        if persons is None or roles is None:
            return self, roles
        return self.with_columns([encode(PERSON, pa.array(persons), kind="number")]), replace(roles, person=PERSON)

    def quasi_codes(self, quasi: Sequence[str]) -> tuple[list[np.ndarray], list[int]]:
        columns = self.columns(quasi)
        return [column.codes for column in columns], [column.levels for column in columns]

    def n_items(self, quasi: Sequence[str]) -> int:
        return len(quasi) if all(map(is_bit, self.columns(quasi))) else 0

    def text_size(self) -> int:
        """Bytes of the texts of all cells; in a Parquet file one long text may stand for a million cells."""
        total = 0
        for column in self.columns():
            if pa.types.is_string(column.values.type):
                lengths = np.append(pc.binary_length(column.values).to_numpy(zero_copy_only=False).astype(np.int64), 0)
                total += int(lengths @ np.bincount(column.codes, minlength=len(lengths)))
        return total

    @classmethod
    def file_names(cls, shape: str) -> tuple[str, ...]:
        return "data.csv", "data.parquet"

    def write(self, target: File, format: str = "parquet", *, input_again: bool = False) -> None:
        """Write the table; `input_again` leaves formulas in CSV unchanged, for files that are read as input."""
        if format == "parquet" and len(self) > ROW_GROUP:
            write_columns(self.columns(), target)
            return
        cells = pa.table({column.name: column.to_dictionary() for column in self.columns()})
        write_cells(cells, target, format, input_again=input_again)

    @classmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> Table:
        return cls(read_cells(source, {column.name: column.kind for column in columns}, rows=rows))  # type: ignore[misc]
