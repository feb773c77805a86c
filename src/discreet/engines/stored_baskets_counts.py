# SPDX-License-Identifier: Apache-2.0
"""The first pass over baskets outside memory: names, labels, and the rows of each class with each item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.data.baskets import one_per_row
from discreet.data.transactions import in_order
from discreet.engines.stored_baskets_codes import Codes
from discreet.engines.stored_baskets_kernels import count_ones
from discreet.engines.stored_baskets_labels import RowLabels
from discreet.engines.stored_baskets_lines import ITEM, LABEL, PERSON, Lines
from discreet.errors import DataError

_MOST_CELLS = 1 << 27  # of items and classes


@dataclass(frozen=True, eq=False)
class ItemCounts:
    """What a pass over all rows tells.

    codes    how items (and labels and persons) were numbered as they were met
    place    the final place of each item so numbered; -1 at the end, for none
    support  rows of each class with each item
    beside   labels by row id, where they are beside the lines
    again    pairs of row and item that had come before
    """

    codes: dict[str, Codes]
    place: np.ndarray
    names: tuple[str, ...]
    labels: np.ndarray
    classes: np.ndarray
    persons: np.ndarray | None
    support: np.ndarray
    beside: RowLabels | None
    again: int

    def number(self, lines: Lines, first: int) -> np.ndarray:
        """The number of each row of a batch, whose first row is number `first` of those met."""
        if self.beside is None:
            return np.arange(first, first + lines.n_rows, dtype=np.int64)
        assert lines.ids is not None
        return self.beside.numbers(lines.ids)


def count(lines_of: Callable[[dict[str, Codes]], Iterator[Lines]], beside: RowLabels | None) -> ItemCounts:
    """One pass over all lines."""
    codes = {ITEM: Codes(as_items=True), LABEL: Codes(), PERSON: Codes()}
    support, seen = np.zeros((0, 0), dtype=np.int64), np.zeros(0, dtype=np.int64)
    labels: list[np.ndarray] = []
    persons: list[np.ndarray] = []
    last = (np.zeros(0, np.int32), np.zeros(0, np.int32))  # label and person of the last row
    done = wrong = again = 0
    for lines in lines_of(codes):
        first = done - int(lines.continues)
        if beside is None:
            own = lines.labels
            if lines.continues:
                wrong += sum(int((a[:1] != b).any()) for a, b in zip((lines.labels, lines.persons), last, strict=True))
            labels.append(lines.labels[int(lines.continues) :])
            persons.append(lines.persons[int(lines.continues) :])
            last = lines.labels[-1:], lines.persons[-1:]
        else:
            assert lines.ids is not None
            own = beside.labels[beside.numbers(lines.ids)]
        wrong += lines.wrong
        n_classes = len(codes[LABEL].values) if beside is None else len(beside.classes)
        support, seen = _roomier(support, seen, len(codes[ITEM].values), n_classes)
        if (own >= 0).all():
            again += count_ones(lines.row, lines.items, first, own, seen, support)
        done = first + lines.n_rows
    if wrong:
        raise DataError(f"{wrong} lines state another label or person than the first line of their row.")
    if not codes[ITEM].values:
        raise DataError("The rows have no items: there is nothing to select from.")
    if beside is not None:
        return _sorted(codes, support, beside.labels, beside.classes, beside.persons, beside, again)
    numbers, classes = _classes(np.concatenate(labels), codes[LABEL])
    behind = np.concatenate(persons)
    if len(behind) and (behind < 0).any():
        raise DataError(f"{int((behind < 0).sum())} of {done} persons are missing. Drop those rows first.")
    return _sorted(codes, support[:, classes[1]], numbers, classes[0], behind if len(behind) else None, None, again)


def _classes(labels: np.ndarray, codes: Codes) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Labels by sorted class; the classes, and the code of each."""
    missing = int((labels < 0).sum())
    if missing:
        raise DataError(f"{missing} of {len(labels)} labels are missing. Drop those rows first.")
    classes, place = np.unique(one_per_row(codes.values, len(codes.values), "labels"), return_inverse=True)
    return place.astype(np.int32)[labels], (classes, np.argsort(place))


def _roomier(support: np.ndarray, seen: np.ndarray, items: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    if items <= support.shape[0] and classes <= support.shape[1]:
        return support, seen
    shape = (max(2 * items, support.shape[0]), max(classes, support.shape[1]))
    if shape[0] * shape[1] > _MOST_CELLS:
        raise DataError(f"{items:,} items of {classes:,} classes are too many to count. Is the label a class?")
    larger, longer = np.zeros(shape, dtype=np.int64), np.full(shape[0], -1, dtype=np.int64)
    larger[: support.shape[0], : support.shape[1]] = support
    longer[: len(seen)] = seen
    return larger, longer


def _sorted(
    codes: dict[str, Codes],
    support: np.ndarray,
    labels: np.ndarray,
    classes: np.ndarray,
    persons: np.ndarray | None,
    beside: RowLabels | None,
    again: int,
) -> ItemCounts:
    """With items in the order in which transactions have them."""
    items = codes[ITEM].values
    names = in_order(items)
    place_of = {name: place for place, name in enumerate(names)}
    place = np.array([*(place_of[item] for item in items), -1], dtype=np.int32)
    ordered = np.empty((len(items), support.shape[1]), dtype=np.int64)
    ordered[place[:-1]] = support[: len(items)]
    return ItemCounts(codes, place, tuple(names), labels, classes, persons, ordered, beside, again)
