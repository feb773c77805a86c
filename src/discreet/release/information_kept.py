# SPDX-License-Identifier: Apache-2.0
"""Detail: how much of a column can be read off what is published for it, from 0 (nothing) to 1 (every value).

A recipient who knows how often each value x of a column X occurs, p(x), and who reads a label as the set S of the
values that it stands for, expects x with the probability p(x) / p(S). That is worth log(1 / p(S)) bits. The detail of a
column is the mean of these bits over all rows, divided by the bits that there are, H(X):

    detail = mean of log(1 / p(S)) / H(X)

Where labels divide the values, this is I(X; L) / H(X), the mutual information of the value and the label. A suppressed
cell, and a label that stands for everything, are worth nothing. Counting pairs of values and labels would say more
than a recipient can read, wherever a value has several labels and few rows: of a column of different numbers, any two
labels given out at random would seem to tell one bit.

False cells, such as swapped ones, are a share q of the column. Nobody knows which they are, so x is expected with the
probability (1 - q) p(x) / p(S) + q p(x), and a false cell costs log(1 / q) bits. Less than nothing counts as 0.

A column published as several 0/1 items, or in labels whose meaning is not known, has I(X; L) / H(X); where its labels
do not follow from its values, as with flipped items, what the same labels would tell in random order is taken off both.
Rows left out tell nothing. The whole is the mean over the columns that differ between rows; of baskets, whose items are
many and rare, the sum of the bits that are kept over the sum of all bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.counting.entropy import entropy, n_log_n
from discreet.counting.tally import pair_counts
from discreet.data.baskets import Baskets
from discreet.data.column import SUPPRESSED, Column
from discreet.foundation.randomness import Randomness
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.labels import Labelling

if TYPE_CHECKING:
    from discreet.release.losses import ColumnChange, Crossing

ITEMS = "items"  # what all items of baskets together are called
_PAIRS = 100_000  # of an item and a published item that are compared at a time
_CELLS = 10_000_000  # of published items that are counted with all items at a time


@dataclass(frozen=True)
class Detail:
    """The detail of a release: of the whole, and of each quasi-identifier (of baskets, of all items together)."""

    whole: float
    columns: Mapping[str, float] = field(default_factory=dict)


NOTHING = Detail(0.0)  # of what has no cells: models, names, weights, sketches


def of_changes(changes: tuple[ColumnChange, ...]) -> Detail:
    """The detail of columns, and their mean; a column with one value has none to lose and does not count."""
    columns = {change.name: change.detail for change in changes}
    counted = [change.detail for change in changes if change.values_before > 1]
    return Detail(sum(counted) / len(counted) if counted else 0.0, columns)


def detail_of_column(crossed: Crossing, labelling: Labelling | None = None, *, published: float = 1.0) -> float:
    """The detail of one quasi-identifier; `published` is the share of the rows that are not left out."""
    was, _, rows = crossed.pairs
    everything = float(entropy(np.bincount(was, rows)))
    if not crossed.new or everything <= 0:
        return 0.0
    if labelling is not None and len(crossed.new) == 1 and labelling.fallback == SUPPRESSED:
        kept = _read(crossed, labelling) / everything
    else:
        kept = _counted(crossed, everything)
    return min(max(kept, 0.0), 1.0) * published


def _read(crossed: Crossing, labelling: Labelling) -> float:
    """Mean bits that a recipient reads off the labels by their meanings."""
    _, now, rows = crossed.pairs
    share, is_true = _shares_covered(crossed.old, crossed.new[0], labelling, crossed.pairs)
    false = float(rows[~is_true].sum() / rows.sum())
    bits = np.full(len(rows), np.log2(false) if false > 0 else 0.0)
    bits[is_true] = np.log2((1 - false) / share[now[is_true]] + false)
    return float((bits * rows).sum() / rows.sum())


def _shares_covered(
    old: Column, new: Column, labelling: Labelling, pairs: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The share of rows whose value each published code covers, and whether each pair is of a value and its cover."""
    was, now, rows = pairs
    classes = labelling.classes(old)
    place_of = {label: place for place, label in reversed([*enumerate(labelling.labels)])}
    code_of = {text: code for code, text in enumerate([*old.texts, None])}
    class_of = classes.of_code[was]
    weight = np.bincount(class_of, rows, minlength=len(classes)) / rows.sum()
    share, is_true = np.ones(len(new.values) + 1), np.ones(len(rows), dtype=bool)
    order = np.argsort(now, kind="stable")
    borders = np.searchsorted(now[order], np.arange(len(new.values) + 2)).tolist()
    begin, stop = np.full((2, len(new.values) + 1), -1, dtype=np.int64)
    begins, stops = (line.tolist() for line in classes.spans)
    for code, text in enumerate([*new.texts, None]):
        if text == SUPPRESSED or borders[code] == borders[code + 1]:
            continue
        place = place_of.get(text, -1)
        if place >= 0 and begins[place] >= 0:  # classes side by side
            begin[code], stop[code] = begins[place], stops[place]
            share[code] = weight[begins[place] : stops[place]].sum()
            continue
        mine = order[borders[code] : borders[code + 1]]
        if place >= 0:
            covers = classes.fit(place)
            share[code], is_true[mine] = weight[covers].sum(), covers[class_of[mine]]
        else:  # a value as it was, or a label without a meaning
            value = code_of.get(text, -1)
            share[code], is_true[mine] = rows[was == value].sum() / rows.sum(), was[mine] == value
    is_span = begin[now] >= 0
    is_true[is_span] = ((class_of >= begin[now]) & (class_of < stop[now]))[is_span]
    return share, is_true


