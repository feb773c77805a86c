# SPDX-License-Identifier: Apache-2.0
"""Table 4 of the containment paper on public data that stand in for its own, and the one value of its Figure 1."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from math import hypot

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.containment import figure1
from benchmarks.containment import protocol as containment
from benchmarks.disambiguation import protocol
from benchmarks.reproduction.published import Key, read
from benchmarks.reproduction.units import Found, Row, Unit, Why, answered, of_auc, readme_table, yes_or_no
from discreet import Baskets, GreedySelector, PrivacyLeakWarning

HONEST = (
    "On the entity data also the topics are learnt on the training folds, and held-out references are scored. That more"
    " k means fewer features is judged on Table 4, which the sentence is about; on Tables 5 and 6 it held in"
    " {Tables 5 and 6|fewer features|rows|.0f} of {Tables 5 and 6|features|rows|.0f} rows."
)
DATA = ("arnetminer",)
KS = (5, 8, 11)
DRAWS = 2
ROWS = ("Maximal", "HamDist", "DistCnt", "CM Greedy", "RF", "k-anonymity HamDist", "k-anonymity DistCnt")
PROPOSED, COMPETING = ROWS[:3], ROWS[3:]
COLUMNS = ("entities", "features", "positive", "negative", "density %")
_TABLE = "Table 4"
_DATA = "The paper's matrix is not public; ours are 148 references drawn from 308 publications under one name."
WHY = (
    Why("Table *", _DATA),
    Why("Figure 1", f"{_DATA} Ours keeps fewer features, so that the table of counts has fewer cells and less noise."),
    Why(
        "In words", "On the stand-in CM and the k-anonymous selection by DistCnt are level with DistCnt.", "better on*"
    ),
    Why("In words", "On the stand-in all keywords tell most: several persons have more than one.", "better than all*"),
    Why("In words", _DATA),
)


def units() -> list[Unit]:
    given = {"draws": DRAWS, "topics": protocol.TOPICS}
    made = [Unit("Table 3", "Table 3: Entity Disambiguation", table_3, {"draws": DRAWS}, 5, DATA)]
    made.append(Unit(_TABLE, f"{_TABLE}: Full-Feature-Set", partial(cell, "Full-Feature-Set", None), given, 40, DATA))
    made += [
        Unit(_TABLE, f"{_TABLE}: {row}, k={k}", partial(cell, row, k), {**given, "k": k}, 40, DATA)
        for row in ROWS
        for k in KS
    ]
    drawn = {**given, "runs": 5}
    return [*made, Unit("Figure 1", "Figure 1: entity disambiguation", partial(figure_1, 5), drawn, 60, DATA)]


def quick() -> list[Unit]:
    """Table 4 on made-up publications."""
    return [Unit(_TABLE, "HamDist, k=5", partial(_cell, "HamDist", 5, [_references(_made_up(), 0)]))]


def derived(found: Found) -> list[Row]:
    def auc(row: str, k: int, honest: bool) -> float:
        return (found.honest if honest else found.ours)(_TABLE, row, f"k={k} AUC")

    def better(honest: bool) -> str:
        ahead = [
            min(auc(row, k, honest) for row in PROPOSED) > max(auc(row, k, honest) for row in COMPETING) for k in KS
        ]
        return yes_or_no(all(ahead), f"at {sum(ahead)} of 3 k all three are above all four")

    def than_all(honest: bool) -> str:
        whole = (found.honest if honest else found.ours)(_TABLE, "Full-Feature-Set", "AUC")
        mine = [auc("HamDist", k, honest) for k in (5, 8)]
        return yes_or_no(min(mine) > whole, f"{mine[0]:.2f} and {mine[1]:.2f}, all keywords {whole:.2f}")

    def worst(honest: bool) -> str:
        value, epsilon = found.honest if honest else found.ours, "epsilon=1 AUC"
        names = ("Laplace", "Exponential")
        private = [value("Figure 1", f"{name}-DP, entity disambiguation", epsilon) for name in names]
        lowest = min(auc(row, 5, honest) for row in COMPETING)
        return yes_or_no(
            max(private) < lowest, f"{private[0]:.2f} and {private[1]:.2f}, the others at least {lowest:.2f}"
        )

    def falls() -> str:
        flips = [found.ours(_TABLE, "RF", f"k={k} flipped %") for k in KS]
        areas = [auc("RF", k, False) for k in KS]
        holds = flips == sorted(flips) and areas == sorted(areas, reverse=True)
        return yes_or_no(holds, f"{flips[0]:.1f} to {flips[-1]:.1f} %, AUC {areas[0]:.2f} to {areas[-1]:.2f}")

    def fewer(value: Callable) -> str:
        sizes = [[value(_TABLE, row, f"k={k} features") for k in KS] for row in ROWS if row != "RF"]
        falls, never = sum(s[-1] < s[0] for s in sizes), sum(s == sorted(s, reverse=True) for s in sizes)
        return yes_or_no(2 * falls > len(sizes), f"{falls} of {len(sizes)} methods keep fewer, {never} never more")

    both = {"better on the entity data": better, "better than all keywords": than_all}
    both["differential privacy is worst on the entity data"] = worst
    rows = [row for name, f in both.items() for row in answered(name, partial(f, False), partial(f, True))]
    rows += answered("more k, fewer features", partial(fewer, found.ours), partial(fewer, found.honest))
    return rows + answered("RF falls with k", falls) + _elsewhere(found)


def _elsewhere(found: Found) -> list[Row]:
    """In how many rows of Tables 5 and 6 the largest k keeps fewer features than the smallest one."""
    sizes = {}
    for key, row in found.rows.items():
        if key.table in ("Table 5", "Table 6") and key.row in ROWS and key.column.endswith("features") and row.ours:
            sizes[key] = row.ours
    ends = [(key, key._replace(column=f"k={KS[-1]} features")) for key in sizes if key.column == f"k={KS[0]} features"]
    fewer = [found.ours(*last) < found.ours(*first) for first, last in ends if last in sizes]
    table = "Tables 5 and 6"
    return [Row(table, "fewer features", "rows", sum(fewer)), Row(table, "features", "rows", len(fewer))]


# -- for the README ---------------------------------------------------------------------------------------------------


def blocks(found: Found) -> dict[str, Callable[[], str]]:
    return {"as published": partial(_tabled, found, False), "honest": partial(_tabled, found, True)}


def _tabled(found: Found, honest: bool) -> str:
    head = "honest: selection and topics in the training folds" if honest else "as published: all references"
    ks = [f"k = {k}" for k in KS]
    lines = [(head, *ks, *([] if honest else [f"paper, {k}" for k in ks]))]
    printed = read("containment").of(_TABLE) | read("disambiguation").of(_TABLE)
    for row in (*ROWS, "Full-Feature-Set"):
        columns = [""] if row == "Full-Feature-Set" else [f"k={k} " for k in KS]
        ours = [_both(found, row, column, honest) for column in columns]
        theirs = [] if honest else [_printed(printed.get(row, {}), column) for column in columns]
        gap = [""] * (len(KS) - len(columns))
        name = "all keywords" if row == "Full-Feature-Set" else row
        lines.append((name, *ours, *gap, *theirs, *(gap if theirs else [])))
    return readme_table(*lines)


def _both(found: Found, row: str, column: str, honest: bool) -> str:
    """An AUC with its noise, where it has one, and the features kept or the cells flipped."""
    auc = found.rows.get(Key(_TABLE, row, f"{column}AUC"))
    size = found.rows.get(Key(_TABLE, row, f"{column}{'flipped %' if row == 'RF' else 'features'}"))
    value, kept = (None if each is None else each.honest if honest else each.ours for each in (auc, size))
    if auc is None or not isinstance(value, (int, float)):
        return "" if auc is None else str(value)
    noise = "" if honest else f" ± {auc.noise:.2f}"
    if not isinstance(kept, (int, float)):
        return f"{value:.2f}{noise}"
    return f"{value:.2f}{noise} ({kept:.1f}%)" if row == "RF" else f"{value:.2f}{noise} ({kept:.0f})"


def _printed(figures: dict, column: str) -> str:
    size = figures.get(f"{column}features", figures.get(f"{column}flipped %"))
    return f"{figures[f'{column}AUC']} ({size}{'%' if f'{column}flipped %' in figures else ''})" if figures else ""


# -- what is measured -------------------------------------------------------------------------------------------------


@cache
def _drawn() -> list[Baskets]:
    found = protocol.publications()
    return [protocol.references(found, seed) for seed in range(DRAWS)]


def _references(publications: Baskets, seed: int) -> Baskets:
    return protocol.references(publications, seed)


def _made_up() -> Baskets:
    """20 persons with 12 publications each; the words of a person are mostly those of the person's own subject."""
    rng, person = np.random.default_rng(0), np.repeat(np.arange(20), 12)
    own = np.arange(60) // 12 == (person % 5)[:, None]
    return Baskets.of((rng.random((240, 60)) < np.where(own, 0.3, 0.01)).astype(int), person)


