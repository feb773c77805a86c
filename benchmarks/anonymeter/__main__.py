# SPDX-License-Identifier: Apache-2.0
"""The attacks of the GDPR working party by anonymeter and by discreet, on the same releases of a slice of Adult.

4,000 rows are released, 2,000 are set aside as persons who are not in the release. Four releases: the rows themselves;
4,000 other rows of the same table, which tell nothing of these; 5-anonymous rows by Mondrian; rows that PrivateTable
drew at epsilon 1 (a simulation with a seed). anonymeter runs in an environment of its own (benchmarks/rivals) and gets
the original written with the labels of the release: it compares cells. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import rivals
from benchmarks.private_table.__main__ import line, public_domain
from discreet import DifferentialPrivacy, KAnonymity, Mondrian, PrivacyLeakWarning, PrivateTable, Roles, Table
from discreet.attacks import Case, Finding, Published
from discreet.attacks.label_meanings import recode_known
from discreet.attacks.registry import run_case
from discreet.recoding.public_domain import Domain
from discreet.samples import load

SECRET = "salary-class"
ATTEMPTS = (
    100_000  # statements that anonymeter draws at most; its default of 10 million takes hours where few are right
)
OURS = {
    "one column": ("singling-out", "singling out, one column"),
    "several columns": ("singling-out", "singling out, several columns"),
    "linkability": ("linkability", "linkability"),
    "inference": ("inference", f"inference of {SECRET}"),
}


def releases(table: Table, roles: Roles, rows: int) -> Iterator[tuple[str, Published, Table, Table]]:
    """A name, what is published, the rows behind it, and rows that are not in it."""
    order = np.random.default_rng(0).permutation(len(table))
    original, absent = table.take(order[:rows]), table.take(order[rows : rows + rows // 2])
    others = table.take(order[2 * rows : 3 * rows])
    yield "the rows themselves", Published(original, KAnonymity(2), roles), original, absent
    yield "other rows", Published(others, KAnonymity(2), roles), original, absent
    mondrian = Mondrian(k=5, random_state=0).release(original, roles)
    yield "5-anonymous, Mondrian", Published.of(mondrian), original, absent
    domain = public_domain(roles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        drawn = PrivateTable(1.0, domain, random_state=0).simulate(original, roles)
    labels = Domain.of(domain, roles).public.within(drawn.table)  # type: ignore[union-attr]
    private = Published(drawn.table, DifferentialPrivacy(1.0), drawn.roles, labels)
    yield "PrivateTable, epsilon 1", private, original, absent


def by_discreet(published: Published, original: Table, absent: Table, attacks: int) -> dict[str, dict]:
    """Rates, risks and processor seconds; of singling out both kinds share the seconds."""
    case = Case(published, original, Roles(sensitive=(SECRET,)), control=absent, targets=attacks)
    found: dict[str, dict] = {}
    for attack in dict.fromkeys(name for name, _ in OURS.values()):
        started = time.process_time()
        findings = {finding.attack: finding for finding in run_case(case, [attack])}
        cpu = time.process_time() - started
        for title, (name, finding) in OURS.items():
            if name == attack:
                found[title] = _rates(findings[finding]) | {"cpu": cpu}
    return found


def _rates(finding: Finding) -> dict:
    risk, control = finding.risk, finding.control
    assert risk is not None
    assert control is not None
    return {
        "attacks": finding.targets,
        "success": finding.success.value,
        "baseline": finding.baseline,
        "control": control.value,
        "risk": [risk.value, risk.low, risk.high],
    }


def by_anonymeter(published: Published, original: Table, absent: Table, attacks: int) -> dict[str, dict]:
    """The same from the rival's process; every attack failed where the rival cannot be had."""
    assert isinstance(published.data, Table)
    assert published.roles is not None
    quasi = published.roles.quasi
    names = [*quasi, SECRET]
    asked = {
        "numbers": [name for name in names if published.data.column(name).kind == "number"],
        "parties": [quasi[: (len(quasi) + 1) // 2], quasi[(len(quasi) + 1) // 2 :]],
        "secret": SECRET,
        "attacks": attacks,
        "attempts": ATTEMPTS,
    }
    with tempfile.TemporaryDirectory() as folder:
        tables = {"release": published.data, "original": recode_known(published, original)}
        for name, table in (tables | {"control": recode_known(published, absent)}).items():
            table.select(names).write(Path(folder) / f"{name}.csv", "csv", input_again=True)
        try:
            return rivals.run("anonymeter", "evaluate.py", folder, json.dumps(asked), limit=1800)
        except rivals.AbsentError as error:
            return {title: {"failed": str(error)} for title in OURS}


SIDES = {"discreet": by_discreet, "anonymeter": by_anonymeter}


def _cells(found: dict) -> list[str]:
    if "failed" in found:
        return ["", "", "", f"failed ({found['failed']})", f"{found.get('cpu', 0):.1f}"]
    rates = [f"{100 * found[name]:.1f}" for name in ("success", "control", "baseline")]
    low, high = (100 * end for end in found["risk"][1:])
    return [*rates, f"{100 * found['risk'][0]:.1f} ({low:.1f} to {high:.1f})", f"{found['cpu']:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anonymeter", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--rows", type=int, default=4000, help="rows that are released (default 4000)")
    parser.add_argument("--attacks", type=int, default=1000, help="persons or guesses at most (default 1000)")
    parser.add_argument("--by", choices=("both", "discreet", "anonymeter"), default="both")
    asked = parser.parse_args()
    sides = {name: by for name, by in SIDES.items() if asked.by in ("both", name)}
    sample = load("adult_arx")
    assert isinstance(sample.data, Table)
    assert sample.roles is not None
    heads = ("success %", "not in it %", "guessing %", "risk % (95 %)", "CPU s")
    print(line("release", "attack", "by", *heads))
    print("|" + "---|" * (3 + len(heads)))
    for name, published, original, absent in releases(sample.data, sample.roles, asked.rows):
        found = {side: by(published, original, absent, asked.attacks) for side, by in sides.items()}
        for title in OURS:
            for side, rates in found.items():
                print(line(name, title, side, *_cells(rates[title])), flush=True)


if __name__ == "__main__":
    main()
