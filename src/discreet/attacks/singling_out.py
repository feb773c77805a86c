# SPDX-License-Identifier: Apache-2.0
"""Singling out, in the sense of the GDPR working party: a statement that is true of one person only.

Paper: M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, "A Unified Framework for Quantifying Privacy Risk in Synthetic
Data", 2022. From a published row the attacker makes statements such as "age >= 80 and town = North", and bets that the
one that the fewest published rows share is true of one person of the original table. With one column: each cell,
numbers also as "at least" or "at most". With several: TRIED combinations of cells. The same statements are held against
persons who are not in the release, and statements put together by chance against all.

So many statements are tried for each row, however many rows are tried: success is a share of the published rows, and
the choice of rows is all that its interval is about.

Departures from the paper:

1. A label is true of all values that it stands for, so generalised releases can be attacked as they are.
2. Persons are counted, equal rows one by one; the paper's program first drops rows that repeat another.
3. Each statement with several columns has as many as chance gives, from two to all; of numbers half the conditions, by
   chance, are "is", since releases publish numbers as they are.
4. One bet for each published row. The paper draws statements until enough are true of one published row, so that the
   more are asked for the rarer kinds of them are met, and success depends on how many are asked for.
5. If not as many persons were set aside as are in the release, how many statements are true of one of them is brought
   to that number by a curve: g(n) = n/(1 + n t)^2, as if the shares of persons of whom statements are true were
   distributed exponentially, t from what is true of one in a half of them. The paper's program fits a similar one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, rate
from discreet.attacks.label_meanings import Reading, read_columns
from discreet.attacks.linkage import NOT_TRUE, promised_k
from discreet.attacks.published import Published
from discreet.counting.tally import same_rows
from discreet.evaluate.confidence import Share, mean_chance

TRIED = 20  # combinations of cells that are tried for each row
_KEPT = 2000  # masks of rows that are kept for the next statement

Sign = Literal["is", "at least", "at most"]
Condition = tuple[int, int, Sign]  # a column, a code of its published values, how it is compared
Statement = tuple[Condition, ...]


def singling_out(case: Case) -> list[Finding]:
    """Statements with one column, with several, and with several quasi-identifiers, where others are published too."""
    published = case.published
    quasi = published.quasi
    findings = [_finding(case, published.columns, "one column"), _finding(case, published.columns, "several columns")]
    if len(published.columns) > len(quasi):
        findings.append(_finding(case, quasi, "several quasi-identifiers"))
    return [finding for finding in findings if finding is not None]


def _finding(case: Case, names: Sequence[str], how: str) -> Finding | None:
    published, rng = case.published, np.random.default_rng(case.random_state)
    readings = read_columns(published, case.table, names)
    if how != "one column" and len(readings) < 2:
        return None
    release = _Rows(readings, published.persons, are_published=True)
    rows = _rows(published, case.targets, rng)
    bets, alone = _bets(readings, release, rows, how)
    originals = _Rows(readings, case.persons(case.table), are_published=False)
    hits = np.array([originals.count(bet) == 1 for bet in bets], dtype=float)
    by_chance = sum(originals.count(_by_chance(readings, bet, rng)) == 1 for bet in bets)
    control = None if case.absent is None else _control(case, names, bets, originals.size, rng)
    note = "" if published.is_true else f"{NOT_TRUE.split(':')[0]}: a statement may be true of somebody else."
    tried = "the rarest cell" if how == "one column" else f"the rarest of {TRIED} combinations of cells"
    return Finding(
        attack=f"singling out, {how}",
        question=f"Is {tried} of a published row ({how}) true of exactly one person in the original table?",
        success=mean_chance(hits, of=release.size),
        targets=len(bets),
        baseline=by_chance / len(bets),
        control=control,
        bound=_bound(published, readings),
        note=note,
        units="rows" if published.persons is None else "persons",
        kind="statement",
        detail=f"{alone} of {len(bets)} statements are true of exactly one published person, the others of more.",
        knows=(),
    )


def _rows(published: Published, most: int, rng: np.random.Generator) -> np.ndarray:
    """The published rows that statements are made from: one of each person, of so many persons at most."""
    n = len(published.table)
    first = np.arange(n) if published.persons is None else np.unique(published.persons, return_index=True)[1]
    return np.sort(rng.permutation(first)[:most])


def _bound(published: Published, readings: list[Reading]) -> float | None:
    """Statements about quasi-identifiers are true of k published rows, and of the persons behind them if rows are."""
    k = promised_k(published, [reading.published.name for reading in readings])
    return 0.0 if k is not None and published.is_true else None


# -- statements ----------------------------------------------------------------------------------------------------


def _bets(readings: list[Reading], release: _Rows, rows: np.ndarray, how: str) -> tuple[list[Statement], int]:
    """The bet that each row gives, whichever others are tried, and how many are true of one published person."""
    statements = _of_one if how == "one column" else _of_several
    medians = [int(np.median(reading.published.codes)) for reading in readings]
    bets = [_rarest(statements(readings, medians, int(row)), release) for row in rows]
    return [bet for bet, _ in bets], sum(true_of == 1 for _, true_of in bets)


def _rarest(statements: list[Statement], release: _Rows) -> tuple[Statement, int]:
    """The statement that is true of the fewest published persons, the first of equals, and of how many it is."""
    counts = [release.count(statement) for statement in statements]
    return statements[int(np.argmin(counts))], min(counts)


def _of_one(readings: list[Reading], medians: list[int], row: int) -> list[Statement]:
    """Every cell of the row; numbers that are published as such also as an end, "at least" or "at most"."""
    statements: dict[Statement, None] = {}
    for c, reading in enumerate(readings):
        statements[(_condition(reading, c, row, None),)] = None
        statements[(_condition(reading, c, row, medians[c]),)] = None
    return list(statements)


def _of_several(readings: list[Reading], medians: list[int], row: int) -> list[Statement]:
    """Combinations of cells of the row. They are the same for a row whichever others are tried."""
    rng = np.random.default_rng([TRIED, row])
    statements: dict[Statement, None] = {}
    for _ in range(TRIED):
        chosen = np.sort(rng.permutation(len(readings))[: rng.integers(2, len(readings) + 1)])
        exact = rng.integers(0, 2, len(chosen)).astype(bool)
        statement = tuple(
            _condition(readings[c], int(c), row, None if is_exact else medians[c])
            for c, is_exact in zip(chosen, exact, strict=True)
        )
        statements[statement] = None
    return list(statements)


def _condition(reading: Reading, c: int, row: int, median: int | None) -> Condition:
    code = int(reading.published.codes[row])
    if median is None or not _is_number(reading) or code == len(reading.published.values):
        return c, code, "is"
    return c, code, "at least" if code > median else "at most"


def _by_chance(readings: list[Reading], bet: Statement, rng: np.random.Generator) -> Statement:
    """A statement about the same columns, with published values picked by chance."""
    conditions: list[Condition] = []
    for c, _, _ in bet:
        signs: tuple[Sign, ...] = ("is", "at least", "at most") if _is_number(readings[c]) else ("is",)
        conditions.append((c, int(rng.integers(readings[c].published.levels)), signs[int(rng.integers(len(signs)))]))
    return tuple(conditions)


def _is_number(reading: Reading) -> bool:
    """Whether numbers are published as they are."""
    return reading.published.kind != "category" and not reading.is_item


# -- of whom a statement is true -----------------------------------------------------------------------------------


class _Rows:
    """Rows that statements are held against: published ones, or known ones. Equal rows are looked at once."""

    def __init__(self, readings: list[Reading], persons: np.ndarray | None, *, are_published: bool):
        self._readings, self._persons, self._are_published = readings, persons, are_published
        columns = [reading.published if are_published else reading.known for reading in readings]
        if persons is None:
            rows, first = same_rows(columns)
            self._codes, self._times = [c.codes[first] for c in columns], np.bincount(rows)
            self.size = len(rows)
        else:
            self._codes, self.size = [c.codes for c in columns], len(np.unique(persons))
        self._mask = lru_cache(_KEPT)(self._true_of)

    def count(self, statement: Statement) -> int:
        """Of how many persons it is true."""
        mask = self._mask(statement[0])
        for condition in statement[1:]:
            mask = mask & self._mask(condition)
        return int(self._times[mask].sum()) if self._persons is None else len(np.unique(self._persons[mask]))

    def _true_of(self, condition: Condition) -> np.ndarray:
        c, code, sign = condition
        reading, codes = self._readings[c], self._codes[c]
        if sign == "is" and self._are_published:
            return codes == code
        if sign == "is":
            return reading.fits(np.array([code]))[0][reading.classes.of_code][codes]
        limit = np.append(reading.published.numbers, np.nan)[code]  # nothing lies beyond what is missing
        numbers = np.append((reading.published if self._are_published else reading.known).numbers, np.nan)
        return (numbers >= limit if sign == "at least" else numbers <= limit)[codes]


def _control(
    case: Case, names: Sequence[str], bets: list[Statement], size: int, rng: np.random.Generator
) -> Share | None:
    """How many statements are true of one of as many persons who are not in the release."""
    absent = case.absent
    assert absent is not None
    persons = case.persons(absent)
    if persons is None and len(absent) > size:
        absent = absent.take(np.sort(rng.permutation(len(absent))[:size]))
    readings = read_columns(case.published, absent, names)
    if len(readings) != len(read_columns(case.published, case.table, names)):
        return None  # it lacks columns that the statements speak of
    others = _Rows(readings, persons, are_published=False)
    counts, m = np.array([others.count(bet) for bet in bets]), others.size
    hits = float((counts == 1).sum()) * _scale(counts, size / m)
    return rate(min(hits, len(bets)), len(bets))


def _scale(counts: np.ndarray, times: float) -> float:
    """How many times as many statements would be true of one, were there so many times as many persons."""
    alone = float((counts == 1).sum())
    if times == 1 or not alone:
        return 1.0
    in_half = float((counts * 0.5**counts).sum())  # of a random half, the expected number
    root = math.sqrt(alone / in_half / 2)  # (1 + x/2)/(1 + x), with x = t times the persons
    if root <= 0.5:
        return 1 / times
    x = max(1 - root, 0.0) / (root - 0.5)
    return times * ((1 + x) / (1 + x * times)) ** 2
