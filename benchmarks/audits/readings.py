# SPDX-License-Identifier: Apache-2.0
"""Neighbours that differ in how one cell is read: 200 labels True and true, of which one is `unknown`; rows without a
person's id, one more or less. Where the reading of a cell depends on others, they are far apart."""

from __future__ import annotations

from unittest import mock

import numpy as np

from discreet import DiscreetError, ExponentialSelector, LaplaceSelector, PrivateFwell, PrivateTable, Roles, Table
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import LaplaceTop, _Peeling
from discreet.methods.noise import private_table
from discreet.recoding.public_domain import Domain

RIVALS = 30  # columns that tell nothing
REFUSED = -1  # the outcome where there is no release


def labels(unknown: bool) -> dict[str, list]:
    """One column tells True from true, which are one class; the others hold the same in every row."""
    spelt = ["True", "true"] * 100
    columns: dict[str, list] = {f"c{place}": [0] * 200 for place in range(RIVALS)}
    columns |= {"told": [int(text == "True") for text in spelt], "y": spelt}
    if unknown:
        columns["y"] = ["unknown", *spelt[1:]]
    return columns


def selection(method, columns: dict[str, list], runs: int) -> np.ndarray:
    """Picks by the inner mechanism, from the scores that a release gives it."""
    caught: list = []

    def catch(mechanism, values):
        caught.append((mechanism, np.array(values)))
        return np.arange(mechanism.picks)

    names = [name for name in columns if name != "y"]
    with mock.patch.object(LaplaceTop, "run", catch), mock.patch.object(_Peeling, "run", catch):
        try:
            method.release(columns, Roles(target="y", quasi=names))
        except (DiscreetError, ValueError):
            return np.full(runs, REFUSED)
    mechanism, scores = caught[0]
    return np.array([mechanism.run(scores)[0] for _ in range(runs)])


def selectors() -> dict[str, object]:
    names = [*(f"c{place}" for place in range(RIVALS)), "told"]
    domain = {name: {"values": [0, 1], "missing": False} for name in names}
    return {
        "LaplaceSelector": LaplaceSelector(0.5, 1, domain=domain),
        "ExponentialSelector": ExponentialSelector(0.5, 1, domain=domain),
        "PrivateFwell": PrivateFwell(0.5, n_features=1),
        "PrivateFwell by ranks": PrivateFwell(0.5, strategy="ranks", n_features=1),
    }


ROLES = Roles(target="y", quasi="a", person="who")
DOMAIN = {"y": [0, 1], "a": {"values": [0, 1], "missing": False}}


def persons(epsilon: float, *, ids: bool):
    """Noisy counts of a table with persons, as a release draws them: which of two cells seem to have a row."""
    method = PrivateTable(epsilon, DOMAIN, neighbours="add-remove", model="cells")
    domain = Domain.of(DOMAIN, ROLES)

    def sample(more: bool, runs: int) -> np.ndarray:
        who = ["p", "q"] if ids else [None, None]
        rows = {"y": [0, 1], "a": [0, 1], "who": who}
        table = Table.of({name: cells[: 1 + more] for name, cells in rows.items()})
        found = np.empty(runs, dtype=np.int64)
        real = private_table.noisy
        for run in range(runs):
            caught: list = []
            with mock.patch.object(private_table, "noisy", lambda *given: caught.append(real(*given)) or caught[0]):  # noqa: B023
                method._draw(table, ROLES, domain, Randomness())
            found[run] = 2 * (caught[0][0] >= 1) + (caught[0][3] >= 1)
        return found

    return sample
