# SPDX-License-Identifier: Apache-2.0
"""A picture for each promise: what is counted, before a release and after it, or what an attacker is left with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

import discreet as ds
from benchmarks.drawings.methods import Drawn
from benchmarks.drawings.people import ITEMS, ROLES, K, baskets, table
from benchmarks.drawings.svg import Plane, bars, line, picture, rect, text
from discreet.foundation.randomness import Randomness
from discreet.mechanisms import Geometric
from discreet.sketching.mining import as_matrix
from discreet.sketching.signs import Signs


def _columns(sizes: Sequence[int], *, x: float, title: str, k: int, most: int) -> list[str]:
    """Sizes of groups as columns, with a line at k."""
    bottom, top = 250.0, 60.0
    parts = [text(x, 30, title)]
    width = min(260 / max(len(sizes), 1), 24)
    for place, size in enumerate(sorted(sizes)):
        height = (bottom - top) * size / most
        parts.append(rect(x + place * width, bottom - height, max(width - 1.5, 1), height, "a" if size >= k else "b"))
    level = bottom - (bottom - top) * k / most
    return [
        *parts,
        line([(x - 4, level), (x + 265, level)], "i", dashes=True),
        text(x + 266, level - 4, f"k = {k}", size=11),
    ]


def group_sizes() -> str:
    """How many persons share their quasi-identifiers, before and after."""
    rows = table()
    before = Counter(zip(rows["age"], rows["km"], strict=True))
    after = Counter(
        (row["age"], row["km"]) for row in ds.Mondrian(k=K, random_state=1).release(rows, ROLES).data.to_pylist()
    )
    most = max(after.values())
    alone = sum(1 for size in before.values() if size == 1)
    parts = _columns([*before.values()], x=30, title=f"as it is: {alone} of 90 persons are alone", k=K, most=most)
    parts += _columns(
        [*after.values()], x=345, title=f"released: every group has {min(after.values())} or more", k=K, most=most
    )
    return picture(
        "Sizes of groups before and after a release",
        [*parts, text(30, 275, "each column is a group of persons who look alike", kind="f", size=11)],
        width=680,
        height=285,
    )


def in_population() -> str:
    """Groups of a release, and how many persons of the population are like them."""
    rows = table()
    chosen = range(0, 90, 3)
    sample = {name: [values[place] for place in chosen] for name, values in rows.items()}
    release = ds.Mondrian(k=K, random_state=1, population=ds.Table.of(rows)).release(sample, ROLES)
    found = Counter((row["age"], row["km"]) for row in release.data.to_pylist())
    persons = {"age": rows["age"], "km": rows["km"], "back": rows["back"]}
    like = Counter((row["age"], row["km"]) for row in release.recode(ds.Table.of(persons)).to_arrow().to_pylist())
    lines = [(f"{age}, {km} km", float(found[age, km]), float(like[age, km])) for age, km in sorted(found)][:7]
    words = ("in the release", "in the population")
    return picture(
        "Groups that are small in a sample and large in the population",
        bars(lines, top=60, names=words, form="{:.0f}"),
        height=300,
    )


def _left(rows: np.ndarray, known: int) -> list[int]:
    """For each person, the fewest who have any so many of the items that the person has."""
    out = []
    for row in rows:
        have = np.flatnonzero(row)
        sets = combinations(have, min(known, len(have)))
        out.append(min((int(rows[:, list(one)].all(axis=1).sum()) for one in sets), default=len(rows)))
    return out


def _known_items(method: ds.Method, title: str, ks: Sequence[int], k: int) -> str:
    """The fewest persons that any of eighteen hides among, as it is and released."""
    rows, label = baskets()
    after = method.release(ds.Baskets.of(rows, label, names=ITEMS)).baskets.matrix.toarray()
    lines = [(_items(m), float(min(_left(rows, m))), float(min(_left(after, m)))) for m in ks]
    parts = bars(lines, top=60, names=("as it is", "released"), form="{:.0f}")
    note = f"the fewest persons among whom one of eighteen hides; k = {k}"
    parts.append(text(190, 75 + 34 * len(lines), note, kind="f", size=11))
    return picture(title, parts, height=100 + 34 * len(lines))


def _items(m: int) -> str:
    return "all items known" if m >= len(ITEMS) else f"{m} item{'s' if m > 1 else ''} known"


def contained() -> str:
    return _known_items(
        ds.GreedySelector(k=3, random_state=1),
        "Whoever knows all items of a person is left with k persons",
        (1, 2, 3, 10),
        3,
    )


def any_few() -> str:
    return _known_items(
        ds.KmSelector(k=3, m=2, random_state=1),
        "Whoever knows two items of a person is left with k persons",
        (1, 2, 3),
        3,
    )


def leaves() -> str:
    """How many persons stand behind each leaf of a published tree, as its owner can count them."""
    rows = table()
    nodes = ds.KAdet(k=K, random_state=1).release(rows, ROLES).document.content["nodes"]
    behind: Counter[int] = Counter()
    for age, km in zip(rows["age"], rows["km"], strict=True):
        place = 0
        while "class" not in nodes[place]:
            node = nodes[place]
            place = node["below" if {"age": age, "km": km}[node["column"]] < node["cut"] else "not_below"]
        behind[place] += 1
    said = {"yes": "came back", "no": "stayed away"}
    named = [(f"leaf {n}: {said[nodes[at]['class']]}", behind[at]) for n, at in enumerate(sorted(behind), 1)]
    note = f"every way down the tree is shared by at least k = {K} persons"
    parts = bars([(name, float(size), None) for name, size in named], top=30, form="{:.0f} persons")
    parts.append(text(190, 50 + 24 * len(named), note, kind="f", size=11))
    return picture("Every leaf of a published tree has k persons behind it", parts, height=70 + 24 * len(named))


def _ill() -> dict[str, list]:
    random = np.random.default_rng(6)
    rows = table()
    ill = random.choice(["asthma", "flu", "gout"], 90, p=[0.25, 0.55, 0.2])
    near = np.array(rows["km"]) > 30
    return rows | {"ill": np.where(near & (random.random(90) < 0.8), "flu", ill).tolist()}


_SHADES = {"asthma": "a", "flu": "p", "gout": "b"}


def _stacks(method: ds.Method, *, y: float, title: str) -> list[str]:
    """What each group of a release shares of a sensitive column, one bar for a group."""
    roles = ds.Roles(target="back", quasi=["age", "km"], sensitive=["ill"])
    groups: dict[tuple[str, str], Counter[str]] = {}
    for row in method.release(_ill(), roles).data.to_pylist():
        groups.setdefault((row["age"], row["km"]), Counter())[row["ill"]] += 1
    parts, x = [text(20, y, title)], 20.0
    for found in sorted(groups.values(), key=lambda one: (len(one), *one.values())):
        at = x
        for name, kind in _SHADES.items():
            parts.append(rect(at, y + 10, found[name] * 5.6, 30, kind))
            at += found[name] * 5.6
        parts.append(rect(x, y + 10, sum(found.values()) * 5.6, 30, "i"))
        x = at + 8
    return parts


def _shades(y: float) -> list[str]:
    parts, x = [], 20.0
    for name, kind in _SHADES.items():
        parts += [rect(x, y, 12, 12, kind), rect(x, y, 12, 12, "i"), text(x + 18, y + 11, name, size=12)]
        x += 90
    return [*parts, text(x + 10, y + 11, "each box is a group of persons who look alike", kind="f", size=11)]


def diverse() -> str:
    parts = _stacks(ds.Mondrian(k=5, random_state=1), y=25, title="5-anonymity: some groups share one illness")
    parts += _stacks(ds.Mondrian(k=5, l=2, random_state=1), y=105, title="with l = 2: every group has two at least")
    return picture(
        "Illnesses in each group, without and with l-diversity", [*parts, *_shades(175)], width=680, height=200
    )


def close() -> str:
    parts = _stacks(ds.Mondrian(k=5, random_state=1), y=25, title="5-anonymity: shares differ from group to group")
    parts += _stacks(
        ds.Mondrian(k=5, t=0.2, random_state=1), y=105, title="with t = 0.2: every group is like the table"
    )
    return picture(
        "Illnesses in each group, without and with t-closeness", [*parts, *_shades(175)], width=680, height=200
    )


def likely() -> str:
    """How often each noisy count is drawn, with a person and without, and the bound between them."""
    epsilon, draws, plane = 0.5, 40_000, Plane((92, 109), (0, 0.3), frame=(60, 620, 235, 40))
    parts = plane.axes("published count", "share of 40,000 draws", (92, 96, 100, 104, 108), (0, 0.1, 0.2, 0.3))
    mechanism = Geometric(sensitivity=1, epsilon=epsilon)
    for count, kind in ((100, "a"), (101, "b")):
        seen = Counter(mechanism.simulate(np.full(draws, count), Randomness(count)).tolist())
        for value in range(92, 110):
            height = plane.y(0) - plane.y(seen[value] / draws)
            parts.append(rect(plane.x(value) + (-11 if kind == "a" else 1), plane.y(0) - height, 10, height, kind))
    title = f"A noisy count is almost as likely without a person: at most {math.exp(epsilon):.2f} times"
    return picture(title, [*parts, *_two(330, "without the person", "with the person")], height=285)


def _two(x: float, first: str, second: str) -> list[str]:
    parts = [rect(x, 14, 11, 11, "a"), text(x + 16, 24, first, size=12)]
    return [*parts, rect(x + 150, 14, 11, 11, "b"), text(x + 166, 24, second, size=12)]


def sketch_cells() -> str:
    """What whoever has the key estimates of cells that are 0 and of cells that are 1."""
    random = np.random.default_rng(8)
    rows = (random.random((60, 120)) < 0.16).astype(int)
    signs = Signs.fresh(120, Randomness(1))
    found = as_matrix(ds.DeltaSketch(0.5, random_state=1).sketch(rows, signs))
    of = signs.of(np.arange(120), found.shape[1])
    guesses: dict[int, list[float]] = {0: [], 1: []}
    for row, components in zip(rows, found, strict=True):
        n = int(np.isfinite(components).sum())
        for item in range(120) if n else ():
            guesses[int(row[item])].append(float((components[:n] * of[item, :n]).mean()))
    plane = Plane((-3, 4), (0, 0.5), frame=(60, 620, 235, 40))
    parts = plane.axes(
        "estimate of a cell by whoever has the key", "share of the cells", (-2, -1, 0, 1, 2, 3), (0, 0.2, 0.4)
    )
    edges = np.arange(-3, 4.01, 0.5)
    for value, kind in ((0, "a"), (1, "b")):
        share = np.histogram(np.clip(guesses[value], -2.99, 3.99), edges)[0] / len(guesses[value])
        for left, height in zip(edges, share, strict=False):
            x = plane.x(left) + (2 if kind == "a" else 20)
            parts.append(rect(x, plane.y(height), 16, plane.y(0) - plane.y(height), kind))
    title = "Estimates of cells that are 0 and of cells that are 1 overlap"
    return picture(title, [*parts, *_two(330, "cells that are 0", "cells that are 1")], height=285)


def inferred() -> str:
    """The table that the page works by hand: what attackers get right, from everything and from what is published."""
    rows = ds.Table.of({"job": ["nurse", "smith"] * 10, "sex": ["f", "m", "m", "m"] * 5, "ill": ["flu", "gout"] * 10})
    private, published = rows.select(["job", "sex"]), rows.select(["sex", "ill"])
    promise = ds.BreachIncrease(-0.2, attackers=("c45",), folds=5)
    verdict = promise.check_with_source(published, ds.Roles(quasi=["sex"], sensitive=["ill"]), private)
    advantage = float(verdict.details["advantage over the commonest value"])
    guess = 0.5
    lines = [
        ("from all columns", (guess + advantage) / (1 + float(verdict.measured)), None),
        ("from what is published", guess + advantage, None),
        ("by guessing", guess, None),
    ]
    parts = bars(lines, top=40, most=1.0, marked=["from what is published"])
    note = f"breach increase {100 * float(verdict.measured):.0f} %: less than from all columns, more than by guessing"
    return picture(
        "What an attacker predicts of an illness", [*parts, text(190, 130, note, kind="f", size=11)], height=150
    )


PROMISES: dict[str, Drawn] = {
    "k_anonymity": group_sizes,
    "k_map": in_population,
    "containment": contained,
    "km_anonymity": any_few,
    "k_anonymous_model": leaves,
    "l_diversity": diverse,
    "t_closeness": close,
    "differential_privacy": likely,
    "breach_increase": inferred,
    "sketch_promises": sketch_cells,
}
