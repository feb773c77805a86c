# SPDX-License-Identifier: Apache-2.0
"""From groups of raw cells, as an engine's GROUP BY returns them, to the tally of the table in memory.

Engines group cells as they are stored. What a cell means is inferred here as for any table (`discreet.data`), on the
distinct rows, and rows that differ only in spelling ("1" and "1.0") are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from discreet.counting.tally import Tally, tally, tally_of_groups
from discreet.data.column import MISSING_MARKS, Column, Kind, encode
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, listing, shown

_PERSON = "\0person"  # a name that no column has


class RawGroups:
    """Base of engines that group raw cells. An engine implements `_grouped`, `_distinct` and `_is_exact`."""

    def __init__(self, names: Sequence[str], kinds: Mapping[str, Kind] | None, missing: Sequence[str]):
        self._names = tuple(names)
        self._kinds = dict(kinds or {})
        self._missing = (missing,) if isinstance(missing, str) else tuple(missing)
        unknown = [name for name in self._kinds if name not in self._names]
        if unknown:
            hint = did_you_mean(unknown[0], self._names)
            raise DataError(f"Kinds are set for columns that are not in the data: {listing(unknown)}.{hint}")

    # -- what an engine implements -----------------------------------------------------------------------------------

    def _grouped(self, names: Sequence[str], person: str | None = None) -> pa.Table:
        """The distinct rows of raw cells: c0, c1 and so on, their number n, and the number of distinct persons."""
        raise NotImplementedError

    def _distinct(self, names: Sequence[str]) -> pa.Table:
        """The distinct rows of raw cells, c0, c1 and so on."""
        raise NotImplementedError

    def _is_exact(self, name: str) -> bool:
        """Whether two different cells of the column are two values by their type: whole numbers, truth, dates."""
        raise NotImplementedError

    # -- the protocol ------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` with their counts, as `counting.tally.tally` gives them for a table."""
        for name in (*columns, target, person):
            if name is not None:
                self._known(name)
        if person is None:
            return self._tally(columns, target)[0]
        counted = None if target is None else self._tally(columns, target)[0]
        if not self._may_repeat(person):
            persons, joined = self._tally(columns, person=person)
            if not joined:
                return persons if counted is None else replace(counted, sizes=_same(counted, persons).sizes)
        counted = counted or self._tally(columns)[0]
        return replace(counted, sizes=_same(counted, self._of_pairs(columns, person)).sizes)

    def values(self, name: str) -> Column:
        """The distinct values of a column, as `counting.tally.values_of` gives them for a table."""
        self._known(name)
        column = self._encoded(name, self._distinct([name]).column(0))
        return Column(name, column.kind, column.values, np.arange(column.levels, dtype=np.int32))

    # -- meaning -----------------------------------------------------------------------------------------------------

    def _known(self, name: str) -> None:
        if name not in self._names:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self._names)}")

    def _tally(
        self, columns: Sequence[str], target: str | None = None, person: str | None = None
    ) -> tuple[Tally, bool]:
        """The tally, and whether groups of raw cells were merged, whose persons are then counted twice."""
        names = list(dict.fromkeys([*columns, *([] if target is None else [target])]))
        groups = self._grouped(names, person)
        rows = groups.column("n").to_numpy()
        persons = None if person is None else groups.column("persons").to_numpy()
        if not rows.sum():
            raise self._no_rows()
        coded = self._coded(names, groups)
        label = None if target is None else coded[target]
        counted = tally_of_groups([coded[name] for name in columns], rows, target=label, persons=persons)
        return counted, target is None and len(counted) < len(rows)

    def _no_rows(self) -> DataError:
        return DataError(f"The table has {len(self._names)} columns and no rows: there is nothing to count.")

    def _of_pairs(self, columns: Sequence[str], person: str) -> Tally:
        """The tally of distinct rows and persons in memory, for values or persons with several spellings."""
        names = list(dict.fromkeys(columns))
        pairs = self._distinct([*names, person])
        persons = self._encoded(person, pairs.column(len(names))).renamed(_PERSON)
        return tally(Table([*self._coded(names, pairs).values(), persons]), columns, person=_PERSON)

    def _may_repeat(self, name: str) -> bool:
        """Whether two different cells of the column may be the same value."""
        if self._is_exact(name):
            return self._missing != MISSING_MARKS
        distinct = self._distinct([name]).column(0)
        return self._encoded(name, distinct).levels < len(distinct)

    def _coded(self, names: Sequence[str], result: pa.Table) -> dict[str, Column]:
        """The first columns of a result as codes."""
        return {name: self._encoded(name, result.column(place)) for place, name in enumerate(names)}

    def _encoded(self, name: str, cells: pa.ChunkedArray) -> Column:
        return encode(name, cells, kind=self._kinds.get(name), missing=self._missing)


def _same(counted: Tally, persons: Tally) -> Tally:
    if not np.array_equal(counted.codes, persons.codes):
        raise changed_meanwhile()
    return persons


def changed_meanwhile() -> DataError:
    return DataError("The data changed while they were counted. Try again when nobody writes to them.")
