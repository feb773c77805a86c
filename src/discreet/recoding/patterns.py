# SPDX-License-Identifier: Apache-2.0
"""Plans made of published labels and their meanings alone, so that recipients can have them, too.

EachColumn   every column by itself: a value becomes the most specific label that covers it
Boxes        the published patterns: a row becomes the most specific pattern that it fits

Both give only published labels (or the fallback, "*", for items "0"), for any row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np
import pyarrow as pa

from discreet.counting.tally import group, grouped
from discreet.data.column import Column, from_labels
from discreet.data.notation import notation_named
from discreet.data.table import Table
from discreet.foundation.compiled_kernels import compiled
from discreet.recoding.labels import EVERYTHING, MISSING, Classes, Labelling, Meaning

__all__ = ["EVERYTHING", "MISSING", "MOST_PATTERNS", "Boxes", "EachColumn", "Labelling", "Meaning", "Plan", "recoded"]

MOST_PATTERNS = 50_000  # a release with more has no recoding record
_BLOCK = 1024  # patterns compared with rows at a time


class Plan:
    """Turns rows, old or new, into published quasi-identifiers."""

    recodes_all: ClassVar[bool] = False  # whether it also recodes columns that are not quasi-identifiers

    def apply(self, table: Table) -> dict[str, list[Column]]:
        """The published columns of each quasi-identifier, row by row; dropped ones have none."""
        raise NotImplementedError

    @property
    def labellings(self) -> tuple[Labelling, ...]:
        """The labels of the plan with their meanings; empty if these are not known."""
        return () if self.public is None else self.public.columns

    @property
    def public(self) -> EachColumn | Boxes | None:
        """The publishable form of the plan, labels with their meanings; None if there is none."""
        return None


@dataclass(frozen=True)
class EachColumn(Plan):
    """Recodes every column by itself: a value becomes the most specific label that covers it.

    A category that no label names gets the label that covers `others`; a value that no label covers, the fallback.

    >>> plan = EachColumn((Labelling("sex", "category", ("f", "*"), (Meaning.of(["f"]), EVERYTHING)),))
    >>> plan.apply(Table.of({"age": [31, 45], "sex": ["f", "d"]}))["sex"][0].to_arrow().to_pylist()
    ['f', '*']
    """

    columns: tuple[Labelling, ...]

    def apply(self, table: Table) -> dict[str, list[Column]]:
        published: dict[str, list[Column]] = {}
        for labelling in self.columns:
            column = table.column(labelling.source)
            classes = labelling.classes(column)
            label = np.full(len(classes), len(labelling.labels))  # the fallback
            for place in reversed(labelling.by_size):
                label[classes.fit(place)] = place
            codes = label[classes.of_code][column.codes]
            published.setdefault(labelling.source, []).append(_column(labelling, codes))
        return published

    @property
    def labellings(self) -> tuple[Labelling, ...]:
        return self.columns

    @property
    def public(self) -> EachColumn:
        return self

    def within(self, table: Table) -> EachColumn:
        """The plan without labels that do not occur in the published table, its columns in the table's order."""
        tidied = [labelling.tidy(_occurring_labels(labelling, table))[0] for labelling in self.columns]
        return EachColumn(tuple(sorted(tidied, key=lambda labelling: table.names.index(labelling.name))))


