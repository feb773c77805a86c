# SPDX-License-Identifier: Apache-2.0
"""What the studio asks about baskets and texts, in the process that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.table import Table
from discreet.data.transactions import read_labels
from discreet.errors import DataError
from discreet.privacy.containment import Containment
from discreet.recoding.grouped_items import GroupedItems
from discreet.risk.basket_inspection import inspect_baskets
from discreet.study.loading import words_of

_COMMONEST = 12
_ITEMS = 40  # of a row that are shown
_BARS = 12


@dataclass
class HeldBaskets:
    """The baskets that were opened last, and what they were opened from."""

    source: str = ""
    baskets: Baskets | None = None

    def opened(self, table: Any, path: str, how: Mapping[str, Any]) -> Baskets:
        """`how` has the shape, and the columns or the file that it needs; `table` opens the file as a table."""
        source = json.dumps([path, how], sort_keys=True)
        if self.baskets is None or self.source != source:
            self.baskets, self.source = _SHAPES[how["shape"]](table, Path(path), how), source
        return self.baskets


def _of_lines(table: Any, path: Path, how: Mapping[str, Any]) -> Baskets:
    labels = None if how.get("labels") is None else read_labels(path.parent / how["labels"])
    return Baskets.from_transactions(path, labels)


def _of_columns(table: Any, path: Path, how: Mapping[str, Any]) -> Baskets:
    opened: Table = table()
    return Baskets.from_columns(opened, target=how.get("target"))


def _of_texts(table: Any, path: Path, how: Mapping[str, Any]) -> Baskets:
    if how.get("text") is None:
        raise DataError("Say under Roles which column holds the texts.")
    return words_of(table(), how["text"], how.get("target"))


_SHAPES = {"transactions": _of_lines, "columns": _of_columns, "text": _of_texts}


def described(baskets: Baskets) -> dict[str, Any]:
    """Who stands out by how few items; the commonest items, how many a row has, and the first rows."""
    persons = np.asarray(baskets.matrix.sum(axis=0)).ravel()
    order = np.argsort(-persons, kind="stable")[:_COMMONEST]
    per_row = np.diff(baskets.matrix.indptr)
    return inspect_baskets(baskets).to_dict() | {
        "commonest": [{"label": baskets.names[place], "rows": int(persons[place])} for place in order],
        "lengths": _lengths(per_row),
        "first": [_row(baskets, row) for row in range(min(8, len(baskets)))],
        "labelled": baskets.labels is not None,
    }


def _lengths(per_row: np.ndarray) -> list[dict[str, Any]]:
    """How many rows have how many items, in at most so many steps of equal width.

    >>> _lengths(np.array([0, 1, 1, 3]))
    [{'label': '0', 'rows': 1}, {'label': '1', 'rows': 2}, {'label': '2', 'rows': 0}, {'label': '3', 'rows': 1}]
    """
    low, high = int(per_row.min()), int(per_row.max())
    width = -(-(high - low + 1) // _BARS)
    counts = np.bincount((per_row - low) // width)
    ends = [(low + place * width, low + (place + 1) * width - 1) for place in range(len(counts))]
    return [
        {"label": str(first) if width == 1 else f"{first} to {last}", "rows": int(rows)}
        for (first, last), rows in zip(ends, counts, strict=True)
    ]


def short_of_items(baskets: Baskets, k: int) -> dict[str, int]:
    """How many rows have items that fewer than k persons have all together."""
    verdict = Containment(k).check(baskets)
    return {"rows": len(baskets), "short": int(verdict.rows_short), "persons": len(baskets)}


def items_beside(baskets: Baskets, folder: Path, count: int) -> dict[str, Any]:
    """First rows with what a release keeps of them, and first rows of the release, which are others' rows."""
    from discreet.release.verify import verify

    found = verify(folder)
    if found.certificate is None or found.certificate.shape != "baskets" or found.content is None:
        raise DataError("This release publishes no rows that could be shown.")
    published: Any = found.content
    names = published.names
    file = folder / "recoding.json"
    grouped = GroupedItems.from_bytes(file.read_bytes()) if file.is_file() else None
    members = {} if grouped is None else _published_as(grouped, baskets)
    return {
        "items": True,
        "before": [
            {**row, "items": [(item, item in names, members.get(item)) for item in row["items"]]}
            for row in (_row(baskets, place) for place in range(min(count, len(baskets))))
        ],
        "after": [_row(published, row) for row in range(min(count, len(published)))],
        "kept": len(names),
        "of": len(baskets.names),
    }


def _published_as(grouped: GroupedItems, baskets: Baskets) -> dict[str, str]:
    """Of each item that is published with others, one of the published items that it counts for."""
    pairs = zip(*(places.tolist() for places in grouped.places_in(baskets)), strict=True)
    return {baskets.names[item]: grouped.names[at] for item, at in pairs if grouped.sizes[at] > 1}


def _row(baskets: Baskets, row: int) -> dict[str, Any]:
    items = baskets.items(row)
    labels = baskets.label_values
    label = None if labels is None else str(labels[row])
    return {"items": list(items[:_ITEMS]), "more": max(0, len(items) - _ITEMS), "label": label}
