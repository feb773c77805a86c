# SPDX-License-Identifier: Apache-2.0
"""Linkability, in the sense of the GDPR working party: can two parties join what each knows of a person?

Paper: M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, "A Unified Framework for Quantifying Privacy Risk in Synthetic
Data", 2022. One party knows some columns of a person, the other one others, and neither knows the name. Each looks for
the published row that is nearest to what it knows. If both find the same row they can join their data through it.

The distance is Gower's 1971: per column 0 where the label stands for the value, else 1; of a number and another number
or an interval how far they lie apart, as a share of the published span. Rows at the same least distance are picked with
the same chance, so the chance that both pick one row is computed: with A and B the sets of nearest rows of the two,
|A and B| / (|A| |B|). Under k-anonymity a set holds k rows at least, if its columns are quasi-identifiers: 1/k is the
most.

Departures from the paper: 1. Distances to intervals and sets, so that generalised releases can be attacked. 2. The
chance is computed; the paper's program takes the first of equally near rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, in_words, rate_of_persons
from discreet.attacks.label_meanings import Reading, read_columns
from discreet.attacks.linkage import NOT_TRUE, promised_k
from discreet.counting.tally import pair_counts, same_rows
from discreet.data.table import Table
from discreet.errors import DataError, listing

_BLOCK = 64  # persons processed at a time
_SLACK = 1e-9  # distances closer than this are equal
_TOUCHES = 1e-6  # least distance of a value from a label that does not cover it


def linkability(case: Case) -> list[Finding]:
    """Two parties with different columns of the same persons: do both find the same row?"""
    published = case.published
    one, other = case.parties or _halves(case)
    if {*one} & {*other}:
        raise DataError(f"Both parties know {listing(sorted({*one} & {*other}))}: give each column to one of them.")
    rng = np.random.default_rng(case.random_state)
    chances = _chances(case, case.table, one, other, rng)
    control = None
    if case.absent is not None:
        wrong = _chances(case, case.absent, one, other, rng)
        control, _ = rate_of_persons(wrong, None)
    ks = [k for names in (one, other) if (k := promised_k(published, names)) is not None]
    knows = [tuple(dict.fromkeys(map(published.source, names))) for names in (one, other)]
    persons = case.persons(case.table)
    everybody = len(case.table) if persons is None else len(np.unique(persons))
    success, n = rate_of_persons(chances, None, of=everybody)
    return [
        Finding(
            attack="linkability",
            question=f"Do two parties find the same published row of a person, one knowing {in_words(knows[0])}, the"
            f" other {in_words(knows[1])}?",
            success=success,
            targets=n,
            baseline=1 / len(published.data),  # type: ignore[arg-type]
            control=control,
            bound=1 / max(ks) if ks else None,
            note="" if published.is_true else f"{NOT_TRUE.split(':')[0]}: the row may be another person's.",
            kind="link",
            knows=(*knows[0], *knows[1]),
        )
    ]


def _halves(case: Case) -> tuple[list[str], list[str]]:
    """The known columns, split in the middle; items of one column stay together."""
    readings = read_columns(case.published, case.table, case.columns)
    sources = list(dict.fromkeys(reading.labelling.source for reading in readings))
    if len(sources) < 2:
        raise CannotAttack("Two parties need one known column each; the release and the known table share only one.")
    first = {*sources[: (len(sources) + 1) // 2]}
    of = {True: list[str](), False: list[str]()}
    for reading in readings:
        of[reading.labelling.source in first].append(reading.published.name)
    return of[True], of[False]


def _chances(
    case: Case, table: Table, one: Sequence[str], other: Sequence[str], rng: np.random.Generator
) -> np.ndarray:
    """For a sample of persons, the chance that both parties pick the same row."""
    persons = case.persons(table)
    first = np.arange(len(table)) if persons is None else np.unique(persons, return_index=True)[1]  # a row of each
    rows = np.sort(rng.permutation(first)[: case.targets])
    table = table.take(rows)
    parties = [_Party(read_columns(case.published, table, names)) for names in (one, other)]
    *places, together = pair_counts(*(party.pattern_of_row for party in parties))
    sizes = together.astype(np.float64)
    chances = np.empty(len(table))
    for begin in range(0, len(table), _BLOCK):
        here = slice(begin, begin + _BLOCK)
        near = [party.nearest(here) for party in parties]
        both = (near[0][:, places[0]] & near[1][:, places[1]]) @ sizes
        chances[here] = both / (near[0] @ parties[0].sizes) / (near[1] @ parties[1].sizes)
    return chances


class _Party:
    """The distinct published rows on some columns, and persons of whom these are known."""

    def __init__(self, readings: list[Reading]):
        columns = [reading.published for reading in readings]
        self.pattern_of_row, first = same_rows(columns)
        self.sizes = np.bincount(self.pattern_of_row).astype(np.float64)
        self._columns = [_Labels(reading, reading.published.codes[first]) for reading in readings]

    def nearest(self, persons: slice) -> np.ndarray:
        """Which patterns are nearest to each of these persons."""
        distance = sum(column.distances(persons) for column in self._columns)
        assert isinstance(distance, np.ndarray)
        return distance <= distance.min(axis=1, keepdims=True) + _SLACK


class _Labels:
    """The labels of one column: which values each stands for, and how far away it is from others."""

    def __init__(self, reading: Reading, codes: np.ndarray):
        used, self._of_pattern = np.unique(codes, return_inverse=True)
        self._reading, self._fits = reading, reading.fits(used)
        self._ends = None if reading.known.kind == "category" or reading.is_item else _ends(reading, used)

    def distances(self, persons: slice) -> np.ndarray:
        """Of each of these persons and each pattern, in [0, 1]."""
        reading = self._reading
        codes = reading.known.codes[persons]
        apart = np.ones((len(codes), len(self._fits)))
        if self._ends is not None:
            low, high, span = self._ends
            values = np.append(reading.known.numbers, np.nan)[codes][:, None]
            gap = np.maximum(low - values, values - high) / span
            apart = np.where(np.isnan(gap), 1.0, np.clip(gap, _TOUCHES, 1.0))
        apart[self._fits[:, reading.classes.of_code[codes]].T] = 0.0
        return apart[:, self._of_pattern]


def _ends(reading: Reading, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Where the interval or the number of each label begins and ends, NaN where it is none; and the span of all."""
    low, high = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    numbers = reading.published.numbers if reading.published.kind != "category" else np.empty(0)
    for i, (code, place) in enumerate(zip(labels, reading.places[labels], strict=True)):
        meaning = reading.labelling.meanings[place] if place >= 0 else None
        if meaning is not None and meaning.interval is not None:
            low[i], high[i] = meaning.interval
        elif code < len(numbers):
            low[i] = high[i] = numbers[code]
    ends = np.concatenate([low, high])
    ends = ends[np.isfinite(ends)]
    return low, high, max(float(np.ptp(ends)), _TOUCHES) if len(ends) else 1.0
