# SPDX-License-Identifier: Apache-2.0
"""Distributions of each quasi-identifier, in the original and in the release.

Categories: how often each published label occurs, and how often it would if every original cell were read by itself as
the narrowest label that covers it (see `read` in protocols.py). Numbers and dates: bins whose borders are borders of
published labels; a label that covers several bins is spread evenly over them. So nothing but what is published is
named, and the bins are chosen so that about as many original rows are in each. Shares are of the cells that are not
empty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.data.column import Column, Kind
from discreet.data.dataset import Dataset
from discreet.errors import DataError, quietly
from discreet.evaluate.protocols import read
from discreet.learning.encoding import ends_of, places
from discreet.prepare.intervals import interval_label, read_interval
from discreet.prepare.periods import read_day
from discreet.release.release import Release

MOST = 10  # labels or bins shown per column; the others are counted together


def distributions(release: Release, dataset: Dataset) -> list[dict[str, Any]]:
    """For each published quasi-identifier, its labels with their shares before and after; nothing without rows."""
    of_shape = {"table": _columns, "baskets": _items}.get(release.shape)
    return [] if of_shape is None else of_shape(release, dataset)


def _columns(release: Release, dataset: Dataset) -> list[dict[str, Any]]:
    data, released = dataset.data, release.table
    try:
        by_label = read(release, data)
    except DataError:  # the labels do not say what they mean
        return []
    columns = []
    for name in (name for name in release.roles.quasi if name in by_label):  # type: ignore[union-attr]
        after = released.column(name)
        before = data.column(name) if name in data else None
        binned = _bins(before, after) if before is not None and before.kind in ("number", "date") else None
        columns.append(binned or _labels(by_label.column(name), after))
    return columns


def _labels(before: Column, after: Column) -> dict[str, Any]:
    texts = after.texts
    counted = [_counts(column, texts) for column in (before, after)]
    commonest = sorted(range(len(texts)), key=lambda place: (-counted[1][place], place))[:MOST]
    ends = places(tuple(texts))
    order = sorted(commonest, key=lambda place: ends[place])
    lines = [_line(texts[place], counted[0][place], counted[1][place]) for place in order]
    if len(texts) > MOST:
        rest = [max(1 - sum(line[side] for line in lines), 0.0) for side in ("before", "after")]
        more = len(texts) - MOST
        lines.append(_line(f"{more} {'other' if more == 1 else 'others'}", *rest))
    return {"name": after.name, "labels": lines}


def _counts(column: Column, texts: Sequence[str]) -> list[float]:
    counts = np.bincount(column.codes, minlength=column.levels)
    counts_of = {text: int(count) for text, count in zip(column.texts, counts, strict=False)}
    filled = int(counts[: len(column.values)].sum())
    return [counts_of.get(text, 0) / max(filled, 1) for text in texts]


def _ends(text: str, kind: Kind) -> tuple[float, float]:
    """The ends of a label, open if it has none; of a column of dates, 1990 is a year."""
    if kind != "date":
        return ends_of(text) or (-math.inf, math.inf)
    day, _ = quietly(read_day, text)
    return read_interval(text, kind) or ((-math.inf, math.inf) if day is None else (day, day))


def _bins(before: Column, after: Column) -> dict[str, Any] | None:
    """Numbers in bins; None when no published label has a border."""
    ends = [_ends(text, before.kind) for text in after.texts]
    borders = sorted({end for pair in ends for end in pair if math.isfinite(end)})
    rows = np.bincount(before.codes, minlength=len(before.values) + 1)[: len(before.values)]
    if not borders or not rows.any():
        return None
    cuts = _spread(borders, before.numbers, rows)
    edges = [-math.inf, *cuts, math.inf]
    shares = np.histogram(before.numbers, bins=np.array(edges), weights=rows)[0] / rows.sum()
    counts = np.bincount(after.codes, minlength=len(ends))[: len(ends)]
    found = np.zeros(len(edges) - 1)
    for (low, high), count in zip(ends, counts.tolist(), strict=True):
        point = low == high
        covered = [
            place
            for place, (left, right) in enumerate(pairwise(edges))
            if (left <= low < right if point else left < high and low < right)
        ]
        found[covered] += count / len(covered)
    found /= max(found.sum(), 1)
    kind = "date" if before.kind == "date" else "number"
    shown = [[None if math.isinf(end) else end for end in pair] for pair in pairwise(edges)]
    names = [interval_label(low, high, kind, periods=True) for low, high in shown]  # type: ignore[arg-type]
    return {
        "name": after.name,
        "labels": [_line(*line) for line in zip(names, shares.tolist(), found.tolist(), strict=True)],
    }


def _spread(borders: list[float], numbers: np.ndarray, rows: np.ndarray) -> list[float]:
    """Few of the borders: those next to where the rows divide evenly, of increasing numbers with their rows."""
    wanted = [_quantile(numbers, np.cumsum(rows), share) for share in np.linspace(0, 1, MOST + 1)[1:-1]]
    places_ = {int(np.argmin(np.abs(np.array(borders) - value))) for value in wanted}
    return [borders[place] for place in sorted(places_)]


def _quantile(numbers: np.ndarray, up_to: np.ndarray, share: float) -> float:
    """As `np.quantile` of all rows, by how many have each number or a lesser one."""
    rank = (int(up_to[-1]) - 1) * share
    beside = [min(math.floor(rank) + step, int(up_to[-1]) - 1) for step in (0, 1)]
    return float(np.quantile(numbers[np.searchsorted(up_to, beside, side="right")], rank - math.floor(rank)))


def _items(release: Release, dataset: Dataset) -> list[dict[str, Any]]:
    after, before = release.baskets, dataset.data
    before = before if release.groups is None else release.groups.apply(before)
    place = {name: item for item, name in enumerate(before.names)}
    shares = after.support / max(len(after), 1)
    order = np.argsort(-shares, kind="stable")[:MOST]
    original = before.support / max(len(before), 1)
    lines = [_line(after.names[item], float(original[place[after.names[item]]]), float(shares[item])) for item in order]
    return [{"name": "items", "labels": lines}]


def _line(label: str, before: float, after: float) -> dict[str, Any]:
    return {"label": label, "before": before, "after": after}
