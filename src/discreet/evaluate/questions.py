# SPDX-License-Identifier: Apache-2.0
"""Questions that nobody asked yet: how well a release serves purposes other than its target.

Tables         the total variation (half the sum of absolute differences) between the one-, two- and three-way tables of
               the source and those of the release, as means over columns, pairs and triples: 0 if all shares are right,
               1 if none is. Many triples: some of them, drawn with a fixed seed
Correlations   the mean absolute error over all pairs of columns: Pearson's r of two numbers, else Cramer's V
Other targets  every other column is predicted from the rest by least squares, learnt from the release, on held-out
               rows as they are: the share of rows whose bin is right
Numbers        every column of numbers likewise: the share of its variance that is explained, 0 if none

Released rows are read as soft_rows.py says. The same learner on the original rows says what there was to learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from discreet.counting.tally import pair_counts
from discreet.data.dataset import Dataset
from discreet.evaluate.soft_rows import SoftColumn, SoftRows, bins_of, exactly, read_softly, readable_names
from discreet.foundation.progress import progress
from discreet.foundation.randomness import RandomState, drawn_seed
from discreet.release.release import Release

_TRIPLES = 60  # three-way tables that are counted
_ROWS_OF_TRIPLES = 3_000_000  # rows that are looked at for all of them
_MANY = 1_000_000  # rows whose pairs of codes are counted; pairs of codes, at most
_RIDGE = 1e-4
_NUMBERS = 9  # different values from which on a column of numbers is one for a regression


@dataclass(frozen=True)
class Tables:
    """Mean errors of tables and correlations, and on what they were measured."""

    one_way: float
    two_way: float
    three_way: float
    correlations: float | None
    columns: int
    of_columns: int
    triples: int
    of_triples: int

    @property
    def sampled(self) -> bool:
        """Whether some columns or triples were left out."""
        return self.columns < self.of_columns or self.triples < self.of_triples


@dataclass(frozen=True)
class OtherTarget:
    """A column as a target: what guessing, the original and the release are worth on held-out rows.

    `measure` is "accuracy" of bins, or "variance": the explained share of a number's variance.
    """

    column: str
    measure: str
    guessing: float
    original: float
    release: float


def ask_tables(release: Release, dataset: Dataset, *, random_state: RandomState = 0) -> Tables | None:
    """Compare the tables of a release with those of the rows it was made from; None if it has no cells."""
    seed = drawn_seed(random_state)
    names = readable_names(dataset, random_state=seed)
    read = read_softly(release, dataset, names)
    if read is None or len(names) < 2:
        return None
    before, after = read
    every = list(combinations(range(len(names)), 3))
    most = min(_TRIPLES, max(_ROWS_OF_TRIPLES // max(len(before), 1), 10))
    drawn = np.random.default_rng(seed).permutation(len(every))[:most]
    with progress("Comparing tables", len(drawn) + 1) as bar:
        two = [_variation(_block(before, pair), _block(after, pair)) for pair in combinations(range(len(names)), 2)]
        bar.advance()
        three = []
        for place in np.sort(drawn):
            three.append(_variation(before.triple(every[place]), after.triple(every[place])))
            bar.advance()
    one = [_variation(before.shares[part], after.shares[part]) for part in _parts(before)]
    return Tables(
        one_way=float(np.mean(one)),
        two_way=float(np.mean(two)),
        three_way=float(np.mean(three)) if three else float(np.mean(two)),
        correlations=_correlation_error(before, after),
        columns=len(names),
        of_columns=len(dataset.table.names) if dataset.shape == "table" else len(dataset.quasi),
        triples=len(three),
        of_triples=len(every),
    )


def _parts(rows: SoftRows) -> list[slice]:
    return [slice(int(a), int(b)) for a, b in zip(rows.starts[:-1], rows.starts[1:], strict=True)]


def _block(rows: SoftRows, pair: tuple[int, int]) -> np.ndarray:
    parts = _parts(rows)
    return rows.pairs[parts[pair[0]], parts[pair[1]]]


def _variation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).sum() / 2)


# -- correlations -----------------------------------------------------------------------------------------------------


def _correlation_error(before: SoftRows, after: SoftRows) -> float | None:
    numeric = [place for place, column in enumerate(before.columns) if not np.isnan(column.numbers).all()]
    small = _in_small_units(before), _in_small_units(after)
    pearson = {pair: [_pearson(rows, pair) for rows in small] for pair in combinations(numeric, 2)}
    errors = []
    for pair in combinations(range(len(before.columns)), 2):
        one, other = pearson.get(pair) or [_cramer(_block(rows, pair)) for rows in (before, after)]
        errors.append(abs(one - other))
    return float(np.mean(errors)) if errors else None


def _in_small_units(rows: SoftRows) -> SoftRows:
    """The numbers of each column within -1 and 1, whose squares are numbers, too; correlations have no unit."""

    def small(column: SoftColumn) -> SoftColumn:
        most = np.nanmax(np.abs(column.numbers), initial=0.0)
        return replace(column, numbers=column.numbers / most) if most > 0 else column

    return SoftRows(rows.names, tuple(small(column) for column in rows.columns))


def _pearson(rows: SoftRows, pair: tuple[int, int]) -> float:
    if len(rows) > _MANY:
        counted = _counted_pearson(rows, pair)
        return _pearson_of_many(rows, pair) if counted is None else counted
    x, y = (rows.numbers(place) for place in pair)
    known = ~np.isnan(x) & ~np.isnan(y)
    x, y = (
        x[known] - x[known].mean() if known.any() else x[known],
        y[known] - y[known].mean() if known.any() else y[known],
    )
    spread = np.sqrt((x**2).sum() * (y**2).sum())
    return float((x * y).sum() / spread) if spread > 1e-12 * max(len(x), 1) else 0.0


def _counted_pearson(rows: SoftRows, pair: tuple[int, int]) -> float | None:
    """As `_pearson`, by how many rows have each pair of codes; None if there may be too many pairs."""
    one, other = (rows.columns[place] for place in pair)
    if len(one.numbers) * len(other.numbers) > _MANY:
        return None
    first, second, n = pair_counts(one.codes, other.codes)
    x, y = one.numbers[first], other.numbers[second]
    known = ~np.isnan(x) & ~np.isnan(y)
    x, y, n = x[known], y[known], n[known]
    if not len(n):
        return 0.0
    x, y = (part - (part * n).sum() / n.sum() for part in (x, y))
    spread = np.sqrt((n * x**2).sum() * (n * y**2).sum())
    return float((n * x * y).sum() / spread) if spread > 1e-12 * n.sum() else 0.0


def _pearson_of_many(rows: SoftRows, pair: tuple[int, int]) -> float:
    """As `_pearson`, some rows at a time: first the means, then the products."""
    one, other = (rows.columns[place] for place in pair)

    def known() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for start in range(0, len(rows), _MANY):
            some = slice(start, start + _MANY)
            x, y = one.numbers[one.codes[some]], other.numbers[other.codes[some]]
            both = ~np.isnan(x) & ~np.isnan(y)
            yield x[both], y[both]

    n, *sums = np.sum([(len(x), x.sum(), y.sum()) for x, y in known()], axis=0)
    if not n:
        return 0.0
    centred = ((x - sums[0] / n, y - sums[1] / n) for x, y in known())
    xx, yy, xy = np.sum([((x**2).sum(), (y**2).sum(), (x * y).sum()) for x, y in centred], axis=0)
    spread = np.sqrt(xx * yy)
    return float(xy / spread) if spread > 1e-12 * n else 0.0


def _cramer(table: np.ndarray) -> float:
    """Cramer's V: the root of chi-squared over n, divided by the fewer of the values of the two, less 1."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    kept = table[np.ix_(rows > 0, columns > 0)]
    expected = np.outer(rows[rows > 0], columns[columns > 0])
    fewer = min(kept.shape) - 1
    return float(np.sqrt(max(((kept - expected) ** 2 / expected).sum() / fewer, 0.0))) if fewer > 0 else 0.0


