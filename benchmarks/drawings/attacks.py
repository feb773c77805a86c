# SPDX-License-Identifier: Apache-2.0
"""A picture for each page of attacks: what somebody who tries finds, beside guessing or beside less knowledge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

import discreet as ds
from benchmarks.drawings.methods import Drawn
from benchmarks.drawings.people import ITEMS, ROLES, K, baskets, table
from benchmarks.drawings.svg import Plane, bars, line, picture, text
from discreet.attacks.published import Published
from discreet.attacks.sparse import SparseAttack

_LEFT = 250  # room for the names of what an attacker does


def _shares(title: str, lines: Sequence[tuple[str, float, float | None]], names: tuple[str, str], note: str) -> str:
    """Shares of persons, in hundredths."""
    parts = bars(
        [(name, 100 * first, None if second is None else 100 * second) for name, first, second in lines],
        top=50, left=_LEFT, right=580, most=100, form="{:.0f} %", names=names,
    )  # fmt: skip
    end = 50 + 34 * len(lines) + 14
    return picture(title, [*parts, text(_LEFT, end, note, kind="f", size=11)], height=end + 16)


def found_and_guessed() -> str:
    """What four attackers get right about ninety persons of whom a release promises k."""
    rows = table()
    release = ds.Mondrian(k=K, random_state=1).release(rows, ROLES)
    words = {
        "prosecutor": "finds a person's row",
        "prosecutor, all columns known": "finds it, knowing the label, too",
        "homogeneity of back": "reads the label off equal rows",
        "inference of back": "predicts the label",
    }
    asked = ["prosecutor", "homogeneity", "inference"]
    findings = {found.attack: found for found in ds.attack(release, rows, attacks=asked, random_state=1)}
    lines = [(said, findings[name].success.value, findings[name].baseline) for name, said in words.items()]
    note = f"the promise, k = {K}, limits the first line alone, to {100 / K:.0f} %"
    return _shares("What attackers find in a release", lines, ("from the release", "by guessing"), note)


def together() -> str:
    """Persons who are found in each of two releases, and in both."""
    clinic = ds.samples.load("clinic", rows=400, random_state=7).data
    common = {"target": "readmitted", "sensitive": ["diagnosis"], "other": ["stay_days"]}
    parts = [["age", "sex", "zip"], ["occupation", "marital", "sex"]]
    one, two = (ds.Mondrian(k=5, random_state=1).release(clinic, ds.Roles(quasi=each, **common)) for each in parts)
    alone = [ds.attack(each, clinic, attacks=["prosecutor"])[0].success.value for each in (one, two)]
    both = ds.attack(one, clinic, others=[two], attacks=["intersection"])[0].success.value
    lines = [("in the first release", alone[0], None), ("in the second release", alone[1], None)]
    lines.append(("in both together", both, None))
    parts = bars([(name, 100 * value, None) for name, value, _ in lines], top=40, left=_LEFT, right=580, most=100,
                 form="{:.0f} %", marked=["in both together"])  # fmt: skip
    limit = _LEFT + (580 - _LEFT) * 0.2
    parts += [line([(limit, 24), (limit, 38)], "i"), line([(limit, 86), (limit, 108)], "i")]
    parts += [text(limit + 5, 30, "20 %: the limit of each, k = 5", size=11)]
    note = "persons whose row is found; each release keeps its promise"
    return picture(
        "Two releases that together find more persons than either", [*parts, text(_LEFT, 132, note, kind="f", size=11)],
        height=148,
    )  # fmt: skip


def who_left() -> str:
    """The rows that match a person, in January and after the person has left."""
    sample = ds.samples.load("clinic", rows=200, random_state=7)
    people = sample.data.to_arrow()
    person = ds.Table.of(people[:1])
    counted = []
    for rows in (people, people[1:]):
        release = ds.Mondrian(k=20, random_state=1).release(rows, sample.roles)
        known = [name for name in sample.roles.quasi if name in release.columns]
        (own,) = release.recode(person).to_arrow().select(known).to_pylist()
        like = (row for row in release.data.to_pylist() if {name: row[name] for name in known} == own)
        counted.append(Counter(row["diagnosis"] for row in like))
    before, after = counted
    lines = [(str(value), float(before[value]), float(after[value])) for value in sorted(before | after)]
    parts = bars(lines, top=50, names=("in January", "in February, without the person"), form="{:.0f}")
    end = 50 + 34 * len(lines) + 14
    note = "rows that match the person; the value of which there is one less is the person's"
    return picture("What a person had, read off two releases", [*parts, text(190, end, note, kind="f", size=11)],
                   height=end + 16)  # fmt: skip


def refused_cuts() -> str:
    """What a refused cut tells: the page's six persons, and tables with more persons of sixty."""
    lines = []
    for old in (4, 6, 8):
        ill = ["flu", "flu", "gout", *["flu"] * (old - 2), "gout"]
        people = {"age": [20, 20, *[60] * old], "ill": ill, "again": ["no", "yes"] * (1 + old // 2)}
        roles = ds.Roles(target="again", quasi=["age"], sensitive=["ill"])
        release = ds.Mondrian(k=2, l=2, random_state=1).release(people, roles)
        (found,) = ds.attack(release, people, attacks=["minimality"])
        lines.append((f"two of age 20, {old} of age 60", found.success.value, found.baseline))
    note = "how well an illness is guessed in a group that l = 2 kept whole"
    return _shares("What a cut that was not made tells", lines, ("knowing the method", "from the group alone"), note)


def sketched() -> str:
    """The findings of the page: what a key, known records and known items give away."""
    rows = (np.random.default_rng(3).random((60, 25)) < 0.3).astype(int)
    findings = ds.attack(ds.DeltaSketch(delta=0.2, random_state=2).release(rows))
    lines = []
    for found in findings:
        said = found.attack.removeprefix("sketches, ")
        known, _, aim = said.rpartition(", ")
        lines.append((f"{aim}: {known}" if known else f"persons: {aim}", found.success.value, found.baseline))
    note = "shares recovered, or named; no promise limits them"
    return _shares("What can be told from sketches", lines, ("from sketches", "by guessing"), note)


def known_items() -> str:
    """How often a person's basket is named, by the number of items known."""
    rows, label = baskets()
    whole = ds.Baskets.of(rows, label, names=ITEMS)
    kept = ds.GreedySelector(k=3, random_state=1).release(whole).baskets
    plane = Plane((1, 5), (0, 1), frame=(60, 470, 235, 40))
    parts = plane.axes("items known", "share of persons named", range(1, 6), [0, 0.5, 1])
    for data, kind, said in ((whole, "o", "as it is"), (kept, "i", "released")):
        aim = Published(data, ds.Containment(3))
        reached = [SparseAttack(known=known, random_state=1).run(aim, whole).success.value for known in range(1, 6)]
        parts += [
            line([(plane.x(known), plane.y(value)) for known, value in enumerate(reached, 1)], kind),
            text(480, plane.y(reached[-1]) + 4, f"{said}: {100 * reached[-1]:.0f} %", size=12),
        ]
    level = plane.y(1 / 3)
    parts += [line([(60, level), (470, level)], "l", dashes=True), text(480, level + 14, "1/k: the limit", size=12)]
    return picture("Persons whose basket is named, by how many items are known", parts, height=285)


ATTACKS: dict[str, Drawn] = {
    "attacks": found_and_guessed,
    "intersection": together,
    "membership": who_left,
    "minimality": refused_cuts,
    "sketched_records": sketched,
    "sparse": known_items,
}
