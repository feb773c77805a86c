# SPDX-License-Identifier: Apache-2.0
"""The papers whose tables can be made again: those with a folder `benchmarks/<paper>` that holds a protocol.

python -m benchmarks.reproduce              lists them
python -m benchmarks.reproduce containment  prints a paper's tables, published figures beside ours
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def papers() -> list[str]:
    return sorted(path.parent.name for path in HERE.glob("*/protocol.py"))


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.reproduce", description=__doc__.splitlines()[0])
    options.add_argument("paper", nargs="?", help="which one; the list of all when none is named")
    asked, rest = options.parse_known_args()
    known = papers()
    if asked.paper is None:
        if not known:
            print("No paper can be reproduced yet: no folder of benchmarks/ holds a protocol.py.")
        for name in known:
            print(f"{name}: python -m benchmarks.reproduce {name}")
        return 0
    if asked.paper not in known:
        print(f"There is no paper {asked.paper!r} in benchmarks/. {f'It has {chr(44).join(known)}.' if known else ''}")
        return 2
    sys.argv = [f"benchmarks.{asked.paper}", *rest]
    runpy.run_module(f"benchmarks.{asked.paper}", run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
