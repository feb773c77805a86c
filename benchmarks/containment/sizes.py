# SPDX-License-Identifier: Apache-2.0
"""How large the sets are, and what they cost: `python -m benchmarks.containment.sizes [--quick]`.

E-mail at k = 5, 8 and 11: the size of the selected set of Maximal and of the largest of its 20 candidates, whether the
candidates are proven to be the largest, what no feasible set exceeds, and CPU seconds. Then the same of messages or
tokens that are left, to see which preparation could explain the paper's sizes. Then how many AC-maximal sets Adult has,
and how long OptimalSelector takes on both; what GreedySelector keeps when absences are known, at the first k; and what
RandomFlip flips. --quick takes made-up rows instead.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.containment import adult, protocol
from discreet import Baskets, GreedySelector, MaximalSelector, OptimalSelector, RandomFlip
from discreet.methods.containment.maximal_contained import largest_contained
from discreet.methods.containment.maximal_pool import Clock

KS = (5, 8, 11)
LIMIT = 60  # seconds for a search


def without_near_duplicates(baskets: Baskets, alike: float = 0.3) -> Baskets:
    """Without messages whose tokens have a Jaccard index of `alike` or more with those of an earlier one that is in."""
    rows = baskets.matrix.astype(np.int64)
    both, size = (rows @ rows.T).toarray(), np.diff(rows.indptr)
    index = both / np.maximum(size[:, None] + size[None, :] - both, 1)
    kept: list[int] = []
    for row in range(len(baskets)):
        if not kept or index[row, kept].max() < alike:
            kept.append(row)
    return baskets.take(np.array(kept))


def without_frequent(baskets: Baskets, share: float = 0.05) -> Baskets:
    """Without the tokens that more than this share of the messages have."""
    return baskets.keep(np.flatnonzero(baskets.support <= share * len(baskets)))


def without_long(baskets: Baskets, longest: int = 300) -> Baskets:
    """Without the messages of more tokens than this."""
    return baskets.take(np.flatnonzero(np.diff(baskets.matrix.indptr) <= longest))


def maximal(name: str, baskets: Baskets, ks: tuple[int, ...], families: tuple[str, ...]) -> None:
    for family in families:
        for k in ks:
            method, start = MaximalSelector(k, family=family, time_limit=LIMIT), time.process_time()
            release = method.release(baskets)
            kept, seconds = len(release.features), time.process_time() - start
            largest = max(step["size"] for step in release.owner.trace if "size" in step)
            bound = "" if method.bound_ is None else method.bound_
            _line(
                name, family, k, len(baskets), baskets.shape[1], kept, largest, method.proven_, bound, f"{seconds:.1f}"
            )


def all_maximal(name: str, baskets: Baskets, ks: tuple[int, ...]) -> None:
    for k in ks:
        start = time.process_time()
        found = largest_contained(baskets.matrix, k, 10_000, clock=Clock(LIMIT))
        _line(name, k, len(found.sets), found.proven, f"{time.process_time() - start:.1f}")


def optimal(name: str, baskets: Baskets, ks: tuple[int, ...]) -> None:
    for k in ks:
        start = time.process_time()
        kept = len(OptimalSelector(k, time_limit=None).release(baskets).features)
        _line(name, k, kept, f"{time.process_time() - start:.1f}")


def absences(name: str, baskets: Baskets, k: int) -> None:
    for known in range(4):
        start = time.process_time()
        release = GreedySelector(k, absences=known).release(baskets)
        seconds, details = time.process_time() - start, release.verdict.details
        _line(name, k, known, len(release.features), details["unique rows"], details["classical k"], f"{seconds:.1f}")


def flips(name: str, baskets: Baskets, ks: tuple[int, ...]) -> None:
    for vector in ("majority", "member"):
        for k in ks:
            start = time.process_time()
            release = RandomFlip(k, vector=vector, random_state=0).release(baskets)
            seconds, changes = time.process_time() - start, release.changes
            share = changes.changed_cells / changes.quasi_cells
            _line(name, vector, k, f"{share:.2%}", len(release.features), f"{seconds:.1f}")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.containment.sizes", description=__doc__)
    options.add_argument("--quick", action="store_true", help="made-up rows, k = 5")
    options.add_argument("--k", type=int, nargs="*", default=KS)
    asked = options.parse_args()
    small, ks = protocol.made_up(), (5,) if asked.quick else tuple(asked.k)
    email = small if asked.quick else protocol.email()
    head = ("data", "family", "k", "rows", "columns", "selected", "largest", "proven", "none exceeds", "CPU seconds")
    _head(*head)
    maximal("e-mail", email, ks, ("frequent", "containment"))
    maximal("near-duplicates left out", without_near_duplicates(email), ks, ("frequent",))
    maximal("frequent tokens left out", email if asked.quick else without_frequent(email), ks, ("frequent",))
    maximal("long messages left out", without_long(email), ks, ("frequent",))
    print()
    people = small if asked.quick else adult.adult()
    _head("data", "k", "AC-maximal sets", "proven", "CPU seconds")
    all_maximal("Adult", people, ks)
    print()
    _head("data", "k", "OptimalSelector keeps", "CPU seconds")
    optimal("e-mail", email, ks)
    optimal("Adult", people, ks)
    print()
    _head("data", "k", "absences", "GreedySelector keeps", "unique rows", "classical k", "CPU seconds")
    absences("e-mail", email, ks[0])
    print()
    _head("data", "vector", "k", "RandomFlip flips", "items left", "CPU seconds")
    flips("e-mail", email, ks)
    flips("Adult", people, ks)


def _head(*names: str) -> None:
    _line(*names)
    _line(*["---"] * len(names))


def _line(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