@dataclass(frozen=True, eq=False)
class Boxes(Plan):
    """Published patterns: `codes[pattern, c]` is an index into `columns[c].labels`.

    A row takes the most specific pattern that it fits: of those with the fewest suppressed cells the smallest, then the
    first. A row that fits none takes the pattern that it fits in most columns, the most specific of these. So every row
    gets a published pattern. Create with `of`, which brings labels and patterns into canonical order.

    >>> sex = Labelling("sex", "category", ("f", "*"), (Meaning.of(["f"]), EVERYTHING))
    >>> age = Labelling("age", "number", ("< 40", ">= 40"), (Meaning.between(None, 40), Meaning.between(40, None)))
    >>> boxes = Boxes.of((sex, age), [[0, 0], [1, 1]])  # women below 40, all from 40 on
    >>> written = boxes.apply(Table.of({"sex": ["f", "m", "m"], "age": [31, 70, 31]}))
    >>> [written[name][0].to_arrow().to_pylist() for name in ("sex", "age")]
    [['f', '*', 'f'], ['< 40', '>= 40', '< 40']]
    """

    columns: tuple[Labelling, ...]
    codes: np.ndarray

    @classmethod
    def of(cls, columns: Sequence[Labelling], codes: np.ndarray | Sequence[Sequence[int]]) -> Boxes:
        """These patterns, the most specific first, without labels that no pattern uses."""
        codes = np.asarray(codes, dtype=np.int64).reshape(-1, len(columns))
        tidied, places = zip(
            *(labelling.tidy(np.unique(codes[:, c])) for c, labelling in enumerate(columns)), strict=True
        )
        codes = np.column_stack([place[codes[:, c]] for c, place in enumerate(places)])
        return cls(tidied, _most_specific_first(tidied, np.unique(codes, axis=0)))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labellings(self) -> tuple[Labelling, ...]:
        return self.columns

    @property
    def public(self) -> Boxes | None:
        return self if len(self) <= MOST_PATTERNS else None

    def within(self, table: Table) -> Boxes:
        """The plan without patterns that do not occur in the published table, its columns in the table's order."""
        order = sorted(range(len(self.columns)), key=lambda c: table.names.index(self.columns[c].name))
        labellings, codes = [self.columns[c] for c in order], self.codes[:, order]
        names = [labelling.name for labelling in labellings]
        columns, (_, first) = table.columns(names), grouped(table, names, ordered=False)
        texts = [np.array([*column.texts, None], dtype=object)[column.codes[first]] for column in columns]
        occurring = set(zip(*texts, strict=True))
        occurs = np.array([pattern in occurring for pattern in _texts(labellings, codes)], dtype=bool)
        if occurs.all():  # already in order, which does not depend on that of the columns
            return Boxes(tuple(labellings), codes)
        return Boxes.of(labellings, codes[occurs])

    def apply(self, table: Table) -> dict[str, list[Column]]:
        pattern = self.patterns(table)
        return {
            labelling.source: [_column(labelling, self.codes[pattern, c])] for c, labelling in enumerate(self.columns)
        }

    def patterns(self, table: Table) -> np.ndarray:
        """The pattern of each row, computed once per distinct row of classes."""
        columns = table.columns([labelling.source for labelling in self.columns])
        classes = [labelling.classes(column) for labelling, column in zip(self.columns, columns, strict=True)]
        cells = [kind.of_code[column.codes] for kind, column in zip(classes, columns, strict=True)]
        groups, first = group(cells, len(table), [len(kind) for kind in classes])
        rows = np.column_stack([cell[first] for cell in cells]).astype(np.int64)
        best = np.zeros(len(rows), dtype=np.int64)
        fits = np.full(len(rows), -1, dtype=np.int64)  # columns in which the row fits its best pattern so far
        planes = np.empty(max(len(self.columns).bit_length(), 1), dtype=np.uint64)
        for whole in (True, False):  # most rows fit some pattern in all columns, which is faster to check
            for start, bits in self._blocks(classes):
                _match(rows, *bits, start, whole, planes, best, fits)
                if (fits == len(self.columns)).all():
                    return best[groups]
        return best[groups]

    def _blocks(self, classes: list[Classes]) -> Iterator[tuple[int, tuple[np.ndarray, np.ndarray]]]:
        """For a block of patterns at a time, bitmaps of the patterns that each class fits, classes column by column."""
        starts = np.cumsum([0, *(len(kind) for kind in classes)])
        for start in range(0, len(self), _BLOCK):
            codes = self.codes[start : start + _BLOCK]
            n_words = -(-len(codes) // 64)
            bits = np.zeros((starts[-1], 8 * n_words), dtype=np.uint8)
            for c, kind in enumerate(classes):
                used, place = np.unique(codes[:, c], return_inverse=True)
                fit = np.stack([kind.fit(label) for label in used])[place.ravel()]
                packed = np.packbits(fit, axis=0, bitorder="little")
                bits[starts[c] : starts[c + 1], : len(packed)] = packed.T
            yield start, (bits.view("<u8").astype(np.uint64), starts[:-1].astype(np.int64))


def recoded_rows(
    plan: Plan,
    rows: object,
    names: Sequence[str],
    *,
    written: Mapping[str, str] | None = None,
    in_parts: bool = False,
) -> Table:
    """As `recoded`, for any frame, file or query, whose columns are read as those of the release were."""
    return recoded(plan, read_like_release(plan, rows, written=written, in_parts=in_parts), names)


def read_like_release(
    plan: Plan, rows: object, *, written: Mapping[str, str] | None = None, in_parts: bool = False
) -> Table:
    """Any frame, file or query, its columns read as those of the release were.

    They are of the same kind, and their texts of the same notation; `written` names the notations of columns where the
    plan does not. Of rows that are only a part of a table (`in_parts`), no other notation is recognised.
    """
    table = Table.of(rows)
    present = [labelling for labelling in plan.labellings if labelling.source in table]
    known = {**(written or {}), **{labelling.source: labelling.written for labelling in present if labelling.written}}
    recorded = {source: notation_named(name) for source, name in known.items() if source in table}
    kinds = {labelling.source: labelling.kind for labelling in present if not labelling.has_truth_values}
    known_notations = {source: notation for source, notation in recorded.items() if notation is not None}
    return table.reread(kinds=kinds, recorded=known_notations, in_parts=in_parts)


def recoded(plan: Plan, table: Table, names: Sequence[str]) -> Table:
    """The rows recoded, with the columns `names` of a release; columns that the plan does not recode stay unchanged."""
    by_name = {column.name: column for columns in plan.apply(table).values() for column in columns}
    present = [name for name in names if name in by_name or name in table]
    return Table([by_name[name] if name in by_name else table.column(name) for name in present], frame=table.frame)


def _column(labelling: Labelling, codes: np.ndarray) -> Column:
    """The published column; the code after the last label is the fallback."""
    if labelling.fallback == "0":  # an item
        ones = (codes < len(labelling.labels)).astype(np.int64)
        values = np.unique(ones)
        return Column(
            labelling.name, "number", pa.array(values, pa.int64()), np.searchsorted(values, ones).astype(np.int32)
        )
    return from_labels(labelling.name, [*labelling.labels, labelling.fallback], codes)


def _occurring_labels(labelling: Labelling, table: Table) -> list[int]:
    column = table.column(labelling.name)
    occurring: set[str | None] = {*column.texts, *([None] if column.has_missing else [])}
    return [place for place, label in enumerate(labelling.labels) if label in occurring]


def _texts(columns: Sequence[Labelling], codes: np.ndarray) -> list[tuple[str | None, ...]]:
    labels = [np.array(labelling.labels, dtype=object)[codes[:, c]] for c, labelling in enumerate(columns)]
    return list(zip(*labels, strict=True))


def _most_specific_first(columns: Sequence[Labelling], codes: np.ndarray) -> np.ndarray:
    stars = sum(labelling.is_suppressed[codes[:, c]].astype(np.int64) for c, labelling in enumerate(columns))
    fits = prod(max(labelling.sizes, default=1) for labelling in columns) < 2**63
    kind = np.int64 if fits else object  # Python integers do not overflow
    covered = prod(np.array(labelling.sizes, dtype=kind)[codes[:, c]] for c, labelling in enumerate(columns))
    by_name = codes[:, sorted(range(len(columns)), key=lambda c: columns[c].name)]
    order = np.lexsort((*by_name.T[::-1], _ranked(covered), stars))
    return codes[order].astype(np.int32)


def _ranked(numbers: np.ndarray) -> np.ndarray:
    """The rank of each number, as `lexsort` takes no Python integers."""
    return np.unique(numbers, return_inverse=True)[1].ravel()


@compiled
def _match(rows, bits, starts, first, whole, planes, best, fits):
    """Find the first pattern that fits in all columns, or in most columns, 64 patterns at a time.

    `planes` has room for counts of fitting columns, in binary: bit p of all 64 in a word.
    """
    n_rows, n_columns = rows.shape
    one, none = np.uint64(1), np.uint64(0)
    n_planes = len(planes)
    for row in range(n_rows):
        if fits[row] == n_columns:
            continue
        for word in range(bits.shape[1]):
            if whole:
                fitting = bits[starts[0] + rows[row, 0], word]
                for c in range(1, n_columns):
                    fitting &= bits[starts[c] + rows[row, c], word]
                most = n_columns
            else:
                for p in range(n_planes):
                    planes[p] = none
                for c in range(n_columns):
                    carry = bits[starts[c] + rows[row, c], word]
                    p = 0
                    while carry != none:
                        planes[p], carry = planes[p] ^ carry, planes[p] & carry
                        p += 1
                fitting = ~none
                most = 0
                for p in range(n_planes - 1, -1, -1):
                    if fitting & planes[p] != none:
                        fitting &= planes[p]
                        most += 1 << p
            if fitting == none or most <= fits[row]:
                continue
            place = 0
            while (fitting >> np.uint64(place)) & one == none:
                place += 1
            best[row] = first + word * 64 + place
            fits[row] = most
            if whole:
                break
