# SPDX-License-Identifier: Apache-2.0
"""The whole of discreet on made-up people: how identifiable they are, two releases, what each costs, a report."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.atomic import new_folder
from discreet.data.table import Table
from discreet.data.write import write_table
from discreet.errors import DataError
from discreet.evaluate.utility import holdout
from discreet.methods import GreedySelector, Method, TreeLadder
from discreet.report.html import to_html
from discreet.report.summary import Outcome, summarise
from discreet.samples import clinic
from discreet.verification import verify

FOLDER, ROWS, K, SEED = "discreet-demo", 5000, 10, 0
_MARK = "README.txt"
_ABOUT = """Written by `discreet demo`; the next run replaces this folder.

report.html           what was promised, does it hold, what it costs
clinic.csv            the made-up people that were released
greedy/, tree-ladder/ the releases: release/ would be published, owner/ kept
"""
_CONTENT = frozenset({_MARK, "clinic.csv", "greedy", "report.html", "tree-ladder"})


@dataclass(frozen=True)
class Demo:
    """Where everything was written, and what the report says."""

    folder: Path
    summary: dict[str, Any]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"


def run(
    folder: str | os.PathLike = FOLDER,
    *,
    rows: int = ROWS,
    k: int = K,
    seed: int = SEED,
    say: Callable[[str], None] = lambda text: None,
) -> Demo:
    """Write the demo's folder; `say` is told what is being done."""
    folder = Path(folder)
    _check_target(folder)
    methods: list[Method] = [
        GreedySelector(k=k, random_state=seed),
        TreeLadder(k=k, random_state=seed),
    ]
    sample = clinic(rows, seed)
    table, roles = sample.data, sample.roles
    assert isinstance(table, Table)
    assert roles is not None
    with new_folder(folder, overwrite=True, replaceable=_CONTENT) as partial:
        write_table(table, partial / "clinic.csv", "csv")
        outcomes = []
        for method in methods:
            say(f"Releasing with {method.name}, measuring what it costs, verifying.")
            release = method.release(table, roles)
            utility = holdout(method, table, roles, seed=seed)
            place = f"{method.name}/release"
            page = to_html(summarise(table, roles, [Outcome(release, utility)], name="clinic"))
            release.save(partial / method.name, owner_files={"report.html": page.encode()})
            outcomes.append(Outcome(release, utility, folder=place, verified=verify(partial / place).holds))
        summary = summarise(table, roles, outcomes, name="clinic")
        (partial / "report.html").write_text(to_html(summary), encoding="utf-8")
        (partial / _MARK).write_text(_ABOUT, encoding="utf-8")
    return Demo(folder, summary)


def _check_target(folder: Path) -> None:
    """Only a folder that an earlier demo wrote is replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    mark = folder / _MARK
    if not mark.is_file() or mark.read_bytes() != _ABOUT.encode():
        raise DataError(
            f"{(folder.name or str(folder))!r} exists and was not written by the demo, so it is not replaced."
            f" Choose another folder."
        )
