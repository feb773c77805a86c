# SPDX-License-Identifier: Apache-2.0
"""The tables of the study: thirteen real ones, of the folder that DISCREET_DATA names, and six that are made up.

Real ones have their quasi-identifiers and target only, so that whatever is learnt is learnt from what a method
publishes. Large ones are thinned to what takes seconds. What is known of the made-up ones:

  additive     the class follows from the sum of six columns; two further ones are noise
  together     the class follows from two pairs of columns that say nothing one by one
  nothing      no column says anything about the class: only detail can be kept
  codes        post codes and occupations with many rare values; the class follows from regions and ages
  steps        four classes, intervals of a number; other columns are noisy copies of it
  missing      cells are missing more often in one class than in the other
"""

from __future__ import annotations

import gzip
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from discreet import Roles, Table
from discreet.samples import data_file, load

Data = tuple[Table, Roles]
Tables = dict[str, tuple[Callable[[], Data], tuple[int, ...]]]  # with the k that are asked of each


def _known(name: str, *, rows: int | None = None, quasi: tuple[str, ...] | int | None = None, person: bool = False,
           **options: int) -> Data:  # fmt: skip
    """A sample with some of its quasi-identifiers, and some of its rows or persons."""
    sample = load(name)
    table, roles = sample.data, sample.roles
    assert isinstance(table, Table)
    assert roles is not None
    names = roles.quasi[:quasi] if isinstance(quasi, int) else quasi or roles.quasi
    roles = Roles(target=roles.target, quasi=names, person=roles.person if person else None)
    table = table.select(roles.named)
    if rows is None:
        return table, roles
    random = np.random.default_rng(0)
    if roles.person is None:
        return table.take(np.sort(random.permutation(len(table))[:rows])), roles
    person_of = table.column(roles.person)
    place = random.permutation(person_of.levels)[person_of.codes]
    return table.take(np.flatnonzero(place < np.sort(place)[rows])), roles


def _mushroom(rows: int) -> Data:
    """Published as baskets of one item per column, the class first; its odour, which says all, is left out."""
    with gzip.open(data_file("fimi/mushroom.dat.gz"), "rt", encoding="ascii") as file:
        cells = np.array([text.split() for text in file])
    some = np.sort(np.random.default_rng(0).permutation(len(cells))[:rows])
    names = {f"a{j}": cells[some, j].tolist() for j in (1, 2, 3, 7, 9, 12, 14, 20, 21, 22)}
    return _of(names, cells[some, 0])


def _of(columns: dict[str, list], label: np.ndarray) -> Data:
    cells = {name: pa.array(values) for name, values in columns.items()}
    return Table.of(pa.table({**cells, "class": pa.array(label.astype(str))})), Roles(target="class", quasi=[*columns])


# -- made up ----------------------------------------------------------------------------------------------------------


