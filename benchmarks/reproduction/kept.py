# SPDX-License-Identifier: Apache-2.0
"""`measured.json`: what units gave, kept as soon as they end, so that a run that was stopped goes on where it was.

The file is read anew before each write and put in place whole: two runs do not lose each other's results.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.reproduction.papers import HERE
from benchmarks.reproduction.units import Row, Unit, Value


@dataclass(frozen=True)
class Kept:
    """What a unit gave, with the version of discreet that it ran on."""

    unit: str
    table: str
    parameters: dict[str, Any]
    version: str
    seconds: float
    rows: tuple[Row, ...]


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

    def keep(self, unit: Unit, rows: list[Row], version: str, seconds: float) -> None:
        found = self.read()
        shortened = tuple(row._replace(ours=_short(row.ours), honest=_short(row.honest)) for row in rows)
        shortened = tuple(row._replace(noise=float(f"{row.noise:.4g}")) for row in shortened)
        found[unit.key] = Kept(unit.name, unit.table, dict(unit.parameters), version, round(seconds, 1), shortened)
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
            head |= {"version": each.version, "seconds": each.seconds}
            rows = ",\n".join(f"  {json.dumps(list(row), ensure_ascii=False)}" for row in each.rows)
            start = json.dumps(head, ensure_ascii=False)[:-1]
            units.append(f'"{key}": {start}, "rows": [\n{rows}]}}')
        text = '{"format": 1, "units": {\n' + ",\n".join(units) + "\n}}\n"
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
