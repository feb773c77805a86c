# SPDX-License-Identifier: Apache-2.0
"""How often intervals of sketched dot products hold the truth: `python -m benchmarks.calibration.sketched`.

Over many keys. Records of several kinds, and pairs chosen in three ways: by chance; a record and the one that is most
like it, by the records; and by the sketches themselves (`Sketches.nearest`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.sketching.signs import Signs
from discreet.sketching.sketches import sketch

ITEMS, RECORDS = 200, 48
COMPONENTS = (8, 15, 30, 60)
PAIRS = ("by chance", "nearest records", "nearest sketches")


def records(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Records of a kind, none of them empty."""
    shape = RECORDS, ITEMS
    if kind == "near copies":
        first = np.repeat(rng.random((RECORDS // 6, ITEMS)) < 0.1, 6, axis=0)
        found = (first ^ (rng.random(shape) < 0.02)).astype(int)
    elif kind == "counts":
        found = rng.poisson(rng.gamma(0.3, 1, shape))
    else:
        found = (rng.random(shape) < {"three items": 0.015, "ten items": 0.05, "eighty items": 0.4}[kind]).astype(int)
    found[found.sum(axis=1) == 0, 0] = 1
    return found


KINDS = ("three items", "ten items", "eighty items", "near copies", "counts")


@dataclass(frozen=True)
class Coverage:
    """Of how many intervals of a kind the share that holds the truth."""

    kind: str
    components: int
    pairs: str
    intervals: int
    share: float


def coverages(*, keys: int, seed: int = 0, kinds: tuple[str, ...] = KINDS) -> Iterator[Coverage]:
    """The coverage of each kind of pair, on fresh keys."""
    rng = np.random.default_rng(seed)
    for kind in kinds:
        X = records(kind, rng)
        dots = X @ X.T
        alike = dots / np.sqrt(np.outer(np.diag(dots), np.diag(dots)))
        np.fill_diagonal(alike, -1.0)
        rows = np.arange(RECORDS)
        others = {"by chance": (rows + rng.integers(1, RECORDS, RECORDS)) % RECORDS, "nearest records": alike.argmax(1)}
        for components in COMPONENTS:
            held = dict.fromkeys(PAIRS, 0)
            for _ in range(keys):
                found = sketch(X, Signs(rng.bytes(32), ITEMS), components)
                near, of_nearest = found.nearest(rows)
                estimates = {name: (found.dot(rows, those), those) for name, those in others.items()}
                estimates["nearest sketches"] = of_nearest, near[:, 0]
                for name, (estimate, those) in estimates.items():
                    truth = dots[rows, those]
                    held[name] += int(((estimate.low <= truth + 1e-9) & (truth - 1e-9 <= estimate.high)).sum())
            for name, number in held.items():
                yield Coverage(kind, components, name, keys * RECORDS, number / (keys * RECORDS))


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.calibration.sketched", description=__doc__)
    options.add_argument("--keys", type=int, default=200)
    options.add_argument("--seed", type=int, default=2026)
    asked = options.parse_args()
    print("| records | components | " + " | ".join(PAIRS) + " |\n|---|---|" + "---|" * len(PAIRS))
    found = list(coverages(keys=asked.keys, seed=asked.seed))
    for start in range(0, len(found), len(PAIRS)):
        line = found[start : start + len(PAIRS)]
        cells = [line[0].kind, line[0].components, *(f"{one.share:.3f}" for one in line)]
        print("| " + " | ".join(map(str, cells)) + " |")
    shares = [one.share for one in found]
    print(
        f"\n{len(found)} shares of intervals of 95 % that hold the truth: from {min(shares):.3f} to {max(shares):.3f}."
    )


if __name__ == "__main__":
    main()
