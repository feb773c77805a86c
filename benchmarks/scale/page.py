# SPDX-License-Identifier: Apache-2.0
"""The page of figures, docs/scale-figures.md, and its plot, from what was measured last."""

from __future__ import annotations

from pathlib import Path

from benchmarks.plot import log_log
from benchmarks.scale.kept import MEASURED, Line, Part, busy, kept
from benchmarks.scale.parts import GB, PARTS

DOCS = Path(__file__).parent.parent.parent / "docs"
_HEAD = """# Scale in figures

Printed by `python -m benchmarks.scale`, which makes the tables, runs each release in its own process and watches it
from outside. Processor seconds (CPU-s) are of all processes together; memory is the peak of what all of them held, in
GB of 10^9 bytes.
Tables have 8 quasi-identifiers, a label and 2 further columns, in Parquet files of a million rows, k = 5. *Bare DuckDB*
reads and groups the same files, reads and writes them, and checks by SQL what it wrote, in the same run; it coarsens
nothing.
"""


def write() -> None:
    if not MEASURED.exists():
        return
    parts = {name: part for name, part in kept().items() if name in PARTS}
    text = [_HEAD, *_limits(parts), *_busy({name: load for name, load in busy().items() if name in parts})]
    for name, part in parts.items():
        if any(len(run.get("stages", ())) > 1 for run in part.runs.values()):
            text += _stages(name, part)
    if "growth" in parts:
        text += _growth(parts["growth"])
    (DOCS / "scale-figures.md").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")


def _limits(parts: dict[str, Part]) -> list[str]:
    rows = ["| what | found | at most |", "|---|---:|---:|"]
    for part in (parts[name] for name in PARTS if name in parts):
        rows += [f"| {line.what} | {_figure(line)} | {_limit(line)} |" for line in part.lines]
    return [*rows, ""]


def _busy(loads: dict[str, int]) -> list[str]:
    """A sentence about what was measured beside other work, which takes more processor seconds then."""
    if not loads:
        return []
    said = ", ".join(f"`{name}` ({load} processes were waiting or running)" for name, load in loads.items())
    return [f"Measured on a busy machine, where the same work takes more processor seconds: {said}.", ""]


def _figure(line: Line) -> str:
    said = f"{line.found:.3g} {line.unit}"
    return f"**{said}, missed**" if line.met is False else said


def _limit(line: Line) -> str:
    return "" if line.limit is None else f"{line.limit:g}"


def _stages(name: str, part: Part) -> list[str]:
    text = [f"## Stages: {PARTS[name].__doc__.splitlines()[0].rstrip('.')}", ""]
    text += ["| run | stage | CPU-s | memory, GB |", "|---|---|---:|---:|"]
    for run, found in part.runs.items():
        for stage, cpu, peak in _merged(found["stages"]):
            text.append(f"| {run} | {stage} | {cpu:.1f} | {peak / GB:.2f} |")
        text.append(f"| {run} | all | {found['cpu']:.1f} | {found['peak'] / GB:.2f} |")
    return [*text, ""]


def _merged(stages: list[dict]) -> list[tuple[str, float, int]]:
    """Stages of one name together, in the order in which they first began."""
    names = dict.fromkeys(one["name"] for one in stages)
    alike = {name: [one for one in stages if one["name"] == name] for name in names}
    return [(name, sum(one["cpu"] for one in of), max(one["peak"] for one in of)) for name, of in alike.items()]


def _growth(part: Part) -> list[str]:
    runs = {int(rows): found for rows, found in part.runs.items()}
    lines = {
        "CPU-s": [(rows, found["cpu"]) for rows, found in runs.items()],
        "memory, GB": [(rows, found["peak"] / GB) for rows, found in runs.items()],
    }
    sizes = {rows: f"{rows / 1e6:g}M rows" for rows in runs}
    title = "Processor seconds and memory of a release through DuckDB against its rows"
    plot = log_log(title, lines, sizes, "CPU-s and GB")
    (DOCS / "_static" / "scale-growth.svg").write_text(plot, encoding="utf-8")
    return ["## Growth", "", f"![{title}](_static/scale-growth.svg)", "", "A line of slope one is linear growth.", ""]