def _drawn(random: np.random.Generator, logit: np.ndarray) -> np.ndarray:
    return (random.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(int)


def _additive() -> Data:
    random, n = np.random.default_rng(1), 8000
    age, hours = random.integers(18, 80, n), random.integers(0, 60, n)
    parts = random.integers(0, 6, (6, n))
    weights = random.normal(0, 0.7, (4, 6))
    logit = 0.05 * (age - 45) + 0.03 * (hours - 30) + sum(weights[j][parts[j]] for j in range(4)) - 0.5
    columns = {"age": age.tolist(), "hours": hours.tolist()}
    columns |= {f"c{j}": [f"v{v}" for v in parts[j]] for j in range(6)}
    return _of(columns, _drawn(random, logit))


def _together() -> Data:
    random, n = np.random.default_rng(2), 6000
    cells = random.integers(0, 4, (8, n))
    odd = (cells[0] // 2 ^ cells[1] // 2) + (cells[2] % 2 ^ cells[3] % 2)
    return _of({f"c{j}": [f"v{v}" for v in cells[j]] for j in range(8)}, _drawn(random, 2.5 * (odd - 1.0)))


def _nothing() -> Data:
    random, n = np.random.default_rng(3), 6000
    columns = {
        "age": random.integers(18, 90, n).tolist(),
        "sex": random.choice(["f", "m"], n).tolist(),
        "town": random.choice([f"t{j}" for j in range(30)], n, p=_zipf(30)).tolist(),
        "work": random.choice([f"w{j}" for j in range(12)], n, p=_zipf(12)).tolist(),
        "income": np.round(random.lognormal(10, 0.5, n), -2).tolist(),
    }
    return _of(columns, random.integers(0, 2, n))


def _zipf(n: int) -> np.ndarray:
    shares = 1 / np.arange(1, n + 1)
    return shares / shares.sum()


def _codes() -> Data:
    random, n = np.random.default_rng(4), 12000
    region = random.choice(20, n, p=_zipf(20))
    zips = [f"{10 + r}{e:03d}" for r, e in zip(region, random.choice(400, n, p=_zipf(400)), strict=True)]
    work = random.choice(300, n, p=_zipf(300))
    age = np.clip(random.normal(45, 17, n).round(), 16, 99).astype(int)
    logit = random.normal(0, 1.0, 20)[region] + 0.04 * (age - 45) + random.normal(0, 1.2, 15)[work % 15]
    sex = random.choice(["f", "m"], n)
    columns = {"zip": zips, "age": age.tolist(), "work": [f"job {w}" for w in work], "sex": sex.tolist()}
    return _of(columns, _drawn(random, logit + 0.4 * (sex == "f")))


def _steps() -> Data:
    random, n = np.random.default_rng(5), 4000
    hidden = random.random(n)
    label = np.searchsorted([0.2, 0.5, 0.8], hidden)
    columns = {f"x{j}": np.round(hidden + random.normal(0, 0.05 * (j + 1), n), 3).tolist() for j in range(6)}
    return _of(columns, label)


def _missing() -> Data:
    random, n = np.random.default_rng(6), 5000
    label = random.integers(0, 2, n)
    columns = {}
    for j in range(5):
        cells = np.round(random.normal(0.3 * label, 1.0), 2).tolist()
        gone = random.random(n) < np.where(label == 1, 0.25, 0.1)
        columns[f"x{j}"] = [None if g else c for g, c in zip(gone, cells, strict=True)]
    columns["ward"] = [f"ward {w}" for w in random.integers(0, 9, n)]
    return _of(columns, label)


_DIABETES = ("race", "gender", "age", "admission_type_id", "time_in_hospital", "medical_specialty")
_LARGE, _SMALL = (5, 50, 500), (2, 5, 25)

TABLES: Tables = {
    "adult_arx": (lambda: _known("adult_arx"), _LARGE),
    "adult": (lambda: _known("adult"), _LARGE),
    "diabetes130": (lambda: _known("diabetes130", rows=20_000, quasi=_DIABETES, person=True), _LARGE),
    "mushroom": (lambda: _mushroom(5000), _LARGE),
    "waveform": (lambda: _known("waveform", quasi=tuple(f"x{j}" for j in range(2, 21, 2))), _LARGE),
    "german": (lambda: _known("german"), _SMALL),
    "pima": (lambda: _known("pima"), _SMALL),
    "ilpd": (lambda: _known("ilpd"), _SMALL),
    "wdbc": (lambda: _known("wdbc", quasi=10), _SMALL),
    "tic_tac_toe": (lambda: _known("tic_tac_toe"), _SMALL),
    "glass": (lambda: _known("glass"), _SMALL),
    "soybean": (lambda: _known("soybean", quasi=12), _SMALL),
    "sonar": (lambda: _known("sonar", quasi=tuple(f"band{j}" for j in range(9, 50, 5))), _SMALL),
    "additive": (_additive, _LARGE),
    "together": (_together, _LARGE),
    "nothing": (_nothing, _LARGE),
    "codes": (_codes, _LARGE),
    "steps": (_steps, _LARGE),
    "missing": (_missing, _LARGE),
}
