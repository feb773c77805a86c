# SPDX-License-Identifier: Apache-2.0
"""A table of people: named columns, coded when first asked for.

`Table.of` takes any data frame, file or query; what comes out again is built from codes and distinct values only,
so that no index, no metadata, no unused level of the source can travel along.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.column import MISSING_MARKS, Column, Kind, encode
from discreet.data.read import ArrowSource, read
from discreet.errors import DataError, did_you_mean, listing, shown

_MANY_ROWS = 200_000  # from here on several columns are coded at once


class Table:
    """Named columns of equal length, as codes.

    >>> t = Table.of({"age": [31, 45, None], "sex": ["f", "m", "f"]})
    >>> t.names, len(t), t.column("age").kind, t.column("age").codes.tolist()
    (('age', 'sex'), 3, 'number', [0, 1, 2])
    """

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
        missing: Sequence[str] = MISSING_MARKS,
        **csv_options,
    ) -> Table:
        """A table from a pandas, polars or Arrow frame, a DuckDB relation, a mapping, or the path of a CSV or Parquet
        file. `kinds` overrides the kind of a column, `missing` the marks of a missing cell (an empty cell always is);
        further options (delimiter, quote, encoding, names, header) go to the CSV reader and are found when not given.
        """
        if isinstance(missing, str):
            missing = (missing,)
        if isinstance(data, Table):
            if not kinds and tuple(missing) == MISSING_MARKS and not csv_options:
                return data
            return cls._lazy(read(data.to_arrow(), **csv_options), kinds or {}, missing, frame=data.frame)
        return cls._lazy(read(data, **csv_options), kinds or {}, missing)

    @classmethod
    def _lazy(
        cls, source: ArrowSource, kinds: Mapping[str, Kind], missing: Sequence[str], *, frame: str | None = None
    ) -> Table:
        names = source.table.column_names
        unknown = [name for name in kinds if name not in set(names)]
        if unknown:
            hint = did_you_mean(unknown[0], names)
            raise DataError(f"Kinds were given for columns that are not in the data: {listing(unknown)}.{hint}")
        table = cls([], frame=frame or source.frame)
        table._source, table._kinds, table._missing = source, dict(kinds), tuple(missing)
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
        if len(fresh) > 1 and len(self) >= _MANY_ROWS:  # Arrow and NumPy let go of the interpreter while they work
            with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
                self._columns.update(zip(fresh, pool.map(self._coded, fresh), strict=True))
        return [self.column(name) for name in names]

    def _coded(self, name: str) -> Column:
        if self._source is None or name not in self._known:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self.names)}")
        if name in self._source.unusable:
            raise DataError(self._source.unusable[name])
        return encode(name, self._source.table.column(name), kind=self._kinds.get(name), missing=self._missing)

    def select(self, names: Sequence[str]) -> Table:
        """These columns only."""
        return self._derived(self.columns(names))

    def take(self, rows: np.ndarray) -> Table:
        """These rows, in this order; values that no longer occur are forgotten."""
        return Table([column.take(rows) for column in self.columns()], frame=self.frame)

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """This table with columns replaced or added."""
        changed = {column.name: column for column in columns}
        kept = {name: changed.get(name) or self.column(name) for name in self.names}
        return self._derived([*kept.values(), *(column for name, column in changed.items() if name not in kept)])

    def _derived(self, columns: list[Column]) -> Table:
        table = Table(columns, frame=self.frame)
        if not columns:
            table._n_rows = len(self)
        return table

    def to_arrow(self) -> pa.Table:
        return pa.table({column.name: column.to_arrow() for column in self.columns()})

    def to_frame(self, frame: str | None = None) -> Any:
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
