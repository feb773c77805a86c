# SPDX-License-Identifier: Apache-2.0
"""The demo: releases of made-up people by two methods with their costs, then a study that compares four methods and
chooses one. Each part has a report.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.evaluate.utility import holdout
from discreet.foundation.atomic_files import new_folder
from discreet.methods import GreedySelector, Method, TreeLadder
from discreet.release.verify import verify
from discreet.report.release_page import to_html
from discreet.report.study_page import summarise_study, write_study
from discreet.report.summary import Outcome, summarise
from discreet.samples import clinic
from discreet.study import recipe_from, run_study

FOLDER, ROWS, K, SEED = "discreet-demo", 5000, 10, 0
_MARK = "README.txt"
_WRITTEN = "Written by `discreet demo`; the next run replaces this folder.\n"
_ABOUT = f"""{_WRITTEN}
report.html           two releases: what was promised, does it hold, what it costs
study/report.html     many releases compared: what each is worth, who is found, which one to take
clinic.csv            the made-up people that were released
greedy/, tree-ladder/ the releases: release/ would be published, owner/ kept
study/                the comparison, the owner's: its recipe, its results, its releases
"""
_CONTENT = frozenset({_MARK, "clinic.csv", "greedy", "report.html", "study", "tree-ladder"})
_RECIPE = """# What `discreet demo` compared. discreet compare clinic.csv recipe.toml -o study
format = 1
attacks = ["prosecutor", "homogeneity"]

[source]
file = "clinic.csv"

[roles]
{roles}

[promises]
k = {ks}  # how many persons must be alike

[[methods]]
name = "greedy"

[[methods]]
name = "tree-ladder"

[[methods]]
name = "tds"

[[methods]]
name = "mondrian"
split = "information"

[evaluation]
folds = "5-fold"
classifiers = ["logistic"]

[run]
seed = {seed}  # the people are made up: of real ones a study keeps its own secret
"""


@dataclass(frozen=True)
class Demo:
    """Where everything was written, and what the two reports say."""

    folder: Path
    summary: dict[str, Any]
    study: dict[str, Any]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def study_report(self) -> Path:
        return self.folder / "study" / "report.html"


def run(
    folder: str | os.PathLike[str] = FOLDER,
    *,
    rows: int = ROWS,
    k: int = K,
    seed: int = SEED,
    say: Callable[[str], None] = lambda text: None,
) -> Demo:
    """Write the demo's folder; `say` receives progress messages."""
    folder = Path(folder)
    _check_target(folder)
    methods: list[Method] = [
        GreedySelector(k=k, random_state=seed),
        TreeLadder(k=k, random_state=seed),
    ]
    sample = clinic(rows, seed)
    table: Table = sample.data  # type: ignore[assignment]
    roles: Roles = sample.roles  # type: ignore[assignment]
    with new_folder(folder, overwrite=True, replaceable=_CONTENT) as partial:
        table.write(partial / "clinic.csv", "csv", input_again=True)
        outcomes = []
        for method in methods:
            say(f"Releasing with {method.name}, measuring what it costs, verifying.")
            release = method.release(table, roles)
            utility = holdout(method, table, roles, random_state=seed)
            place = f"{method.name}/release"
            page = to_html(summarise(table, roles, [Outcome(release, utility)], name="clinic"))
            release.save(partial / method.name, owner_files={"report.html": page.encode()})
            outcomes.append(Outcome(release, utility, folder=place, verified=verify(partial / place).holds))
        summary = summarise(table, roles, outcomes, name="clinic")
        (partial / "report.html").write_text(to_html(summary), encoding="utf-8", newline="\n")
        say("Comparing four methods: releasing, attacking, measuring.")
        text = recipe_of(roles, k, seed)
        study = run_study(lambda: Dataset.of(table, roles), recipe_from(text), partial / "study", text=text)
        compared = summarise_study(study, name="clinic")
        write_study(study, compared)
        (partial / _MARK).write_text(_ABOUT, encoding="utf-8", newline="\n")
    return Demo(folder, summary, compared)


def recipe_of(roles: Roles, k: int, seed: int) -> str:
    """The recipe of the comparison, for k / 2, k and 5 k."""
    columns = {role: getattr(roles, role) for role in ("target", "quasi", "sensitive", "identifiers", "other")}
    lines = "\n".join(f"{role} = {json.dumps(value)}" for role, value in columns.items())
    return _RECIPE.format(roles=lines, ks=sorted({max(2, k // 2), k, 5 * k}), seed=seed)


def _check_target(folder: Path) -> None:
    """Only a folder that an earlier demo wrote is replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    mark = folder / _MARK
    if not mark.is_file() or not mark.read_bytes().startswith(_WRITTEN.encode()):
        raise DataError(
            f"{(folder.name or str(folder))!r} exists and was not written by the demo, so it is not replaced."
            f" Choose another folder."
        )