# -- other targets ----------------------------------------------------------------------------------------------------


def ask_targets(
    release: Release, train: Dataset, test: Dataset, *, random_state: RandomState = 0
) -> tuple[OtherTarget, ...]:
    """Predict every other column of the test rows, from a release of the training rows and from these themselves."""
    names = readable_names(train, random_state=random_state)
    read = read_softly(release, train, names)
    if read is None or len(names) < 2:
        return ()
    bins = bins_of(train, names)
    tested = exactly(test, bins)
    found: list[OtherTarget] = []
    with progress("Asking about other columns", len(names)) as bar:
        for place, name in enumerate(names):
            if name != train.target:
                found.append(_as_classes(place, name, *read, tested))
                numbers = bins[place].numbers
                if numbers is not None and len(numbers) > _NUMBERS:
                    found.append(_as_number(place, name, *read, tested))
            bar.advance()
    return tuple(found)


def _as_classes(place: int, name: str, before: SoftRows, after: SoftRows, tested: SoftRows) -> OtherTarget:
    part = _parts(before)[place]
    others = _others(before, part)
    truth = np.concatenate([rows[:, part].argmax(axis=1) for rows in tested.chunks()])
    common = int(before.shares[part].argmax())
    right = []
    for rows in (before, after):
        weights = _solved(
            rows.pairs[np.ix_(others, others)], rows.pairs[np.ix_(others, np.arange(part.start, part.stop))]
        )
        answers = np.concatenate([(chunk[:, others] @ weights).argmax(axis=1) for chunk in tested.chunks()])
        right.append(float((answers == truth).mean()))
    return OtherTarget(name, "accuracy", float((truth == common).mean()), *right)


