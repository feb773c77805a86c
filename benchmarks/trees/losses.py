# SPDX-License-Identifier: Apache-2.0
"""Prints Table 2 of the kACTUS-2 paper, the share of suppressed cells, published figures beside ours.

The paper does not say which cells count, on which table it counted, nor how much was swapped. Ours are

  as is      suppressed among all cells of the quasi-identifiers of the whole table (the information loss of a release)
  telling    the same without columns that MDL does not cut: they hold one value, and a study would not keep them
  all cells  suppressed among all cells, those of the class and of other columns included
  swap .5    as is, with swap = 0.5
  pool       as is, with pool = True
  halves     as is, on the training halves of 5x2 cross-validation, the cuts learnt on the whole table

Needs the folder of the papers' data sets in DISCREET_DATA; --quick does without.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.reproduction.published import read
from discreet import KActus2, Release, Roles, Table
from discreet.prepare.binning import Binning
from discreet.samples import load

DATA: dict[str, tuple[str, dict]] = {
    "tic_tac_toe": ("tic_tac_toe", {}),
    "glass": ("glass", {}),
    "waveform": ("waveform40", {}),
    "german": ("german", {"quasi": 9}),
    "adult": ("adult", {"quasi": 14}),
}
HEADINGS = ("data", "k", "kACTUS", "kACTUS-2", "as is", "telling", "all cells", "swap .5", "pool", "halves")


NAMES = {"TTT": "tic_tac_toe", "Glass": "glass", "Waveform": "waveform", "German Credit": "german", "Adult": "adult"}


def published() -> list[dict]:
    """The rows of Table 2."""
    found = []
    for name, figures in read("trees").of("Table 2").items():
        data, _, k = name.partition(", k=")
        found.append({"data": NAMES[data], "k": int(k), **{method: float(x) for method, x in figures.items()}})
    return found


def released(table: Table, roles: Roles, k: int, **parameters) -> Release:
    return KActus2(k, random_state=0, **parameters).release(table, roles)


def loss(release: Release, columns: Sequence[str] | None = None, of: int | None = None) -> float:
    """The share of suppressed cells: of the quasi-identifiers, of some of them, or of as many columns as `of`."""
    columns = release.roles.quasi if columns is None else columns  # type: ignore[union-attr]
    texts = [np.array([*column.texts, ""])[column.codes] for column in release.table.columns(columns)]
    suppressed = sum(int((cells == "*").sum()) for cells in texts)
    return suppressed / len(release.table) / (len(columns) if of is None else of)


def ours(table: Table, roles: Roles, parts: list[Table], k: int) -> list[float]:
    """Our figures in the order of the headings."""
    assert roles.target is not None
    cuts = Binning.fit(table, roles.quasi, target=roles.target).cuts
    telling = [name for name in roles.quasi if cuts.get(name, True) and table.column(name).levels > 1]
    plain = released(table, roles, k)
    return [
        loss(plain),
        loss(plain, telling),
        loss(plain, of=len(roles.published)),
        loss(released(table, roles, k, swap=0.5)),
        loss(released(table, roles, k, pool=True)),
        float(np.mean([loss(released(part, roles, k, cuts=cuts)) for part in parts])),
    ]


def halves(table: Table, target: str, repeats: int = 5) -> list[Table]:
    """The training halves of 5x2 cross-validation, each class divided evenly."""
    labels, found = table.column(target).codes, []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        order = np.argsort(labels[mixed := rng.permutation(len(labels))], kind="stable")
        side = np.arange(len(labels)) % 2
        found += [table.take(np.sort(mixed[order][side == which])) for which in (0, 1)]
    return found


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.losses", description=__doc__)
    options.add_argument("--quick", action="store_true", help="tic-tac-toe at k = 5 and 30, one division into halves")
    options.add_argument("--data", choices=[*DATA], nargs="*", default=[*DATA])
    asked = options.parse_args()
    print("Share of suppressed cells: published kACTUS and kACTUS-2, then our KActus2\n")
    print(_line(HEADINGS))
    print(_line(["---"] * len(HEADINGS)))
    for name in ["tic_tac_toe"] if asked.quick else asked.data:
        sample, parameters = DATA[name]
        found = load(sample, **parameters)
        table, roles = found.data, found.roles
        assert isinstance(table, Table)
        assert roles is not None
        assert roles.target is not None
        parts = halves(table.select(roles.named), roles.target, 1 if asked.quick else 5)
        for figure in published():
            if figure["data"] != name or (asked.quick and figure["k"] not in (5, 30)):
                continue
            figures = [figure["kACTUS"], figure["kACTUS-2"], *ours(table, roles, parts, figure["k"])]
            print(_line([name, str(figure["k"]), *(f"{value:.2f}" for value in figures)]), flush=True)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
