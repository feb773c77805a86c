# SPDX-License-Identifier: Apache-2.0
"""Generated tables for measuring: Parquet in parts of a million rows, the same everywhere for the same seed.

`people(rows)` has eight skewed, correlated quasi-identifiers, a label and two further columns. Its distinct rows grow
slower than its rows: 1M have 458k, 10M 2.31M, 50M 6.23M. `near_unique(rows)` has eight broad columns, whose rows are
nearly all distinct. A smaller table is the beginning of a larger one. Files are kept in the folder that DISCREET_CACHE
names, or in one for this user below the folder for temporary files.
"""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PART = 1_000_000  # rows of a part
ROW_GROUP = 125_000
SEED = 18
QUASI = ("age", "sex", "zip", "education", "occupation", "marital", "origin", "hours")
BROAD = ("age", "sex", "zip", "income", "height", "weight", "day", "hours")
LABEL = "label"
OTHER = ("diagnosis", "cost")

_EDUCATION = tuple(f"level {place:02}" for place in range(16))
_OCCUPATION = tuple(f"occupation {place:02}" for place in range(15))
_MARITAL = ("married", "never married", "divorced", "widowed", "separated", "away")
_ORIGIN = ("here", "north", "south", "east", "west")
_DIAGNOSES = tuple(f"diagnosis {place:02}" for place in range(40))


def cache() -> Path:
    """The folder for generated tables, outside the repository."""
    named = os.environ.get("DISCREET_CACHE")
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"discreet-benchmarks-{getpass.getuser()}"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def people(rows: int) -> list[Path]:
    """The parts of the table with skewed columns."""
    return _parts("people", rows, _people)


def near_unique(rows: int) -> list[Path]:
    """The parts of the table whose rows are nearly all distinct."""
    return _parts("near-unique", rows, _near_unique)


def folder_of(name: str, rows: int, parts: list[Path]) -> Path:
    """A folder with links to these parts alone, for commands that take a folder or a pattern."""
    folder = cache() / f"{name}-{rows}"
    folder.mkdir(exist_ok=True)
    for part in parts:
        link = folder / part.name
        if not link.exists():
            os.link(part, link)
    return folder


def _parts(name: str, rows: int, make: Callable[[int, np.random.Generator], pa.Table]) -> list[Path]:
    folder = cache() / name
    folder.mkdir(exist_ok=True)
    parts = []
    for place, start in enumerate(range(0, rows, PART)):
        n = min(PART, rows - start)
        whole = folder / f"part-{place:05}.parquet"
        file = whole if n == PART else folder / f"part-{place:05}-first-{n}.parquet"
        if not file.exists():
            partial = file.with_suffix(f".{os.getpid()}.partial")
            table = make(PART, np.random.Generator(np.random.Philox(key=[SEED, place]))).slice(0, n)
            pq.write_table(table, partial, row_group_size=ROW_GROUP, compression="zstd")
            partial.rename(file)
        parts.append(file)
    return parts


def _people(n: int, random: np.random.Generator) -> pa.Table:
    def uniform() -> np.ndarray:
        return random.random(n, dtype=np.float32)

    zip_code = (uniform() ** 4.4 * 34).astype(np.int16)
    wealth = uniform()  # behind age and education
    age = np.clip(17 + 73 * (0.55 * wealth**4 + 0.45 * uniform() ** 2), 17, 90).astype(np.int32)
    education = _level(16, 0.5 * uniform() ** 10.8 + 0.5 * (1 - wealth) * uniform())
    occupation = _level(15, 0.6 * uniform() ** 10.8 + 0.4 * education / 16 * uniform())
    marital = _level(6, uniform() ** 10.8 * (0.4 + 0.6 * age / 90))
    origin = _level(5, uniform() ** (4 + zip_code / 40))
    hours = np.where(uniform() < 0.55, 40, 8 * np.floor(1 + 9 * uniform() ** 1.2))
    hours = np.where(uniform() < 0.028, np.floor(1 + 44 * uniform()), hours).astype(np.int32)
    sex = (uniform() < 0.48).astype(np.int8)
    good = 0.15 + 0.03 * education + 0.003 * (age - 17) - 0.05 * (marital > 0)
    return pa.table(
        {
            "age": age,
            "sex": _texts(sex, ("female", "male")),
            "zip": _texts(zip_code, tuple(f"{10_000 + 37 * place}" for place in range(35))),
            "education": _texts(education, _EDUCATION),
            "occupation": _texts(occupation, _OCCUPATION),
            "marital": _texts(marital, _MARITAL),
            "origin": _texts(origin, _ORIGIN),
            "hours": hours,
            **_beside(uniform() < good, uniform(), uniform()),
        }
    )


def _near_unique(n: int, random: np.random.Generator) -> pa.Table:
    def uniform() -> np.ndarray:
        return random.random(n, dtype=np.float32)

    income = (1000 * uniform() ** 2).astype(np.int32)
    height = (150 + 50 * (uniform() + uniform()) / 2).astype(np.int32)
    weight = (height - 110 + 60 * uniform()).astype(np.int32)
    age = (90 * np.sqrt(uniform())).astype(np.int32)
    return pa.table(
        {
            "age": age,
            "sex": _texts((uniform() < 0.48).astype(np.int8), ("female", "male")),
            "zip": (10_000 + 2000 * uniform() ** 2).astype(np.int32),
            "income": income,
            "height": height,
            "weight": weight,
            "day": (366 * uniform()).astype(np.int32),
            "hours": (60 * uniform()).astype(np.int32),
            **_beside(uniform() < 0.2 + 0.0004 * income + 0.002 * age, uniform(), uniform()),
        }
    )


def _beside(good: np.ndarray, a: np.ndarray, b: np.ndarray) -> dict[str, pa.Array | np.ndarray]:
    """The label and the two further columns."""
    return {
        LABEL: _texts(good.astype(np.int8), ("no", "yes")),
        "diagnosis": _texts(_level(40, a**3), _DIAGNOSES),
        "cost": (20_000 * b**4).astype(np.int32),
    }


def _level(levels: int, share: np.ndarray) -> np.ndarray:
    return (levels * np.clip(share, 0, 0.9999)).astype(np.int8)


def _texts(codes: np.ndarray, texts: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(texts)).cast(pa.string())
