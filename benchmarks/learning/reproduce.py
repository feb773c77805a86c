# SPDX-License-Identifier: Apache-2.0
"""The accuracies of C4.5 without anonymity that the kACTUS-2 paper prints beside its curves: 5x2 by Weka's folds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.learning.parity import accuracy, load
from benchmarks.learning.weka import folds
from benchmarks.reproduction.units import Row, Unit, Why
from discreet.learning.c45 import C45

HONEST = "On the original rows the same: numbers are cut inside each fold; *ours* cuts them on the whole file."
DATA = {"Adult": "adult", "German Credit": "german", "TTT": "tic_tac_toe", "Glass": "glass", "Waveform": "waveform40"}
FOLDERS: dict[str, tuple[str, ...]] = {"tic_tac_toe": (), "waveform40": ("waveform",)}
TABLE = "Figures 1 to 5"
WHY: tuple[Why, ...] = ()


def units() -> list[Unit]:
    given = {"folds": "Weka's, 5x2, seeds 1 to 5"}
    return [
        Unit(
            TABLE,
            f"{TABLE}: {name}",
            partial(original, name, data),
            {**given, "data": data},
            60 if data == "adult" else 10,
            FOLDERS.get(data, (data,)),
        )
        for name, data in DATA.items()
    ]


def quick() -> list[Unit]:
    """Tic-tac-toe, which is built in, twice in two folds."""
    return [Unit(TABLE, "TTT", partial(original, "TTT", "tic_tac_toe", 2))]


def original(name: str, data: str, repeats: int = 5) -> Iterator[Row]:
    """The mean of five repeats of two folds; another five differ by the noise of two such means."""
    table, features, target = load(data)
    labels = table.column(target).codes
    found = [
        [
            100 * accuracy(C45, table, features, target, folds(labels, 2, seed), how=how)
            for seed in range(1, repeats + 1)
        ]
        for how in ("whole file", "inside the fold")
    ]
    noise = 1.96 * float(np.std(found[0], ddof=1)) * (2 / repeats) ** 0.5
    yield Row(TABLE, name, "accuracy %", float(np.mean(found[0])), float(np.mean(found[1])), noise)