def _as_number(place: int, name: str, before: SoftRows, after: SoftRows, tested: SoftRows) -> OtherTarget:
    others = _others(before, _parts(before)[place])
    truth = tested.numbers(place)
    known = ~np.isnan(truth)
    centre, spread = (float(getattr(np, one)(before.numbers(place))) for one in ("nanmean", "nanstd"))
    explained = []
    for rows in (before, after):
        weights = _solved(rows.pairs[np.ix_(others, others)], _with_number(rows, place, others, centre, spread))
        answers = np.concatenate([chunk[:, others] @ weights for chunk in tested.chunks()])[known]
        wanted = (truth[known] - centre) / (spread or 1.0)
        rest = float(((wanted - answers) ** 2).sum())
        total = float(((wanted - wanted.mean()) ** 2).sum()) if len(wanted) else 0.0
        explained.append(max(1 - rest / total, 0.0) if total > 0 else 0.0)
    return OtherTarget(name, "variance", 0.0, *explained)


def _others(rows: SoftRows, part: slice) -> np.ndarray:
    return np.concatenate([np.arange(part.start), np.arange(part.stop, rows.starts[-1])])


def _with_number(rows: SoftRows, place: int, others: np.ndarray, centre: float, spread: float) -> np.ndarray:
    """The mean of x times the number, standardised as in the source, over the rows x; an unknown one is the mean."""
    numbers = np.nan_to_num((rows.numbers(place) - centre) / (spread or 1.0))
    total, start = np.zeros(len(others)), 0
    for chunk in rows.chunks():
        total += chunk[:, others].T @ numbers[start : start + len(chunk)]
        start += len(chunk)
    return total / max(len(rows), 1)


def _solved(pairs: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    return np.linalg.solve(pairs + _RIDGE * np.eye(len(pairs)), wanted)


def means(targets: Sequence[OtherTarget], measure: str) -> tuple[float, float, float] | None:
    """The mean of guessing, of the original and of the release over the targets with this measure; None if none has."""
    chosen = [(one.guessing, one.original, one.release) for one in targets if one.measure == measure]
    return tuple(float(value) for value in np.mean(chosen, axis=0)) if chosen else None  # type: ignore[return-value]
