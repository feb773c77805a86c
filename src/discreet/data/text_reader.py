# SPDX-License-Identifier: Apache-2.0
"""Reads the texts of one column of a table: as its owner says, or as recognised from all cells; asks where neither
tells, and keeps a record of what was recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.how_read import ColumnReading, evidence_elsewhere, question
from discreet.data.notation import Formats, Given, Notation
from discreet.data.number_texts import NumberNotation, all_match
from discreet.data.recognition import (
    Context,
    Recognised,
    Unclear,
    dates_in,
    dot_may_mark_thousands,
    nearly,
    numbers_in,
    zones_in,
)
from discreet.errors import DataError, shown

_EIGHT_DIGITS = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
Elsewhere: TypeAlias = Callable[[str], Iterable[ColumnReading]]


@dataclass(frozen=True, eq=False)
class ReadTexts:
    """Texts in plain form, and what happens once they were converted: the record is kept."""

    kind: str
    plain: pa.Array
    accept: Callable[[], None]


@dataclass(eq=False)
class TextReader:
    """How the texts of a table's columns are to be read.

    formats    what the owner says
    semicolons whether the file's cells are delimited by semicolons
    elsewhere  what the other columns show, looked at only when one column cannot be told by itself
    in_parts   whether the texts are only a part of the column: then nothing is recognised, since the parts may differ,
               but `unsaid` tells that something could be
    counts     the number of cells of each distinct text; None if that is not known
    reading    how the column was read, once it was
    """

    formats: Formats = field(default_factory=Formats)
    semicolons: bool = False
    elsewhere: Elsewhere = lambda name: ()
    in_parts: bool = False
    counts: Callable[[], np.ndarray] | None = None
    reading: ColumnReading | None = None
    unsaid: bool = False

    def of(self, counts: Callable[[], np.ndarray] | None) -> TextReader:
        """The reader of one column, whose distinct texts have these numbers of cells."""
        return replace(self, counts=counts, reading=None)

    def but(
        self,
        *,
        formats: Formats | None = None,
        recorded: Mapping[str, Notation] | None = None,
        elsewhere: Elsewhere | None = None,
        semicolons: bool | None = None,
        in_parts: bool = False,
    ) -> TextReader:
        """A reader of the same texts with other formats, or with notations that a release recorded."""
        formats = replace(formats or self.formats, recorded=dict(recorded or {}))
        known = self.semicolons if semicolons is None else semicolons
        other = elsewhere or self.elsewhere
        return replace(self, formats=formats, semicolons=known, elsewhere=other, in_parts=in_parts, reading=None)

    def as_said(self, name: str, texts: pa.Array, kind: str | None) -> ReadTexts | None:
        """The texts read as the owner, or a release, says; None if nothing is said, or is only said of all columns and
        does not fit this one."""
        given = self.formats.given(name)
        context = self._context(kind)
        if given.notation is not None:
            plain = given.notation.plain(texts, zeros=True)
            if plain.null_count > texts.null_count:
                raise _unfit(name, given.notation.name, texts, plain)
            return (
                None if plain.equals(texts) else self._taken(name, texts, Recognised(given.notation, plain), said=True)
            )
        found: Recognised | Unclear | None = None
        if kind in (None, "date") and given.dates is not None:
            found = dates_in(texts, replace(given, decimal=None, thousands=None), context)
            if given.own and self.formats.dates.get(name) is not None and not isinstance(found, Recognised):
                raise _unfit(name, given.dates.name, texts, given.dates.plain(texts))
        if found is None and kind in (None, "number") and (given.decimal is not None or given.thousands is not None):
            found = numbers_in(texts, replace(given, dates=None), context)
            if given.own and found is None and not _is_plain(texts, given):
                raise _unfit(name, "numbers with these marks", texts, None)
        return self._taken(name, texts, found, said=True)

    def recognised(self, name: str, texts: pa.Array, kind: str | None) -> ReadTexts | None:
        """The texts read as recognised; None if they are texts. DataError if they can be read in two ways."""
        given, context = replace(self.formats.given(name), dates=None), self._context(kind)
        for candidate, find in (("number", numbers_in), ("date", dates_in)):
            if kind in (None, candidate) and (found := find(texts, given, context)) is not None:
                if kind is None and isinstance(found, Recognised) and found.period:
                    words = found.features[0][0].partition(",")[0]
                    remark = f"{self._count(texts.is_valid()):,} {self._what} with {words}, read as categories;"
                    self.reading = ColumnReading(name, remark=f"{remark} of the kind date, they are read as days.")
                    return None
                return self._taken(name, texts, found)
        if kind is None and not self.in_parts and (mostly := nearly(texts)) is not None:
            words, where = mostly
            like, all_ = self._count(where), self._count(texts.is_valid())
            if like == all_:
                remark = (
                    f"{all_:,} {self._what} look like {words}, but no one notation fits them all; read as categories."
                )
                self.reading = ColumnReading(name, remark=remark)
            else:
                remark = (
                    f"{like:,} of {all_:,} {self._what} look like {words}, {all_ - like:,} do not; read as categories."
                    " If those mean that nothing is known, name what stands there (--missing, or missing=)."
                )
                self.reading = ColumnReading(name, remark=remark)
        return None

    def check_dots(self, name: str, texts: pa.Array) -> None:
        """Numbers such as 1.023, plain as they look, are asked about if other columns show a decimal comma."""
        if self.in_parts or self.formats.given(name).of_numbers is not None or not dot_may_mark_thousands(texts):
            return
        evidence = evidence_elsewhere((one for one in self.elsewhere(name) if one.certain == ","), "number")
        dots = self._count(pc.match_substring(texts, "."))
        if evidence:
            choices = (
                ("the dot stands between thousands", "decimal", ","),
                ("the dot is the decimal mark", "decimal", "."),
            )
            raise question(name, Unclear("number", choices), dots, of_cells=self.counts is not None, evidence=evidence)
        remark = f"in all {dots:,} {self._what} with a dot, three digits follow it; it is read as the decimal mark."
        self.reading = ColumnReading(name, remark=remark)

    def note_days(self, name: str, texts: pa.Array) -> None:
        """Says that whole numbers may be days, if all of them may: 20240325."""
        if self.reading is None and not self.in_parts and all_match(texts, _EIGHT_DIGITS):
            remark = (
                f"{self._count(texts.is_valid()):,} {self._what} of eight digits that may be days, read as numbers;"
            )
            self.reading = ColumnReading(name, remark=f"{remark} of the kind date, they are read as days.")

    def note_zones(self, name: str, texts: pa.Array) -> None:
        """Says how many times in ISO form have a time zone, which is not read."""
        found = () if self.in_parts or self.reading is not None else zones_in(texts)
        if found:
            count = self._count(found[0][1])
            what = self._what if count != 1 else self._what.removesuffix("s")
            remark = f"{count:,} {what} with a time zone, which is left out: times are read as written."
            self.reading = ColumnReading(name, remark=remark)

    def _taken(
        self, name: str, texts: pa.Array, found: Recognised | Unclear | None, *, said: bool = False
    ) -> ReadTexts | None:
        if found is None or (
            said and isinstance(found, Recognised) and not found.features and found.plain.equals(texts)
        ):
            return None
        if self.in_parts and not said:
            self.unsaid = True
            return None
        if isinstance(found, Unclear):
            evidence = evidence_elsewhere(self.elsewhere(name), found.kind)
            n_cells = self._count(texts.is_valid())
            raise question(name, found, n_cells, of_cells=self.counts is not None, evidence=evidence)
        return ReadTexts(found.notation.kind, found.plain, lambda: self._keep(name, found))

    def _keep(self, name: str, found: Recognised) -> None:
        features = tuple((words, self._count(where)) for words, where in found.features)
        self.reading = ColumnReading(name, found.notation, features, self.counts is not None, certain=found.certain)

    def _context(self, kind: str | None) -> Context:
        return Context(self.semicolons, kind is not None)

    def _count(self, where: pa.Array) -> int:
        """The number of cells of some of the distinct texts, or of the texts themselves."""
        chosen = pc.fill_null(where, False).to_numpy(zero_copy_only=False)
        return int(chosen.sum() if self.counts is None else self.counts()[: len(chosen)][chosen].sum())

    @property
    def _what(self) -> str:
        return "cells" if self.counts is not None else "different texts"


def certain_columns(table: pa.Table, missing: Sequence[str]) -> list[ColumnReading]:
    """What columns of texts show for certain, each by itself: evidence about those that do not."""
    marks, found = pa.array(["", *missing], pa.string()), []
    for name, cells in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
            texts = pc.unique(pc.utf8_trim_whitespace(cells)).cast(pa.string())
            texts = pc.if_else(pc.is_in(texts, value_set=marks), None, texts)
            read = (find(texts, Given(), Context()) for find in (numbers_in, dates_in))
            sure = [one for one in read if isinstance(one, Recognised) and one.certain]
            found += [ColumnReading(name, one.notation, certain=one.certain) for one in sure]
    return found


def _is_plain(texts: pa.Array, given: Given) -> bool:
    """Whether there are only digits, in which no mark can be wrong."""
    plain = NumberNotation("." if given.decimal != "," else ",", "").plain(texts, zeros=True)
    return plain.null_count == texts.null_count


def _unfit(name: str, notation: str, texts: pa.Array, plain: pa.Array | None) -> DataError:
    n_texts = len(texts) - texts.null_count
    bad = "some" if plain is None else f"{plain.null_count - texts.null_count:,}"
    return DataError(
        f"Column {shown(name)} is to be read as {notation}, but {bad} of its {n_texts:,} distinct values cannot be. Say"
        f" another format (--decimal, --thousands, --date-format), or declare the marks of missing cells."
    )
