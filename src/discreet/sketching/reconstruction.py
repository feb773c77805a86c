# SPDX-License-Identifier: Apache-2.0
"""What an attacker can recover from sketches: records with the key, signs from known records.

Known key. A sketch is m linear equations in an unknown that is sparse and not negative. The attack takes the unknown of
least sum that satisfies them, by linear programming, and rounds it. It is one attack: an attacker with more time may
find more. What no attacker can find are bits that the sketch does not carry (component_limits.py).

Known records. Each known record with its sketch gives a linear equation in the signs. The attack solves them by least
squares and rounds to +1 and -1. With d independent known records it recovers every sign, which is as good as the key.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from discreet.data.records import Records
from discreet.foundation.lazy_modules import optimize, sparse_linalg
from discreet.sketching.component_limits import component_bits, determined, record_bits
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches

TRIED = 10  # records that are attacked
SHARES = (0.1, 0.5, 1.0)  # of the records that are known
_CANDIDATES = 2000  # items that the linear program chooses among, those that the sketch suggests most
_KNOWN = 20_000  # records that are used, at most
_COMPONENTS = 3  # components whose signs are sought


@dataclass(frozen=True)
class WithKey:
    """Records attacked with the key: how many came out exactly, and how many of their items; `baseline` is the share
    of items that guessing the commonest ones gets. `determined` counts all records whose sketches carry all their bits.
    """

    tried: int
    exact: int
    items: float
    baseline: float
    determined: int
    largest_share: float  # of its bits that a sketch carries

    def sentence(self) -> str:
        return (
            f"An attacker with the key recovered {self.exact} of {self.tried} records exactly, and {self.items:.0%} of"
            f" their items (the commonest items: {self.baseline:.0%}). {self.determined} sketches can carry all the"
            f" bits of their records; the fullest carries {self.largest_share:.0%}."
        )


@dataclass(frozen=True)
class WithRecords:
    """Signs from known records: how many records were used, and the share of the signs that came out right."""

    known: int
    signs: float

    def sentence(self) -> str:
        return (
            f"An attacker who knows {self.known} records and their sketches got {self.signs:.0%} of the signs right"
            " (chance: 50%)."
        )


@dataclass(frozen=True)
class Attacks:
    """Both attacks on one release, for the owner only: nothing of it is published."""

    with_key: WithKey
    with_records: tuple[WithRecords, ...]

    def trace(self) -> list[dict[str, Any]]:
        return [
            {"attack": "key is known", **asdict(self.with_key)},
            *({"attack": "records are known", **asdict(finding)} for finding in self.with_records),
        ]

    def sentences(self) -> list[str]:
        return [self.with_key.sentence(), *(finding.sentence() for finding in self.with_records)]


def attack(records: Records, sketches: Sketches, signs: Signs) -> Attacks:
    """Both attacks on sketches, whose records are given in the same order; the first records are the ones attacked.

    >>> from discreet.sketching.sketches import sketch
    >>> X, signs = np.eye(6, dtype=int) + np.eye(6, k=1, dtype=int), Signs(bytes(32), 6)
    >>> found = attack(Records.of(X), sketch(X, signs, 6), signs)
    >>> found.with_key.tried, found.with_records[-1].signs
    (6, 1.0)
    """
    return Attacks(_with_key(records, sketches, signs), tuple(_with_records(records, sketches, signs)))


def record_from_sketch(components: np.ndarray, signs: Signs, *, binary: bool) -> np.ndarray:
    """The non-negative record of least sum that has this sketch, or an empty one when the program finds none."""
    m = len(components)
    items = np.arange(signs.n_items)
    if signs.n_items > _CANDIDATES:
        suggested = np.concatenate(
            [signs.of(part, m) @ components for part in np.array_split(items, -(-len(items) // 2**16))]
        )
        items = np.sort(np.argsort(-suggested, kind="stable")[:_CANDIDATES])
    equations = signs.of(items, m).T.astype(np.float64)
    solution = optimize.linprog(np.ones(len(items)), A_eq=equations, b_eq=components, bounds=(0, 1 if binary else None))
    record = np.zeros(signs.n_items)
    if solution.x is not None:
        record[items] = solution.x
    return record


def signs_from_records(records: Records, sketches: Sketches, component: int) -> np.ndarray:
    """The signs of one component that fit these records and their sketches best; 0 for items that none of them has."""
    values = sketches.values[sketches.offsets[:-1] + component].astype(np.float64)
    with threadpool_limits(1):  # threads cost more than they save on vectors so short
        estimate = sparse_linalg.lsqr(
            records.matrix.astype(np.float64), values, atol=1e-6, btol=1e-6, iter_lim=4 * records.shape[1]
        )[0]
    return np.where(np.abs(estimate) > 1e-6, np.sign(estimate), 0.0)


def _with_key(records: Records, sketches: Sketches, signs: Signs) -> WithKey:
    tried = min(TRIED, len(records))
    binary = bool((records.matrix.data == 1).all())
    common = np.argsort(-np.bincount(records.matrix.indices, minlength=records.shape[1]), kind="stable")
    exact, right, guessed, items = 0, 0, 0, 0
    for i in range(tried):
        true = records.matrix[[i]].toarray()[0]
        record = record_from_sketch(sketches.row(i), signs, binary=binary)
        has = set(np.flatnonzero(true).tolist())
        exact += bool(np.allclose(np.rint(record) if records.whole else record, true, atol=1e-6))
        right += len(has & set(np.argsort(-record, kind="stable")[: len(has)].tolist()))
        guessed += len(has & set(common[: len(has)].tolist()))
        items += len(has)
    carried = sketches.counts * component_bits(records) / np.maximum(record_bits(records), 1e-9)
    return WithKey(
        tried=tried,
        exact=exact,
        items=right / max(items, 1),
        baseline=guessed / max(items, 1),
        determined=int(determined(records, sketches.counts).sum()),
        largest_share=float(carried.max(initial=0.0)),
    )


def _with_records(records: Records, sketches: Sketches, signs: Signs) -> Iterable[WithRecords]:
    components = min(_COMPONENTS, int(sketches.counts.max(initial=0)))
    truth = signs.of(np.arange(signs.n_items), components) if signs.n_items <= 2**20 else None
    occurs = np.bincount(records.matrix.indices, minlength=records.shape[1]) > 0
    done = set()
    for share in SHARES:
        n_known = min(round(share * len(records)), _KNOWN)
        if truth is None or not n_known or n_known in done:
            continue
        done.add(n_known)
        right = []
        for j in range(components):
            rows = np.flatnonzero(sketches.counts[:n_known] > j)
            if len(rows):
                estimate = signs_from_records(records.take(rows), sketches.take(rows), j)
                right.append(np.where(estimate == 0, 0.5, estimate == truth[:, j])[occurs].mean())
        yield WithRecords(n_known, float(np.mean(right)))
