# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of promises, methods and attacks: `python -m benchmarks.drawings` fills docs/_static/drawings."""

from __future__ import annotations

from pathlib import Path

from benchmarks.drawings.attacks import ATTACKS
from benchmarks.drawings.methods import METHODS
from benchmarks.drawings.promises import PROMISES

FOLDER = Path(__file__).parents[2] / "docs" / "_static" / "drawings"
ALL = {**METHODS, **PROMISES, **ATTACKS}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, draw in ALL.items():
        content = draw()
        (FOLDER / f"{name}.svg").write_text(content, encoding="utf-8", newline="\n")
        print(f"{name}.svg: {len(content) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
