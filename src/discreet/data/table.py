# SPDX-License-Identifier: Apache-2.0
"""A table of people: named columns, coded when first asked for.

`Table.of` takes any data frame, file or query; what comes out again is built from codes and distinct values only,
so that no index, no metadata, no unused level of the source can travel along.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from discreet.data.column import MISSING_MARKS, Column, Kind, encode
from discreet.data.read import ArrowSource, read
from discreet.errors import DataError, did_you_mean, listing


class Table:
    """Named columns of equal length, as codes.

    >>> t = Table.of({"age": [31, 45, None], "sex": ["f", "m", "f"]})
    >>> t.names, len(t), t.column("age").kind, t.column("age").codes.tolist()
    (('age', 'sex'), 3, 'number', [0, 1, 2])
    """

    def __init__(self, columns: Iterable[Column], *, frame: str = "arrow"):
        self._columns = {column.name: column for column in columns}
        self._arrow: pa.Table | None = None
        self.names = tuple(self._columns)
        self.frame = frame
        lengths = {len(column) for column in self._columns.values()}
        if len(lengths) > 1:
            raise DataError(f"The columns have different lengths: {sorted(lengths)}.")
        self._n_rows = lengths.pop() if lengths else 0

    @classmethod
    def of(
        cls,
        data: object,
        *,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        **csv_options,
    ) -> Table:
        """A table from a pandas, polars or Arrow frame, a DuckDB relation, a mapping, or the path of a CSV or Parquet
        file. `kinds` overrides the kind of a column, `missing` the marks of a missing cell; further options
        (delimiter, quote, encoding, names) go to the CSV reader and are found out when not given.
        """
        if isinstance(data, Table):
            return data
        source: ArrowSource = read(data, **csv_options)
        return cls._lazy(source, dict(kinds or {}), tuple(missing))

    @classmethod
    def _lazy(cls, source: ArrowSource, kinds: dict[str, Kind], missing: tuple[str, ...]) -> Table:
        unknown = [name for name in kinds if name not in source.table.column_names]
        if unknown:
            hint = did_you_mean(unknown[0], source.table.column_names)
            raise DataError(f"Kinds were given for columns that are not in the data: {listing(unknown)}.{hint}")
        table = cls([], frame=source.frame)
        table._arrow, table._kinds, table._missing = source.table, kinds, missing
        table.names, table._n_rows = tuple(source.table.column_names), source.table.num_rows
        return table

    def __len__(self) -> int:
        return self._n_rows

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        return f"Table({len(self)} rows, columns {listing(self.names)})"

    def column(self, name: str) -> Column:
        if name not in self._columns:
            if self._arrow is None or name not in self.names:
                raise DataError(f"There is no column {name!r}.{did_you_mean(name, self.names)}")
            kind = self._kinds.get(name)
            self._columns[name] = encode(name, self._arrow.column(name), kind=kind, missing=self._missing)
        return self._columns[name]

    def columns(self, names: Iterable[str] | None = None) -> list[Column]:
        return [self.column(name) for name in (self.names if names is None else names)]

    def select(self, names: Sequence[str]) -> Table:
        return Table(self.columns(names), frame=self.frame)

    def take(self, rows: np.ndarray) -> Table:
        """These rows, in this order; values that no longer occur are forgotten."""
        return Table([column.take(rows) for column in self.columns()], frame=self.frame)

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """This table with columns replaced or added."""
        return Table({**{c.name: c for c in self.columns()}, **{c.name: c for c in columns}}.values(), frame=self.frame)

    def to_arrow(self) -> pa.Table:
        return pa.table({column.name: column.to_arrow() for column in self.columns()})

    def to_frame(self, frame: str | None = None):
        """As the kind of frame it came from (files come back as Arrow), or as the one named."""
        table, frame = self.to_arrow(), frame or self.frame
        if frame == "pandas":
            return table.to_pandas()
        if frame == "polars":
            import polars

            return polars.from_arrow(table)
        if frame == "duckdb":
            import duckdb

            return duckdb.from_arrow(table)
        return table
