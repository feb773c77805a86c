# SPDX-License-Identifier: Apache-2.0
"""A picture for each method: regions for tables, kept and dropped items for baskets, exact and noisy for the rest."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np

import discreet as ds
from benchmarks.drawings.people import AGES, DISTANCES, ITEMS, ROLES, K, baskets, box_of, rare_items, table
from benchmarks.drawings.svg import Plane, bars, grid, legend, line, picture, text
from discreet.sketching.mining import as_matrix

Drawn = Callable[[], str]

# -- tables ----------------------------------------------------------------------------------------------------------


def _plane() -> tuple[Plane, list[str]]:
    plane = Plane(AGES, DISTANCES)
    return plane, plane.axes("age", "km to the clinic", (20, 30, 40, 50, 60, 70, 80), (0, 10, 20, 30, 40, 50))


def _people(plane: Plane) -> list[str]:
    rows = table()
    dots = zip(rows["age"], rows["km"], rows["back"], strict=True)
    return [plane.dot(age, km, second=back == "yes") for age, km, back in dots] + legend(
        420, 13, "stayed away", "came back"
    )


def regions(method: ds.Method) -> str:
    """Ninety persons, and the regions in which a release says that they are."""
    released = method.release(table(), ROLES).data.to_pylist()
    found = Counter((row["age"], row["km"]) for row in released)
    plane, parts = _plane()
    boxes = [plane.box(box_of(*labels)) for labels in sorted(found, key=lambda one: found[one])]
    title = f"{len(found)} groups of at least {min(found.values())} of ninety persons, by {type(method).__name__}"
    return picture(title, [*parts, *boxes, *_people(plane)])


def tree() -> str:
    """The leaves of a published decision tree, as regions."""
    nodes = ds.KAdet(k=K, random_state=1).release(table(), ROLES).document.content["nodes"]
    plane, parts = _plane()

    def walk(place: int, box: dict[str, tuple[float, float]]) -> list[str]:
        node = nodes[place]
        if "class" in node:
            (left, right), (low, high) = box["age"], box["km"]
            shape = plane.box((left, right, low, high))
            said = "came back" if node["class"] == "yes" else "stayed away"
            return [shape, text(plane.x(left) + 5, plane.y(high) + 15, said, size=11)]
        name, cut = node["column"], node["cut"]
        low, high = box[name]
        return walk(node["below"], box | {name: (low, cut)}) + walk(node["not_below"], box | {name: (cut, high)})

    leaves = walk(0, {"age": AGES, "km": DISTANCES})
    title = f"The leaves of a published tree; each states something about at least {K} of ninety persons"
    return picture(title, [*parts, *leaves, *_people(plane)])


# -- items -----------------------------------------------------------------------------------------------------------


def items(method: ds.Method) -> str:
    """The rows of eighteen persons: columns of items that are published, and those that are dropped."""
    rows, label = baskets()
    release = method.release(ds.Baskets.of(rows, label, names=ITEMS))
    kept = [name in release.columns for name in ITEMS]
    order = np.lexsort([*rows[:, ::-1].T, *rows[:, kept][:, ::-1].T])
    parts = [text(20, 24, "all items of eighteen persons"), *grid(rows[order], ITEMS, kept, x=20, y=52)]
    some = [name for name, one in zip(ITEMS, kept, strict=True) if one]
    parts += [text(270, 24, f"published: {len(some)} of {len(ITEMS)} items")]
    parts += grid(rows[order][:, kept], some, [True] * len(some), x=270, y=52)
    return picture(f"{type(method).__name__} keeps the items {', '.join(some)} of ten", parts, height=285)


def groups() -> str:
    """Items beside the groups of items that are published in their place."""
    rows, label, names = rare_items()
    release = ds.ItemGroups(k=3, form="groups", random_state=1).release(ds.Baskets.of(rows, label, names=names))
    members = [tuple(group["any_of"]) for group in json.loads(release.record or b"{}")["groups"]]
    have = np.array([[int(any(row[names.index(one)] for one in group)) for group in members] for row in rows])
    used = [any(name in group for group in members) for name in names]
    order = np.lexsort(have[:, ::-1].T)
    parts = [text(20, 24, "items of forty persons, most of them rare")]
    parts += grid(rows[order], names, used, x=20, y=52, side=8)
    parts += [text(300, 24, f"published: {len(members)} groups of items")]
    for place, group in enumerate(members):
        at = 330 + 300 * place / len(members)
        parts += grid(have[order][:, [place]], ["".join(group)], [True], x=at, y=52, side=8)
    return picture(f"ItemGroups publishes {len(members)} groups of items", parts, height=425)


def flipped() -> str:
    """Cells before and after, those that were flipped with a ring."""
    rows, label = baskets()
    release = ds.RandomFlip(k=3, random_state=1).release(ds.Baskets.of(rows, label, names=ITEMS))
    kept = [name for name in ITEMS if name in release.columns]
    after = release.baskets.matrix.toarray()[:, [release.columns.index(name) for name in kept]]
    order = np.lexsort(after[:, ::-1].T)
    before = rows[:, [ITEMS.index(name) for name in kept]]
    near = _paired(before, after[order])
    parts = [text(20, 24, "as they were"), *grid(near, kept, [True] * len(kept), x=20, y=52)]
    parts += [text(270, 24, "published; flipped cells have a ring")]
    parts += grid(after[order], kept, [True] * len(kept), x=270, y=52, changed=near != after[order])
    return picture("RandomFlip makes the rows of each cluster equal by flipping cells", parts, height=285)


def _paired(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The rows in an order in which they differ least from those that were published, which are shuffled."""
    from scipy.optimize import linear_sum_assignment

    cost = (before[None, :, :] != after[:, None, :]).sum(axis=2)
    return before[linear_sum_assignment(cost)[1]]


