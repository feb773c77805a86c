# SPDX-License-Identifier: Apache-2.0
"""Published rows that match what is known about a person.

A published row matches if each of its labels covers the person's known value. Equal published rows form one pattern,
and persons whom no label separates form one target, so the work depends on distinct rows only. For a block of patterns
every class of values has one bit per matching pattern; a target is the AND of its classes' words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from discreet.attacks.label_meanings import Reading, read_columns
from discreet.attacks.published import Published
from discreet.counting.bitmaps import lowest_bit
from discreet.counting.tally import distinct_codes, pair_counts, persons_per_group
from discreet.data.table import Table
from discreet.foundation.compiled_kernels import compiled

_BLOCK = 4096  # patterns that targets are held against at a time


class Matching:
    """A published table beside what is known of persons.

    Parameters
    ----------
    published : what an attacker has
    known : a row for each person (or several), with the columns as they were before the release
    columns : published columns that are known; the quasi-identifiers if not given
    presences : known is only which items a person has, not which are lacking

    Attributes
    ----------
    columns : the published columns that were held against known ones
    pattern_of_row, target_of_row : of published and of known rows
    n_patterns, n_targets : how many there are

    >>> from discreet import KAnonymity, Roles
    >>> released = Published(Table.of({"age": ["< 40", "< 40", "*"]}), KAnonymity(2), Roles(quasi=["age"]))
    >>> found = Matching(released, Table.of({"age": [31, 45]}))
    >>> found.rows[found.target_of_row].tolist()
    [3, 1]
    """

    def __init__(
        self, published: Published, known: Table, columns: Iterable[str] | None = None, *, presences: bool = False
    ):
        self._readings = read_columns(published, known, columns)
        self._presences, self._persons = presences, published.persons
        self.columns = tuple(reading.published.name for reading in self._readings)
        n = len(self._readings[0].published)
        labels = [reading.published.codes for reading in self._readings]
        levels = [len(reading.published.values) + 1 for reading in self._readings]
        self._patterns, self.pattern_of_row = distinct_codes(labels, n, levels)
        classes = [reading.class_of_row for reading in self._readings]
        targets, self.target_of_row = distinct_codes(classes, len(known), [len(r.classes) for r in self._readings])
        self._targets = targets.astype(np.int64)
        self.n_patterns, self.n_targets = len(self._patterns), len(self._targets)

    @property
    def n_rows(self) -> int:
        return len(self.pattern_of_row)

    @property
    def n_persons(self) -> int:
        """Persons behind the published rows: the rows, where it is not known whose they are."""
        return self.n_rows if self._persons is None else len(np.unique(self._persons))

    @cached_property
    def rows(self) -> np.ndarray:
        """For each target, the number of published rows that fit."""
        return self.sums(np.bincount(self.pattern_of_row, minlength=self.n_patterns)[:, None])[:, 0].astype(np.int64)

    @cached_property
    def persons(self) -> np.ndarray:
        """For each target, the number of different persons behind the published rows that fit."""
        if self._persons is None:
            return self.rows
        numbered = np.unique(self._persons, return_inverse=True)[1]
        pattern, who, _ = pair_counts(self.pattern_of_row, numbered)  # by pattern, each person once
        start = np.searchsorted(pattern, np.arange(self.n_patterns + 1))
        words = [bits for _, bits in self._blocks()]
        last_target = np.full(self.n_persons, -1, dtype=np.int64)
        return _persons_met(self._targets, np.hstack(words), self._starts, start, who, last_target)

    @cached_property
    def persons_of_pattern(self) -> np.ndarray:
        """The number of persons behind each pattern."""
        return persons_per_group(self.pattern_of_row, self.n_patterns, self._persons)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """For each target, the sum of the patterns' rows of values over the patterns that fit."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        sums, unused = np.zeros((self.n_targets, values.shape[1])), np.zeros(self.n_targets)
        for start, bits in self._blocks():
            here = values[start : start + _BLOCK]
            _add_up(self._targets, bits, self._starts, here, sums, unused, np.zeros(len(here)))
        return sums

    def counts(self, codes: np.ndarray, n_values: int) -> np.ndarray:
        """For each target, how many of the rows that fit have each code; `codes` are those of the published rows."""
        cells = np.bincount(self.pattern_of_row * n_values + codes, minlength=self.n_patterns * n_values)
        return self.sums(cells.reshape(self.n_patterns, n_values))

    def fitting(self, weights: np.ndarray | None = None) -> np.ndarray:
        """For each pattern, how many known rows fit it, or the sum of their weights."""
        times = np.bincount(self.target_of_row, weights, minlength=self.n_targets).astype(np.float64)
        fitting = np.zeros(self.n_patterns)
        for start, bits in self._blocks():
            here = fitting[start : start + _BLOCK]
            _add_up(self._targets, bits, self._starts, np.empty((len(here), 0)), np.empty((0, 0)), times, here)
        return fitting

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.cumsum([0, *(len(reading.classes) for reading in self._readings[:-1])]).astype(np.int64)

    def _blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """For some patterns at a time, a line of words per class of values: a bit for each pattern that it fits."""
        for start in range(0, self.n_patterns, _BLOCK):
            patterns = self._patterns[start : start + _BLOCK]
            yield start, np.vstack([self._bits(reading, patterns[:, c]) for c, reading in enumerate(self._readings)])

    def _bits(self, reading: Reading, codes: np.ndarray) -> np.ndarray:
        used, place = np.unique(codes, return_inverse=True)
        fits = reading.fits(used, presences=self._presences).T[:, place.ravel()]
        packed = np.zeros((len(fits), -(-len(codes) // 64) * 8), dtype=np.uint8)
        bits = np.packbits(fits, axis=1, bitorder="little")
        packed[:, : bits.shape[1]] = bits
        return packed.view("<u8").astype(np.uint64)


@compiled
def _word(targets, bits, starts, t, word):
    """The patterns of a word that match a target in all columns; most words are empty after a few columns."""
    word_bits = bits[starts[0] + targets[t, 0], word]
    c = 1
    while c < targets.shape[1] and word_bits != np.uint64(0):
        word_bits &= bits[starts[c] + targets[t, c], word]
        c += 1
    return word_bits


@compiled
def _add_up(targets, bits, starts, values, sums, times, fitting):
    """For each matching target and pattern: add the pattern's values to the target, its multiplicity to the pattern."""
    n_targets = len(targets)
    n_values = values.shape[1]
    one, none = np.uint64(1), np.uint64(0)
    for t in range(n_targets):
        for word in range(bits.shape[1]):
            word_bits = _word(targets, bits, starts, t, word)
            while word_bits != none:
                pattern = word * 64 + np.int64(lowest_bit(word_bits))
                word_bits &= word_bits - one
                fitting[pattern] += times[t]
                for v in range(n_values):
                    sums[t, v] += values[pattern, v]


@compiled
def _persons_met(targets, bits, starts, first, persons, last_target):
    """Of each target the different persons of the patterns that fit; met[person] is the last target they were met by.

    `persons[first[p] : first[p + 1]]` are those of pattern p. Blocks stand side by side in `bits`, each but the last
    full, so that the place of a bit is the number of its pattern.
    """
    n_targets = len(targets)
    one, none = np.uint64(1), np.uint64(0)
    n_persons = np.zeros(n_targets, dtype=np.int64)
    for t in range(n_targets):
        for word in range(bits.shape[1]):
            word_bits = _word(targets, bits, starts, t, word)
            while word_bits != none:
                pattern = word * 64 + np.int64(lowest_bit(word_bits))
                word_bits &= word_bits - one
                for place in range(first[pattern], first[pattern + 1]):
                    if last_target[persons[place]] != t:
                        last_target[persons[place]] = t
                        n_persons[t] += 1
    return n_persons
