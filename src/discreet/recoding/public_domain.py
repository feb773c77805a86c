# SPDX-License-Identifier: Apache-2.0
"""The public domain of a table: the possible values of each column, known without looking at the rows.

A column has a list of values, or cuts that divide its numbers or dates into intervals. Every cell counts as one of the
column's levels: a missing cell, or one outside the domain, counts as the empty cell if the column has one (`missing`),
otherwise as the first level. Each cell is read by itself, whatever the other rows of its column hold.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from discreet.data.cells import Cells
from discreet.data.column import SUPPRESSED, Column, Kind, encode, from_labels, text_of
from discreet.data.reading import reading
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, RolesError, Setting, did_you_mean, listing, quietly, shown
from discreet.foundation.plain_files import read_plain
from discreet.foundation.toml_text import read_toml
from discreet.prepare.binning import equal_frequency_cuts
from discreet.prepare.intervals import interval_label
from discreet.prepare.one_hot import Binarisation, Item
from discreet.prepare.ranges import read_range
from discreet.recoding.labels import MISSING, Labelling, Meaning
from discreet.recoding.patterns import EachColumn, Plan

NOT_PUBLIC: tuple[str | Setting, ...] = (
    "A release needs a public domain: the values of each column, or its cuts, as in ",
    Setting("domain", {"sex": ["f", "m"], "age": {"cuts": [40, 60]}}),
    ", or the name of a TOML or JSON file that holds it. A domain read from the rows would reveal what they hold.",
)
_MANY_DIGITS = re.compile(r"[+-]?[0-9]{16,400}")
_MANY = 20  # distinct numbers above which `from_data` cuts a column into intervals


@dataclass(frozen=True)
class ColumnDomain:
    """The levels of one column: listed values, or intervals between cuts; the empty cell last.

    >>> ColumnDomain.of("age", {"cuts": [40, 65]}).labels
    ('< 40', '[40, 65)', '>= 65', None)
    >>> ColumnDomain.of("sex", {"values": ["f", "m"], "missing": False}).labels
    ('f', 'm')
    """

    name: str
    kind: Kind  # "category" for all listed values
    labels: tuple[str | None, ...]
    cuts: tuple[float, ...] = ()

    @classmethod
    def of(cls, name: str, domain: Any, *, missing: bool = True) -> ColumnDomain:
        """From a list of values, or a mapping with `values` or `cuts` and, optionally, `missing`."""
        if not isinstance(domain, Mapping):
            domain = {"values": domain}
        unknown = set(domain) - {"values", "cuts", "missing"}
        missing = domain.get("missing", missing)
        if unknown or ("values" in domain) == ("cuts" in domain) or not isinstance(missing, bool):
            raise DataError(
                f"The domain of {shown(name)} must be a list of values, or a mapping with 'values' or 'cuts' and,"
                " optionally, 'missing' (true or false)."
            )
        listed = domain["values"] if "values" in domain else domain["cuts"]
        if isinstance(listed, str) or not isinstance(listed, (Sequence, np.ndarray)) or not len(listed):
            raise DataError(f"The domain of {shown(name)} lists nothing. Give at least one value, or one cut.")
        return cls._of_values(name, listed, missing) if "values" in domain else cls._of_cuts(name, listed, missing)

    @classmethod
    def _of_values(cls, name: str, values: Sequence[Any] | np.ndarray, missing: bool) -> ColumnDomain:
        texts = [reading(_text(value)) for value in values]
        if None in texts or SUPPRESSED in texts or len(set(texts)) < len(texts):
            raise DataError(
                f"The {len(texts)} values of the domain of {shown(name)} must differ, and none may be a mark of a"
                f" missing or a suppressed cell ({SUPPRESSED!r}): set missing = true for an empty cell."
            )
        return cls(name, "category", (*texts, None) if missing else tuple(texts))

    @classmethod
    def _of_cuts(cls, name: str, cuts: Sequence[Any] | np.ndarray, missing: bool) -> ColumnDomain:
        column, failure = quietly(lambda: encode(name, pa.array([_text(cut) for cut in cuts]), missing=()))
        if column is None or column.kind == "category" or not np.array_equal(column.codes, np.arange(len(cuts))):
            raise DataError(
                f"The cuts of {shown(name)} must be increasing numbers or dates{f' ({failure})' if failure else ''}."
            )
        ends: tuple[float, ...] = tuple(column.numbers.tolist())
        labels = [interval_label(low, high, column.kind) for low, high in pairwise((None, *ends, None))]
        return cls(name, column.kind, (*labels, None) if missing else tuple(labels), ends)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def _outside(self) -> int:
        return len(self.labels) - 1 if self.labels[-1] is None else 0

    @cached_property
    def _places(self) -> dict[str | None, int]:
        places: dict[str | None, int] = {label: place for place, label in enumerate(self.labels) if label is not None}
        for label in [label for label in self.labels if label is not None and _MANY_DIGITS.fullmatch(label)]:
            places.setdefault(reading(int(label)), places[label])  # as a number, it is read as a double
        return places

    def codes(self, cells: Cells) -> np.ndarray:
        """The level of each row, which depends on the row's own cell and the public domain only."""
        if self.kind == "category":
            places = [self._places.get(text, self._outside) for text in cells.texts]
            return np.array([*places, self._outside], dtype=np.int64)[cells.codes]
        line = cells.numbers if self.kind == "number" else cells.days
        return np.where(np.isnan(line), self._outside, np.searchsorted(self.cuts, line, side="right"))

    def is_outside(self, cells: Cells) -> np.ndarray:
        """Whether the cell of each row is none that the domain lists, and not empty: for the owner alone."""
        if self.kind == "category":
            return np.array([*(text not in self._places for text in cells.texts), False])[cells.codes]
        line = cells.numbers if self.kind == "number" else cells.days
        return np.isnan(line) & (cells.codes < len(cells.texts))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The levels that come in an order, the lowest first: intervals, and values that are all numbers or ranges.

        >>> ColumnDomain.of("visits", ["10", "0", "2-9"]).order, ColumnDomain.of("sex", ["f", "m"]).order
        ((1, 2, 0), ())
        """
        if self.kind != "category":
            return tuple(range(len(self.cuts) + 1))
        ranges = [read_range(label) or read_range(label.strip("[]()")) for label in self.labels if label is not None]
        ends = [(one.low, one.high) for one in ranges if one is not None]
        return tuple(sorted(range(len(ends)), key=ends.__getitem__)) if len(ends) == len(ranges) else ()

    @property
    def in_order(self) -> np.ndarray:
        """All levels, those that come in an order first."""
        return np.append(np.array(self.order, dtype=np.int64), np.setdiff1d(np.arange(len(self)), self.order))

    @property
    def labelling(self) -> Labelling:
        """The levels with their meanings, for recoding new rows."""
        if self.kind == "category":
            meanings = [Meaning.of([str(label)]) for label in self.labels]
        else:
            meanings = [Meaning.between(low, high) for low, high in pairwise((None, *self.cuts, None))]
        outside = meanings[0] if self._outside == 0 else MISSING
        wider = Meaning(outside.interval, outside.texts, others=self.kind == "category", missing=True)
        if self._outside == 0:
            return Labelling(self.name, self.kind, self.labels, (wider, *meanings[1:]))
        return Labelling(self.name, self.kind, self.labels, (*meanings[: len(self) - 1], wider))

    def column(self, codes: np.ndarray) -> Column:
        """The published column of rows with these levels."""
        return from_labels(self.name, list(self.labels), codes)

    @property
    def plain(self) -> dict[str, Any]:
        """The domain as a certificate states it."""
        listed = [label for label in self.labels if label is not None]
        what = {"values": listed} if self.kind == "category" else {"cuts": self._written_cuts}
        return what | {"missing": self.labels[-1] is None}

    @property
    def _written_cuts(self) -> list[Any]:
        if self.kind == "number":
            return [int(cut) if cut.is_integer() else cut for cut in self.cuts]
        return [label.removeprefix(">= ") for label in self._ends if label is not None]

    @property
    def _ends(self) -> list[str]:
        return [interval_label(cut, None, "date") for cut in self.cuts]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return text_of(value.item() if isinstance(value, np.generic) else value)


@dataclass(frozen=True)
class Domain(Plan):
    """The domains of all published columns; also a plan, which recodes new rows to the form of a release."""

    recodes_all: ClassVar[bool] = True
    columns: tuple[ColumnDomain, ...]
    quasi: tuple[str, ...]

    @classmethod
    def of(cls, domain: Any, roles: Roles, unused: Sequence[str | None] = ()) -> Domain:
        """From a mapping of columns, or the path of a TOML or JSON file that holds one. The target has no empty cell
        by default. Columns in `unused` may be named, and are ignored.

        >>> Domain.of({"y": [0, 1], "age": {"cuts": [40]}}, Roles(target="y", quasi="age")).cells
        6
        """
        listed = read_domain(domain) if isinstance(domain, (str, os.PathLike)) else domain
        if not isinstance(listed, Mapping):
            raise DataError("A domain must be a mapping of columns to values or cuts, or a file that holds one.")
        names = roles.published
        absent, extra = [n for n in names if n not in listed], [n for n in listed if n not in (*names, *unused)]
        if absent or extra:
            what = f"has no values or cuts for {listing(absent)}" if absent else f"names {listing(extra)}"
            hint = did_you_mean(absent[0], extra) if absent else did_you_mean(extra[0], names)
            raise DataError(f"The domain {what}; it must have exactly the published columns.{hint}")
        return cls(tuple(ColumnDomain.of(n, listed[n], missing=n != roles.target) for n in names), roles.quasi)

    @classmethod
    def from_data(cls, table: Table, roles: Roles) -> Domain:
        """The domain of the rows, for studies only: it reveals what the rows hold."""
        return cls.of(
            {name: _domain_from_column(table.column(name), name == roles.target) for name in roles.published}, roles
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.columns))

    @property
    def cells(self) -> int:
        """Number of possible rows."""
        return math.prod(self.sizes)

    @property
    def plain(self) -> dict[str, Any]:
        return {levels.name: levels.plain for levels in self.columns}

    @property
    def items(self) -> Binarisation:
        """An item for every level of every column; a column of two levels gives one, for the second.

        >>> Domain.of({"age": {"cuts": [40, 65]}, "ill": [0, 1]}, Roles(quasi=["age", "ill"])).items.names
        ('age=< 40', 'age=[40, 65)', 'age=>= 65', 'age=missing', 'ill=0', 'ill=1', 'ill=missing')
        """
        items = [
            Item(f"{levels.name}={'missing' if label is None else label}", levels.name, label)
            for levels in self.columns
            for label in (levels.labels[1:] if len(levels) == 2 else levels.labels)
        ]
        names = [item.name for item in items]
        if len(set(names)) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise DataError(f"Two items would have one name: {listing(twice)}. Rename a column.")
        return Binarisation(tuple(items))

    def codes(self, table: Table) -> np.ndarray:
        """The levels of all rows, one line per column."""
        return np.stack([levels.codes(table.cells(levels.name)) for levels in self.columns])

    def table(self, codes: np.ndarray, frame: str, order: Sequence[str]) -> Table:
        """A table of rows with these levels, its columns in this order."""
        columns = {levels.name: levels.column(line) for levels, line in zip(self.columns, codes, strict=True)}
        return Table([columns[name] for name in order if name in columns], frame=frame)

    def apply(self, table: Table) -> dict[str, list[Column]]:
        present = [levels for levels in self.columns if levels.name in table]
        return {levels.name: [levels.column(levels.codes(table.cells(levels.name)))] for levels in present}

    @property
    def public(self) -> EachColumn:
        return EachColumn(tuple(levels.labelling for levels in self.columns if levels.name in self.quasi))


def read_domain(path: str | os.PathLike[str]) -> Any:
    """The mapping in a TOML or JSON file."""
    path = Path(path)
    if not path.is_file():
        raise DataError(f"There is no file {shown(path.name)} with a domain. Check the path.")
    read = read_toml if path.suffix == ".toml" else json.loads
    text = read_plain(path, links=True)
    listed, failure = quietly(lambda: read(text.decode("utf-8")))
    if failure:
        raise DataError(f"{shown(path.name)} cannot be read as {path.suffix.lstrip('.') or 'JSON'} ({failure}).")
    return listed


def _domain_from_column(column: Column, is_target: bool) -> dict[str, Any]:
    if column.kind == "category" or len(column.values) <= _MANY or is_target:
        return {"values": column.texts, "missing": column.has_missing}
    return {"cuts": list(equal_frequency_cuts(column)), "missing": column.has_missing}


def check_roles(table: Table, roles: Roles) -> None:
    """Check what does not depend on the cells, since a refusal must not reveal what they hold."""
    Roles(
        target=roles.target,
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        identifiers=roles.identifiers,
        other=roles.other,
        person=roles.person,
        allow_unique=roles.published,
    ).check(table)
    if roles.target is None or not roles.quasi:
        raise RolesError("A release needs a target, the column a classifier is to predict, and quasi-identifiers.")
