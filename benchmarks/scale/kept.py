# SPDX-License-Identifier: Apache-2.0
"""What was measured, kept as JSON beside the programs: one entry for each part, written when the part is finished."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

MEASURED = Path(__file__).parent / "measured.json"


@dataclass(frozen=True)
class Line:
    """One figure with its limit.

    what   what was measured, and in which unit
    found  the figure; lower is better
    limit  what it must not exceed, or none where it is only reported
    """

    what: str
    found: float
    unit: str
    limit: float | None = None

    @property
    def met(self) -> bool | None:
        return None if self.limit is None else self.found <= self.limit


@dataclass(frozen=True)
class Part:
    """The figures of one part, and the runs they come from."""

    lines: list[Line]
    runs: dict[str, dict] = field(default_factory=dict)


def keep(name: str, part: Part) -> None:
    from importlib.metadata import version

    everything = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    machine = {"cores": len(os.sched_getaffinity(0)), "python": platform.python_version(), "duckdb": version("duckdb")}
    machine["load"] = round(os.getloadavg()[1])
    everything[name] = {"machine": machine, **asdict(part)}
    MEASURED.write_text(json.dumps(everything, indent=1) + "\n")


def kept() -> dict[str, Part]:
    everything = json.loads(MEASURED.read_text())
    return {name: Part([Line(**line) for line in one["lines"]], one["runs"]) for name, one in everything.items()}


def busy() -> dict[str, int]:
    """The load of the machine during each part, where it was more than what is measured and one more."""
    everything = json.loads(MEASURED.read_text())
    loads = {name: (one["machine"].get("load", 0), one["machine"]["cores"]) for name, one in everything.items()}
    return {name: load for name, (load, cores) in loads.items() if load > cores + 1}
