# SPDX-License-Identifier: Apache-2.0
"""Measure releases of large tables, on a quiet machine; processor seconds are of all processes, memory is the peak of
the whole tree of processes.

    python -m benchmarks.scale                   all parts, one after another
    python -m benchmarks.scale start plan        some of them
    python -m benchmarks.scale --page            only print docs/scale-figures.md from what was measured last

Every part runs in processes of its own and its figures replace those of the last run in measured.json.
"""

from __future__ import annotations

import argparse

from benchmarks.scale.kept import Part, keep
from benchmarks.scale.page import write
from benchmarks.scale.parts import PARTS


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0])
    options.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is named")
    options.add_argument("--page", action="store_true", help="only write the page from what was measured last")
    asked = options.parse_args()
    unknown = [name for name in asked.parts if name not in PARTS]
    if unknown:
        options.error(f"there is no part {unknown[0]!r}: they are {', '.join(PARTS)}")
    missed = 0
    for name in [] if asked.page else asked.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__.splitlines()[0]}", flush=True)
        part = PARTS[name]()
        keep(name, part)
        missed += _print(part)
    write()
    return 1 if missed else 0


def _print(part: Part) -> int:
    """Print the lines, and return how many limits were missed."""
    for line in part.lines:
        limit = "" if line.limit is None else f"  at most {line.limit:g}"
        said = {True: "met", False: "MISSED", None: ""}[line.met]
        print(f"  {line.what:60} {line.found:10.3g} {line.unit:8}{limit:15} {said}", flush=True)
    return sum(line.met is False for line in part.lines)


if __name__ == "__main__":
    raise SystemExit(main())
