# SPDX-License-Identifier: Apache-2.0
"""The data that is timed: people made up by a formula, Adult and PU1 of the papers, Adult enlarged, sparse rows."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import scipy.sparse as sp

from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.samples import load

CACHE = Path(__file__).parent.parent / "results" / "data"
PEOPLE_ROWS = 10_000_000
QUASI = ("age", "sex", "zip", "race", "marital", "education", "occupation", "hours")


def people(groups: str) -> Path:
    """A Parquet file of 10 million rows: eight quasi-identifiers, a label y and a person.

    `groups` is "few" (about 100 thousand distinct rows) or "many" (about 5 million). Every cell is a hash of the row's
    number, so the file is the same everywhere.
    """
    path = CACHE / f"people-{groups}.parquet"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        duckdb.connect().execute(f"COPY ({_people_sql(groups == 'many')}) TO '{partial}' (FORMAT parquet)")
        partial.rename(path)
    return path


def _people_sql(many: bool) -> str:
    uniform = ", ".join(f"hash(i * 16 + {j}) / 18446744073709551616.0 AS u{j}" for j in range(10))
    ages, zips, marital, schools, jobs, hours = (50, 32, 6, 13, 8, 22) if many else (8, 5, 3, 3, 4, 200)
    return f"""
        SELECT (17 + floor({ages} * u0))::INTEGER AS age,
               CASE WHEN u1 < 0.52 THEN 'female' ELSE 'male' END AS sex,
               CASE WHEN u2 > 0.01 THEN printf('%05d', (1000 + 7 * floor({zips} * u2 * u2))::INTEGER) END AS zip,
               ['white', 'black', 'asian', 'native', 'other'][1 + floor(5 * u3 * u3 * u3)::INTEGER] AS race,
               ['never', 'married', 'divorced', 'separated', 'widowed', 'away'][1 + floor({marital} * u4 * u4)::INTEGER]
                 AS marital,
               (1 + floor({schools} * sqrt(u5)))::TINYINT AS education,
               CASE WHEN u6 < 0.03 THEN '?' ELSE 'occupation ' || (1 + floor({jobs} * u6))::INTEGER END AS occupation,
               (40 + floor(40 * pow(u7, {hours})))::BIGINT AS hours,
               (u8 < 0.3)::INTEGER AS y,
               floor(6000000 * u9)::BIGINT AS person
        FROM (SELECT {uniform} FROM range({PEOPLE_ROWS}) AS rows(i))
    """


def adult() -> tuple[pd.DataFrame, Roles]:
    """The 45,222 complete rows of Adult as a data frame, with eight quasi-identifiers."""
    sample = load("adult")
    return sample.data.to_frame("pandas"), sample.roles


def enlarged(frame: pd.DataFrame, rows: int, seed: int = 0) -> pd.DataFrame:
    """Rows drawn with replacement, ages moved by up to three years: more rows, and more distinct ones."""
    rng = np.random.default_rng(seed)
    larger = frame.iloc[rng.integers(0, len(frame), rows)].reset_index(drop=True)
    larger["age"] = np.clip(larger["age"] + rng.integers(-3, 4, rows), 17, 90)
    return larger


def perturbed(frame: pd.DataFrame, roles: Roles, rows: int, seed: int = 0) -> pd.DataFrame:
    """Rows drawn with replacement, every quasi-identifier cell redrawn from its column with probability 0.1."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(frame), rows)
    larger = {}
    for name in roles.named:
        source = drawn.copy()
        if name in roles.quasi:
            redrawn = np.flatnonzero(rng.random(rows) < 0.1)
            source[redrawn] = rng.integers(0, len(frame), len(redrawn))
        larger[name] = frame[name].array.take(source)
    return pd.DataFrame(larger)


def sparse(rows: int = 1_000_000, items: int = 10_000, ones: int = 20, seed: int = 0) -> Baskets:
    """Rows of up to `ones` random items, in two classes."""
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.integers(0, items, (rows, ones)), axis=1)
    matrix = sp.csr_array(
        (np.ones(rows * ones, np.uint8), chosen.ravel(), np.arange(0, rows * ones + 1, ones)), shape=(rows, items)
    )
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return Baskets.of(matrix, rng.integers(0, 2, rows))
