# SPDX-License-Identifier: Apache-2.0
"""How an attacker reads a published column: which values of a known column each label covers.

The published recoding states it. Without one, a label means what it looks like: "*" anything, an interval or a period
of the calendar its numbers or days, "100**" all that begins with 100, any other text itself; and a 0/1 column named
"town=North" the item in its name. A label of unknown meaning covers everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.attacks.published import Published
from discreet.data.column import SUPPRESSED, Column, Kind
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.prepare.intervals import read_interval
from discreet.recoding.labels import Classes, Labelling, Meaning
from discreet.recoding.names import is_name
from discreet.recoding.patterns import EVERYTHING, MISSING, EachColumn, recoded

_OR_MISSING = " or missing"
_ANYTHING, _ABSENT = -1, -2  # labels without a meaning of their own: a fallback, and the "0" of an item


@dataclass(frozen=True, eq=False)
class Reading:
    """A published column and its known column, whose values are grouped into classes that no label separates."""

    published: Column
    known: Column
    labelling: Labelling
    classes: Classes

    @classmethod
    def of(cls, published: Column, known: Column, labelling: Labelling) -> Reading:
        return cls(published, known, labelling, labelling.classes(known))

    @property
    def is_item(self) -> bool:
        return self.labelling.fallback == "0"

    @property
    def class_of_row(self) -> np.ndarray:
        """The class of each known row."""
        return self.classes.of_code[self.known.codes]

    @cached_property
    def places(self) -> np.ndarray:
        """The label that each published code is, missing included."""
        place_of = {label: place for place, label in enumerate(self.labelling.labels)}
        other = {"0": _ABSENT} if self.is_item else {}
        texts = [*self.published.texts, None]
        return np.array([place_of.get(text, other.get(text, _ANYTHING)) for text in texts])  # type: ignore[arg-type]

    def fits(self, codes: np.ndarray, *, presences: bool = False) -> np.ndarray:
        """Which classes each published code covers; with `presences` a published item also fits rows without it."""
        fits = np.ones((len(codes), len(self.classes)), dtype=bool)
        for line, place in zip(fits, self.places[codes], strict=True):
            if place >= 0 and not (presences and self.is_item):
                line[:] = self.classes.fit(place)
            elif place == _ABSENT:
                line[:] = ~self.classes.fit(0)
        return fits


def read_columns(published: Published, known: Table, names: Iterable[str] | None = None) -> list[Reading]:
    """Pair the published quasi-identifiers, or these columns, with known ones; DataError if none is known."""
    names, recorded = published.quasi if names is None else tuple(names), _recorded(published)
    known = _as_released(published, known)
    readings = []
    for name in names:
        column = published.table.column(name)
        labelling = recorded.get(name) or _as_it_looks(column, known)
        if labelling is not None and labelling.source in known:
            of_persons = known.column(labelling.source)
            readings.append(Reading.of(column, of_persons, labelling.with_unlisted(of_persons.texts)))
    if not readings:
        sources = [recorded[name].source if name in recorded else name for name in names]
        raise DataError(
            f"The known table has none of the columns behind the release: {listing(dict.fromkeys(sources))}."
        )
    return readings


def recode_known(published: Published, known: Table) -> Table:
    """Recode the known table to the labels of the release; columns other than quasi-identifiers stay unchanged."""
    table = published.table
    known = _as_released(published, known)
    if published.recoding is not None and all(one.source in known for one in published.recoding.labellings):
        return recoded(published.recoding, known, table.names)
    readings = read_columns(published, known)
    changed = [one.labelling for one in readings if one.is_item or one.published.kind != one.known.kind]
    return recoded(EachColumn(tuple(changed)), known, table.names)


def _recorded(published: Published) -> dict[str, Labelling]:
    return {} if published.recoding is None else {one.name: one for one in published.recoding.labellings}


def _as_released(published: Published, known: Table) -> Table:
    """The known table with its columns converted to the kinds they had in the release."""
    wanted: dict[str, Kind] = {
        column.name: column.kind for column in published.table.columns() if column.kind != "category"
    }
    wanted |= {one.source: one.kind for one in _recorded(published).values()}
    differ = {name: kind for name, kind in wanted.items() if name in known and known.column(name).kind != kind}
    return Table.of(known, kinds=differ) if differ else known


def _as_it_looks(column: Column, known: Table) -> Labelling | None:
    """What the labels of a column appear to mean; None if it corresponds to no known column."""
    if column.name in known:
        kind = known.column(column.name).kind
        labels = (*column.texts, *([None] if column.has_missing else []))
        return Labelling(column.name, kind, labels, tuple(_meaning(label, kind) for label in labels))
    sources = [name for name in known.names if column.name.startswith(f"{name}=")]
    if not sources or not {*column.texts} <= {"0", "1"}:
        return None
    source = max(sources, key=len)
    kind, text = known.column(source).kind, column.name[len(source) + 1 :]
    meaning = MISSING if text == "missing" else _meaning(text, kind)
    return Labelling(column.name, kind, ("1",), (meaning,), fallback="0", made_from=source)


def _meaning(label: str | None, kind: Kind) -> Meaning:
    if label is None:
        return MISSING
    if label == SUPPRESSED:
        return EVERYTHING
    text = label.removesuffix(_OR_MISSING)
    missing = text != label
    if (
        text.startswith(("{", "not {")) or " except " in text or is_name(text)
    ):  # a set of values whose list may be cut short
        return EVERYTHING
    interval = None if kind == "category" else read_interval(text, kind)
    if interval:
        return Meaning(interval, missing=missing)
    if (prefix := text.rstrip(SUPPRESSED)) != text and prefix:  # a shorter code, filled up
        return _of_prefix(prefix, len(text), kind, missing)
    return Meaning.of([text] if missing else [label], missing=missing)


def _of_prefix(prefix: str, length: int, kind: Kind, missing: bool) -> Meaning:
    if kind == "number" and prefix.isdecimal():
        step = 10 ** (length - len(prefix))
        return Meaning.between(int(prefix) * step, (int(prefix) + 1) * step, missing=missing)
    return Meaning.of([], prefixes=[prefix], missing=missing)
