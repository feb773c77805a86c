# SPDX-License-Identifier: Apache-2.0
"""Prints what three protocols report where there is nothing to learn, and draws it.

python -m benchmarks.calibration              30 data sets; an interrupted run goes on where it was
python -m benchmarks.calibration --sets 60    more, narrower intervals
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.calibration.picture import picture
from benchmarks.calibration.study import SUBJECTS, Line, lines
from discreet.evaluate.protocols import PROTOCOLS
from discreet.foundation.progress import show

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "calibration"
DRAWN = HERE.parents[1] / "docs" / "_static" / "calibration.svg"


def row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def printed(found: list[Line]) -> str:
    by = {(line.shape, line.name, line.protocol): line for line in found}
    out = [row("data", "method", "labels guide it", *PROTOCOLS), row(*["---"] * (3 + len(PROTOCOLS)))]
    for shape, name, guided in dict.fromkeys((line.shape, line.name, line.guided) for line in found):
        cells = [by.get((shape, name, protocol)) for protocol in PROTOCOLS]
        out.append(row(shape, name, "yes" if guided else "no", *map(_said, cells)))
    return "\n".join(out)


def _said(line: Line | None) -> str:
    if line is None:
        return "as holdout"
    figures = f"{line.mean:.3f} ({line.low:.3f} to {line.high:.3f})"
    return figures if line.is_half else f"**{figures}**"


def summary(found: list[Line]) -> str:
    out = []
    for protocol in PROTOCOLS:
        for guided, kind in ((True, "that labels guide"), (False, "that labels do not guide, the original among them")):
            mine = [line for line in found if (line.protocol, line.guided) == (protocol, guided)]
            half, means = sum(line.is_half for line in mine), [line.mean for line in mine]
            out.append(
                f"{protocol}: of {len(mine)} intervals of methods {kind}, {half} hold one half;"
                f" means from {min(means):.3f} to {max(means):.3f}."
            )
    return "\n".join(out)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    options.add_argument("--sets", type=int, default=30)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--no-picture", action="store_true", help=f"leave {DRAWN.name} as it is")
    asked = options.parse_args()
    show()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    found = lines(SUBJECTS, asked.sets, asked.jobs, RESULTS)
    print(f"{asked.sets} data sets; {len(found)} intervals that hold together with 95 %; bold: one half is outside\n")
    print(printed(found))
    print(f"\n{summary(found)}")
    if not asked.no_picture:
        DRAWN.write_text(picture(found, asked.sets), encoding="utf-8")


if __name__ == "__main__":
    main()