# -- noise, weights, sketches ----------------------------------------------------------------------------------------


def _told() -> tuple[dict[str, list], ds.Roles, list[str]]:
    """Four hundred rows with six columns of 0 and 1, of which the first tell the class."""
    random = np.random.default_rng(5)
    label = np.arange(400) % 2
    names = ["very telling", "telling", "somewhat", "hardly", "noise 1", "noise 2"]
    lean = [0.85, 0.75, 0.65, 0.57, 0.5, 0.5]
    columns = {
        name: np.where(random.random(400) < share, label, 1 - label).tolist()
        for name, share in zip(names, lean, strict=True)
    }
    return columns | {"class": label.tolist()}, ds.Roles(target="class", quasi=names), names


def _separated(columns: dict[str, list], names: list[str]) -> dict[str, float]:
    """The share of pairs of rows of different classes that a column tells apart, exactly."""
    label = np.array(columns["class"])
    out = {}
    for name in names:
        cell = np.array(columns[name])
        one, two = cell[label == 1].mean(), cell[label == 0].mean()
        out[name] = float(one * (1 - two) + two * (1 - one))
    return out


def picked(method: Callable[..., ds.Method]) -> str:
    """What each column tells, exactly, and how often it is among two that are published."""
    columns, roles, names = _told()
    domain = {name: [0, 1] for name in names}
    exact, often = _separated(columns, names), Counter[str]()
    for seed in range(40):
        items = method(0.4, 2, domain=domain, random_state=seed).simulate(columns, roles)
        often.update({name for name in names if any(one.startswith(name) for one in items)})
    rows = [(name, exact[name], often[name] / 40) for name in names]
    words = ("what it tells, never published", "picked, of 40 runs")
    return picture(
        "Columns that tell more are picked more often", bars(rows, top=60, names=words, most=1.0), height=280
    )


def weighed() -> str:
    """The weights of columns by FWELL."""
    columns, _, names = _told()
    cells = np.array([columns[name] for name in names], dtype=float).T
    found = ds.Fwell().fit(cells, np.array(columns["class"]))
    share = found.weights_ / found.weights_.max()
    rows = [(name, float(weight), None) for name, weight in zip(names, share, strict=True)]
    return picture("Columns that tell more weigh more", bars(rows, top=40, marked=names[:3]), height=200)


def weighed_privately() -> str:
    """The place of each column, at two budgets."""
    columns, _, names = _told()
    cells, label = np.array([columns[name] for name in names], dtype=float).T, np.array(columns["class"])
    mean: dict[float, dict[str, float]] = {}
    for epsilon in (0.3, 3.0):
        total = dict.fromkeys(names, 0.0)
        for seed in range(10):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a seed makes it a simulation
                found = ds.PrivateFwell(epsilon, strategy="ranks", n_features=3, random_state=seed).fit(cells, label)
            for name, weight in zip(names, found.weights_, strict=True):
                total[name] += float(weight) / 10
        mean[epsilon] = total
    rows = [(name, mean[3.0][name], mean[0.3][name]) for name in names]
    words = ("mean weight of ten runs, epsilon 3", "epsilon 0.3")
    return picture("With a larger budget telling columns weigh more", bars(rows, top=60, names=words), height=280)