def _counted(crossed: Crossing, everything: float) -> float:
    """I(X; L) / H(X); less what chance would give where labels do not follow from values."""
    was, now, rows = crossed.pairs
    shared = everything + float(entropy(np.bincount(now, rows))) - float(entropy(rows))
    if len(was) == len(np.unique(was)):
        return shared / everything
    labels = np.repeat(now, rows)
    by_chance = pair_counts(np.repeat(was, rows), labels[Randomness(0).permutation(len(labels))])
    chance = everything + float(entropy(np.bincount(now, rows))) - float(entropy(by_chance[2]))
    return (shared - chance) / (everything - chance) if everything - chance > 1e-9 else 0.0


def detail_of_items(
    before: Baskets, after: Baskets, features: tuple[int, ...], groups: GroupedItems | None = None
) -> Detail:
    """The detail of baskets; `after` has the same rows in the same order, and the items `features`, or their `groups`.

    What a published item tells about an item of the source is their mutual information; of an item in several groups
    the one counts that tells most.
    """
    n, have = len(before), before.support
    all_bits = _binary_bits(have, n)
    total = float(all_bits.sum())
    if not total:
        return Detail(0.0, {ITEMS: 0.0})
    source, place = np.array(features, dtype=np.int64), np.arange(len(features))
    if groups is not None:
        source, place = groups.places_in(before)
    shown = after.support[place]
    both = _rows_with_both(before, after, source, place)
    cells = np.stack([both, have[source] - both, shown - both, n - have[source] - shown + both])
    joint = np.log2(n) - n_log_n(cells).sum(axis=0) / n
    bits = np.zeros(len(have))
    np.maximum.at(bits, source, all_bits[source] + _binary_bits(shown, n) - joint)
    whole = min(max(float(bits.sum()) / total, 0.0), 1.0)
    return Detail(whole, {ITEMS: whole})


def _rows_with_both(before: Baskets, after: Baskets, source: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The number of rows that have an item and the published item beside it in these two lists.

    A published item that stands beside so many items that looking at each pair would take longer than a pass over all
    ones is counted by such passes, several at a time.
    """
    both = np.zeros(len(source), dtype=np.int64)
    cost = np.bincount(place, before.support[source] + after.support[place], minlength=after.shape[1])
    often = np.flatnonzero(cost > before.matrix.nnz)
    at_once = max(1, _CELLS // max(len(before), 1))
    by_item = before.columns.T.astype(np.int64)
    for at in range(0, len(often), at_once):
        together = by_item @ after.columns[:, often[at : at + at_once]].toarray().astype(np.int64)
        pairs = np.flatnonzero(np.isin(place, often[at : at + at_once]))
        both[pairs] = together[source[pairs], np.searchsorted(often[at : at + at_once], place[pairs])]
    rest = np.flatnonzero(~np.isin(place, often))
    for at in range(0, len(rest), _PAIRS):
        pairs = rest[at : at + _PAIRS]
        items, published = before.matrix[:, source[pairs]], after.matrix[:, place[pairs]]
        both[pairs] = np.asarray(items.astype(np.int64).multiply(published).sum(axis=0)).ravel()
    return both


def detail_of_kept(support: np.ndarray, n_rows: int, features: Sequence[int]) -> Detail:
    """The detail of baskets of which some items are kept as they are, from the rows that have each item."""
    bits = _binary_bits(support, n_rows)
    total = float(bits.sum())
    whole = min(float(bits[list(features)].sum()) / total, 1.0) if total else 0.0
    return Detail(whole, {ITEMS: whole})


def _binary_bits(have: np.ndarray, n: int) -> np.ndarray:
    """The entropy of each 0/1 item that so many of n rows have."""
    return entropy(np.stack([have, n - have], axis=-1))