def table_3() -> Iterator[Row]:
    drawn = _drawn()
    shapes = np.mean([b.shape for b in drawn], axis=0)
    density = np.mean([100 * b.matrix.nnz / b.shape[0] / b.shape[1] for b in drawn])
    for column, value in zip(COLUMNS, (*shapes, protocol.IMPURE, protocol.PURE, density), strict=True):
        yield Row("Table 3", "Entity Disambiguation", column, float(value))


def cell(row: str, k: int | None) -> Iterator[Row]:
    yield from _cell(row, k, _drawn())


def _cell(row: str, k: int | None, drawn: list[Baskets]) -> Iterator[Row]:
    make = None if k is None else partial(protocol.METHODS[row], k)
    ours, truth = protocol.as_published(make, drawn, 1), protocol.nested(make, drawn)
    column = "" if k is None else f"k={k} "
    if ours is None:
        yield Row(_TABLE, row, f"{column}AUC", "nothing fits", "nothing fits")
        return
    auc, spread = float(np.mean(ours.auc)), float(np.std(ours.auc, ddof=len(ours.auc) > 1))
    noise = hypot(of_auc(auc, protocol.IMPURE, protocol.PURE), 1.96 * spread / len(ours.auc) ** 0.5)
    yield Row(_TABLE, row, f"{column}AUC", auc, None if truth is None else float(np.mean(truth.auc)), noise)
    if row == "RF":
        yield Row(_TABLE, row, f"{column}sd", spread)
        yield Row(_TABLE, row, f"{column}flipped %", 100 * ours.flipped)
    else:
        yield Row(_TABLE, row, f"{column}features", ours.features, None if truth is None else truth.features)