def synthetic() -> str:
    """Counts of a table, and those of rows that were made up from noisy counts."""
    rows = table()
    data = {name: values * 12 for name, values in rows.items()}
    domain = {"age": {"cuts": [40, 58]}, "km": {"cuts": [20]}, "back": ["no", "yes"]}
    drawn = ds.PrivateTable(epsilon=1.0, domain=domain, random_state=3).simulate(data, ROLES)
    made = Counter((row["age"], row["back"]) for row in drawn.table.to_arrow().to_pylist())
    true = Counter((_cut(age), back) for age, back in zip(data["age"], data["back"], strict=True))
    order = [(age, back) for age in ("< 40", "[40, 58)", ">= 58") for back in ("no", "yes")]
    lines = [(f"age {age}, back {back}", float(true[age, back]), float(made[age, back])) for age, back in order]
    words = ("rows of the table", "made-up rows, epsilon 1")
    return picture(
        "Made-up rows have nearly the counts of the table", bars(lines, top=60, names=words, form="{:.0f}"), height=280
    )


def _cut(age: int) -> str:
    return "< 40" if age < 40 else "[40, 58)" if age < 58 else ">= 58"


def breached() -> str:
    """What recipients and attackers predict from all columns, and from those that were selected."""
    random = np.random.default_rng(2)
    n = 240
    ill, back = random.integers(0, 2, n), random.integers(0, 2, n)

    def near(of: np.ndarray, share: float) -> list[int]:
        return np.where(random.random(n) < share, of, 1 - of).tolist()

    data = {"a": near(back, 0.9), "b": near(back, 0.7), "c": near(ill, 0.9), "d": near(ill, 0.75), "e": near(back, 0.5)}
    roles = ds.Roles(target="back", quasi=[*data], sensitive=["ill"])
    data |= {"back": back.tolist(), "ill": ill.tolist()}
    kept = set(ds.BreachAwareSelector(random_state=1).release(data, roles).columns)
    rows = [
        (f"column {name}{', kept' if name in kept else ''}", _agree(data[name], back), _agree(data[name], ill))
        for name in "abcde"
    ]
    words = ("predicts the class", "predicts the illness")
    return picture("Columns that help recipients are kept", bars(rows, top=60, names=words, most=1.0), height=250)


def _agree(cells: list[int], of: np.ndarray) -> float:
    return max(float((np.array(cells) == of).mean()), float((np.array(cells) != of).mean()))


def sketched(method: ds.Method) -> str:
    """How many items two records share, and what their sketches say."""
    random = np.random.default_rng(8)
    rows = (random.random((24, 120)) < 0.16).astype(int)
    rows[1::2] = np.where(random.random((12, 120)) < np.linspace(0, 1, 12)[:, None], rows[::2], rows[1::2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        released = method.release(rows, [str(place) for place in range(24)]).data  # labels, to find a record again
    sketches, order = as_matrix(released), [int(one) for one in released.labels]
    plane = Plane((0, 30), (-15, 45))
    parts = plane.axes(
        "items that two records share, exactly",
        "estimated from their sketches",
        (0, 10, 20, 30),
        (-10, 0, 10, 20, 30, 40),
    )
    parts.append(line([(plane.x(0), plane.y(0)), (plane.x(30), plane.y(30))], "i", dashes=True))
    exact = rows @ rows.T
    for i in range(24):
        for j in range(i):
            both = np.isfinite(sketches[i]) & np.isfinite(sketches[j])
            if both.any():
                guess = float(np.mean(sketches[i][both] * sketches[j][both]))
                parts.append(plane.dot(float(exact[order[i], order[j]]), max(min(guess, 44), -14)))
    return picture("Similarities estimated from sketches scatter around the true ones", parts)


METHODS: dict[str, Drawn] = {
    "mondrian": lambda: regions(ds.Mondrian(k=K, random_state=1)),
    "tree_ladder": lambda: regions(ds.TreeLadder(k=K, random_state=1)),
    "kactus": lambda: regions(ds.KActus(k=K, random_state=1)),
    "kactus2": lambda: regions(ds.KActus2(k=K, random_state=1)),
    "specialization": lambda: regions(ds.TopDownSpecialization(k=K, random_state=1)),
    "refinement": lambda: regions(ds.TopDownRefinement(k=K, random_state=1)),
    "kadet": tree,
    "greedy": lambda: items(ds.GreedySelector(k=3, random_state=1)),
    "optimal": lambda: items(ds.OptimalSelector(k=3, random_state=1)),
    "maximal": lambda: items(ds.MaximalSelector(k=3, random_state=1)),
    "km": lambda: items(ds.KmSelector(k=3, m=2, random_state=1)),
    "item_groups": groups,
    "random_flip": flipped,
    "private_select": lambda: picked(ds.LaplaceSelector),
    "fwell": weighed,
    "private_fwell": weighed_privately,
    "private_table": synthetic,
    "breach_aware": breached,
    "delta_sketch": lambda: sketched(ds.DeltaSketch(0.5, random_state=1)),
    "variance_sketch": lambda: sketched(ds.VarianceSketch(3, random_state=1)),
}
