# SPDX-License-Identifier: Apache-2.0
"""`measured.json`: what units gave, kept as soon as they end, so that a run that was stopped goes on where it was.

Beside what a unit gave stand the hashes of the code and of the data that it came from: figures whose hashes are no
longer those of the checkout are stale, and the page says so. Versions of libraries are kept for the reader; they make
nothing stale, since the same ones are not at hand everywhere.

The file is read anew before each write and put in place whole: two runs do not lose each other's results.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import discreet
from benchmarks.reproduction import datasets
from benchmarks.reproduction.papers import HERE
from benchmarks.reproduction.source import code_hash
from benchmarks.reproduction.units import Row, Unit, Value

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


class Origin(NamedTuple):
    """What figures come from: a hash of the code, and one of each data set."""

    code: str
    data: dict[str, str]


def origin(unit: Unit) -> Origin:
    """What a unit would come from now."""
    return Origin(code_hash(unit.measure), datasets.current(unit.data))


@cache
def versions() -> dict[str, str]:
    return {"discreet": discreet.__version__, **{name: version(name) for name in LIBRARIES}}


@dataclass(frozen=True)
class Kept:
    """What a unit gave, and what it came from."""

    unit: str
    table: str
    parameters: dict[str, Any]
    seconds: float
    rows: tuple[Row, ...]
    code: str = ""  # none: kept before hashes were
    data: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def stale(self, now: Origin) -> str:
        """What is another one now: "code", "data", both, or nothing."""
        code = self.code != now.code
        data = sorted(self.data.values()) != sorted(now.data.values())  # whatever the folders are called
        return " and ".join([*(["code"] if code else []), *(["data"] if data else [])])


class Store:
    """The results of a folder."""

    def __init__(self, folder: str, here: Path = HERE):
        self.path = here / folder / "measured.json"

    def read(self) -> dict[str, Kept]:
        if not self.path.exists():
            return {}
        content = json.loads(self.path.read_text(encoding="utf-8"))["units"]
        return {
            key: Kept(**{**each, "rows": tuple(Row(*row) for row in each["rows"])}) for key, each in content.items()
        }

    def keep(self, unit: Unit, rows: list[Row], seconds: float, came: Origin) -> None:
        found = self.read()
        shortened = tuple(row._replace(ours=_short(row.ours), honest=_short(row.honest)) for row in rows)
        shortened = tuple(row._replace(noise=float(f"{row.noise:.4g}")) for row in shortened)
        asked = (unit.name, unit.table, dict(unit.parameters), round(seconds, 1))
        found[unit.key] = Kept(*asked, shortened, came.code, came.data, versions())
        self._write(found)

    def forget(self, keys: set[str]) -> None:
        """Leave out results that no unit asks for any more."""
        found = self.read()
        if keys & found.keys():
            self._write({key: each for key, each in found.items() if key not in keys})

    def _write(self, found: dict[str, Kept]) -> None:
        units = []
        for key, each in sorted(found.items(), key=lambda item: (item[1].table, item[1].unit, item[0])):
            head = {"unit": each.unit, "table": each.table, "parameters": each.parameters}
            head |= {"seconds": each.seconds, "code": each.code, "data": each.data, "versions": each.versions}
            rows = ",\n".join(f"  {json.dumps(list(row), ensure_ascii=False)}" for row in each.rows)
            start = json.dumps(head, ensure_ascii=False)[:-1]
            units.append(f'"{key}": {start}, "rows": [\n{rows}]}}')
        text = '{"format": 2, "units": {\n' + ",\n".join(units) + "\n}}\n"
        handle, partial = tempfile.mkstemp(prefix=".partial-", dir=self.path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(partial, 0o644)
            os.replace(partial, self.path)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise


def _short(value: Value) -> Value:
    if value is None or isinstance(value, str):
        return value
    number = float(f"{float(value):.6g}")
    return int(number) if number == int(number) and abs(number) < 1e15 else number
