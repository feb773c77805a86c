# SPDX-License-Identifier: Apache-2.0
"""Compile beforehand what methods compile when they are first used: by using them, on made-up rows.

A kernel is compiled for the kinds of arrays that it is called with, and these are known best by the code that calls it.
So every method makes small releases here, in the settings that use other kernels; they are saved, verified and
recoded, too, and rows in files are released through DuckDB (cache_engines.py).
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.cli.cache_engines import engine_works
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DiscreetError, quietly
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.learning.hot_codes import HotCodes
from discreet.methods import METHODS, Method
from discreet.release.release import Release
from discreet.release.verify import verify

_NOISE = ("laplace-select", "exponential-select", "private-fwell", "private-table", "delta-sketch", "breach-aware")
_NAMES = ("laplace-select", "exponential-select", "private-fwell")
_ROLES = Roles(target="again", quasi=("age", "weight", "town", "job"), sensitive=("ill",), other=("stay",))
_GROUPS = {f"x{i}": f"group {i % 4}" for i in range(10)}
_PUBLIC = ([[int((i * j) % 3 == 0) for j in range(14)] for i in range(6)], ["yes", "no"] * 3)
_DOMAIN = {
    "again": ["no", "yes"],
    "age": {"cuts": [30, 50, 70]},
    "weight": {"cuts": [60, 80]},
    "town": [f"town {place}" for place in range(6)],
    "job": ["clerk", "nurse", "smith"],
    "ill": ["cold", "flu", "gout"],
    "stay": list(range(1, 9)),
}
_SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {  # what is not listed is used as it is
    "breach-aware": ({"folds": 3, "attackers": ("naive-bayes", "c45")}, {"search": "floating", "folds": 3}),
    "delta-sketch": ({"delta": 0.3},),
    "exponential-select": ({"epsilon": 1.0, "n_features": 3},),
    "greedy": (
        {},
        {"utility": "distcnt"},
        {"utility": "cm", "constraint": "k-anonymity"},
        {"absences": 1},
        {"absences": 2},
        {"label_known": True},
    ),
    "item-groups": ({}, {"groups": _GROUPS}),
    "kactus2": ({}, {"swap": 0.6}, {"l": 2, "pool": True}, {"t": 0.4, "label_known": True}),
    "kadet": ({}, {"public_class": True, "prune": False}),
    "km": ({}, {"m": 3, "utility": "hamdist"}),
    "laplace-select": ({"epsilon": 1.0, "n_features": 3},),
    "maximal": ({}, {"family": "frequent", "utility": "distcnt"}, {"label_known": True}),
    "mondrian": (
        {},
        {"split": "information"},
        {"relaxed": True},
        {"labels": "hierarchy", "split": "information"},
        {"labels": "cuts"},
        {"labels": "cuts", "split": "information", "relaxed": True},
        {"l": 2},
        {"l": 1.5, "diversity": "entropy", "t": 0.4, "split": "information"},
        {"population": 0.9},
        {"label_known": True},
    ),
    "optimal": ({}, {"utility": "hamdist"}, {"utility": "hamdist", "label_known": True}),
    "private-fwell": (
        {"epsilon": 1.0, "n_features": 3},
        {"epsilon": 1.0, "bounds": (0, 1), "n_features": 3},
        {"epsilon": 1.0, "strategy": "ranks"},
        {"epsilon": 1.0, "bounds": (0, 1), "strategy": "splits"},
        {"epsilon": 1.0, "bounds": (0, 1), "strategy": "blocks", "blocks": 15},
        {"epsilon": 1.0, "bounds": (0, 1), "strategy": "reference", "reference": _PUBLIC},
    ),
    "private-table": (
        {"epsilon": 1.0, "domain": _DOMAIN},
        {"epsilon": 1.0, "domain": _DOMAIN, "model": "cells"},
        {"epsilon": 1.0, "domain": _DOMAIN, "numbers": True},
    ),
    "random-flip": ({}, {"vector": "member"}),
    "tds": ({}, {"recoding": "global"}, {"l": 1.5, "diversity": "entropy", "t": 0.4, "label_known": True}),
    "tree-ladder": ({}, {"trust": 20, "detail": 2.0}, {"l": 2}),
    "variance-sketch": ({}, {"delta": 0.5, "information": 0.9}),
}


def compile_kernels() -> int:
    """Make the releases; the number of those that came about."""
    made, works = 0, list(_works())
    with warnings.catch_warnings(), progress("Compiling", len(works)) as bar, tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # the rows are nobody's
        _ = HotCodes.of([np.zeros(2, dtype=np.int32)], [1]) @ np.zeros((1, 1))  # what a report of a release learns with
        for work in engine_works(_people(3000), _ROLES, "who", Path(folder)):
            made += not quietly(work, errors=(DiscreetError,))[1]
        for place, (method, data) in enumerate(works):
            release, _ = quietly(method.release, *data, errors=(DiscreetError,))
            if release is not None:
                _use(release, data, Path(folder) / str(place))
                made += 1
            bar.advance()
    return made


def _works() -> Iterator[tuple[Method, tuple[Any, ...]]]:
    """Methods with their data: few rows and more, with and without persons, tables and 0/1 matrices."""
    alone = replace(_ROLES, person="who")
    tables = [(_people(160), _ROLES), (_people(160), alone), (_people(3000), _ROLES)]
    for name, method in METHODS.items():
        for setting in _SETTINGS.get(name, ({},)):
            made = method(**setting, **({} if name in _NOISE else {"k": 5}))
            for data in [*(tables if "table" in method.takes else ()), _ones()]:
                if data is not tables[-1] or len(setting) < 2 or name in _NAMES:
                    yield made, data


def _use(release: Release, data: tuple[Any, ...], folder: Path) -> None:
    """Save and verify a release, and recode rows with it."""
    quietly(release.save, folder, errors=(DiscreetError,))
    quietly(verify, folder / "release", errors=(DiscreetError, OSError))
    if isinstance(data[1], Roles):
        quietly(release.recode, data[0], errors=(DiscreetError,))


def _people(n: int) -> Table:
    random = Randomness(3).numpy()
    age, job = random.integers(18, 90, n), random.choice(["clerk", "nurse", "smith"], n).astype(object)
    job[random.random(n) < 0.1] = None
    return Table.of(
        {
            "age": age,
            "weight": random.normal(70, 12, n).round(1),
            "town": [f"town {place}" for place in random.integers(0, 6, n)],
            "job": job,
            "ill": random.choice(["cold", "flu", "gout"], n),
            "stay": random.integers(1, 9, n),
            "who": random.integers(0, n // 2, n),
            "again": np.where(age + 20 * random.standard_normal(n) > 54, "yes", "no"),
        }
    )


def _ones() -> tuple[np.ndarray, np.ndarray]:
    random = Randomness(5).numpy()
    X = (random.random((150, 14)) < np.linspace(0.7, 0.05, 14)).astype(np.uint8)
    return X, np.where(X[:, 0] + X[:, 3] + random.random(150) > 1.4, "yes", "no")
