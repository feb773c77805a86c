# SPDX-License-Identifier: Apache-2.0
"""Attacks on releases of Adult: `python -m benchmarks.attacks.adult`. Prints the table of docs/attacks.md.

30,162 of the 45,222 rows are released, eight quasi-identifiers and the class; the others are persons who are not in the
release. A cell holds the success, in brackets that on persons who are not in the release, and after ≤ what the promise
allows. The rows themselves are attacked first, for comparison. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from discreet import KActus2, KAnonymity, Mondrian, Roles, Table
from discreet.attacks import CannotAttack, Case, Finding, Published
from discreet.attacks.registry import Attack, chosen
from discreet.report.wording import approximately
from discreet.samples import load

ROWS = 30_162
RAW = "the rows themselves"  # of which nothing is promised


def releases(table: Table, roles: Roles) -> Iterator[tuple[str, Published]]:
    yield RAW, Published(table.select(roles.published), KAnonymity(2), roles)
    for method in (Mondrian(k=5, random_state=0), Mondrian(k=50, random_state=0), KActus2(k=5, random_state=0)):
        yield f"{type(method).__name__}(k={method.k})", Published.of(method.release(table, roles))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks.adult", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--attacks", help="names, a,b; all that apply if not given")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"rows that are released (default {ROWS})")
    asked = parser.parse_args()
    sample = load("adult")
    assert isinstance(sample.data, Table)
    assert sample.roles is not None
    order = np.random.default_rng(0).permutation(len(sample.data))
    known, absent = sample.data.take(order[: asked.rows]), sample.data.take(order[ROWS:])
    cells: dict[str, list[str]] = {}
    titles, seconds = [], []
    for name, published in releases(known, sample.roles):
        case, started = Case(published, known, sample.roles, control=absent), time.process_time()
        for attack in chosen(case, asked.attacks.split(",") if asked.attacks else None):
            for finding in made(attack, case):
                line = cells.setdefault(finding.attack, [])
                line += [""] * (len(titles) - len(line)) + [cell(finding, promised=name != RAW)]
        titles.append(name)
        seconds.append(f"{time.process_time() - started:.1f}")
    print("| attack | " + " | ".join(titles) + " |")
    print("|---|" + "---|" * len(titles))
    for name, line in cells.items():
        print(f"| {name} | " + " | ".join([*line, *[""] * (len(titles) - len(line))]) + " |")
    print("| processor seconds, all attacks | " + " | ".join(seconds) + " |")


def made(attack: Attack, case: Case) -> list[Finding]:
    """What an attack found; nothing where it has nothing to work with."""
    try:
        return attack(case)
    except CannotAttack:
        return []


def cell(finding: Finding, *, promised: bool) -> str:
    """Success, and what of it holds for persons who are not in the release; the bound where there is one."""
    text = approximately(finding.success.value)
    text += "" if finding.control is None else f" ({approximately(finding.control.value)})"
    return text + (f" ≤ {approximately(finding.bound)}" if promised and finding.bound is not None else "")


if __name__ == "__main__":
    main()
