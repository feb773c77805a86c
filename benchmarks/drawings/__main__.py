# SPDX-License-Identifier: Apache-2.0
"""Draw all pictures of promises and methods: `python -m benchmarks.drawings`. They go to docs/_static/drawings."""

from __future__ import annotations

from pathlib import Path

from benchmarks.drawings.methods import METHODS
from benchmarks.drawings.promises import PROMISES

FOLDER = Path(__file__).parents[2] / "docs" / "_static" / "drawings"
ALL = {**METHODS, **PROMISES}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, draw in ALL.items():
        content = draw()
        (FOLDER / f"{name}.svg").write_text(content, encoding="utf-8", newline="\n")
        print(f"{name}.svg: {len(content) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
