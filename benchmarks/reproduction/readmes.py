# SPDX-License-Identifier: Apache-2.0
"""Figures in the folders' READMEs, written from what is kept: nobody types them, and a test compares.

    <!-- kept: Table 6 -->
    ...
    <!-- end -->

What stands between is what the function `blocks` of the folder's `reproduce.py` gives for that name; `state` says how
many of its units are current. Other tables of a README are what the command beside them printed, and are not kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.reproduction import page, papers
from benchmarks.reproduction.papers import HERE
from benchmarks.reproduction.run import CURRENT, NOT_MEASURED, STALE, states

BLOCK = re.compile(r"(<!-- kept: (?P<name>[^>]+?) -->)(?P<text>.*?)(<!-- end -->)", re.DOTALL)
STATE = "state"


def path_of(folder: str, here: Path = HERE) -> Path:
    return here / folder / "README.md"


def written(folder: str, here: Path = HERE) -> str:
    """The README of a folder with its figures as they are kept."""
    blocks = _blocks(folder, here)
    text = path_of(folder, here).read_text(encoding="utf-8")
    return BLOCK.sub(lambda block: f"{block[1]}{_made(blocks[block['name']])}{block[4]}", text)


def _made(block: Callable[[], str]) -> str:
    try:
        return block()
    except KeyError:  # a figure that it needs is missing
        return f"({NOT_MEASURED})"


def write(here: Path = HERE) -> None:
    for folder in papers.folders():
        path_of(folder, here).write_text(written(folder, here), encoding="utf-8")


def _blocks(folder: str, here: Path) -> dict[str, Callable[[], str]]:
    made = papers.module(folder)
    blocks: dict[str, Callable[[], str]] = {STATE: lambda: _state(folder, here)}
    if hasattr(made, "blocks"):
        blocks |= made.blocks(page.chapter(page.paper_of(folder), here).found)
    return blocks


def _state(folder: str, here: Path) -> str:
    counts = Counter(states(folder, here).values())
    whole = counts.total()
    if counts[CURRENT] == whole:
        return f"All {whole} units of `measured.json` are current: measured with the code and the data as they are."
    told = f"Of {whole} units of `measured.json` {counts[CURRENT]} are current, {counts[STALE]} stale (measured with an"
    return f"{told} earlier version of the code or data) and {counts[NOT_MEASURED]} not measured."