def figure_1(runs: int, epsilon: float = 1.0) -> Iterator[Row]:
    """As printed: topics and scores on the released rows. Honest: what can be proved, true references scored."""
    for name in ("Laplace", "Exponential"):
        printed: list[float] = []
        proved: list[float] = []
        for b in _drawn():
            picks = len(GreedySelector(5, on_infeasible="stop").fit(b.matrix, b.labels).order_)
            for run, (train, test) in zip(range(runs), containment.splits(b, 5), strict=True):
                learnt, truth = b.take(train), b.take(test)
                X, y, _ = _released(f"{name}-DP, as printed", learnt, epsilon, picks, run)
                printed.append(float(roc_auc_score(y, protocol.entropy(X, X, run))))
                X, _, kept = _released(f"{name}Selector", learnt, epsilon, picks, run)
                scored = truth.keep(list(kept)).matrix.toarray()
                proved.append(float(roc_auc_score(truth.labels, protocol.entropy(X, scored, run))))
        noise = 1.96 * float(np.std(printed, ddof=1)) / len(printed) ** 0.5
        means = (float(np.mean(printed)), float(np.mean(proved)))
        yield Row("Figure 1", f"{name}-DP, entity disambiguation", f"epsilon={epsilon:g} AUC", *means, noise)


def _released(method: str, learnt: Baskets, epsilon: float, picks: int, run: int) -> tuple[np.ndarray, ...]:
    """Cells, labels and features of a release: half of epsilon for the features, half for the counts."""
    select, changed = figure1.METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        kept = np.sort(np.asarray(select(learnt, epsilon / 2, picks, run)))
    counts = figure1.private_counts(learnt, kept, changed / (epsilon / 2), run)
    cells = np.repeat(np.arange(len(counts)), counts)
    return (cells[:, None] >> np.arange(1, picks + 1)) & 1, cells & 1, kept
