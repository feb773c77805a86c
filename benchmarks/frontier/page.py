# SPDX-License-Identifier: Apache-2.0
"""docs/frontier.md from what was kept: `python -m benchmarks.frontier.page`. Losses come first.

Noise is the interval of a difference: twice the standard error of the mean over tables; of a single table twice the
standard error of an accuracy on its held-out rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frontier import hierarchies
from benchmarks.frontier.pictures import differences_picture, methods_of, trade_picture
from benchmarks.frontier.points import KEPT as POINTS_KEPT
from benchmarks.frontier.points import POINTS
from benchmarks.frontier.protocol import best_of
from benchmarks.frontier.rivals import published
from benchmarks.frontier.splits import KEPT as SPLITS_KEPT
from benchmarks.frontier.splits import SEEDS, lines_of
from benchmarks.frontier.tables import TABLES, Tables
from benchmarks.frontier.unseen import HALVES, HELD_BACK, STUDY
from benchmarks.frontier.unseen import KEPT as UNSEEN_KEPT

OURS = "TreeLadder"
DOCS = Path(__file__).parent.parent.parent / "docs"
KEPT = Path(__file__).parent / "measured"
KS = {table: ks for table, (_, ks) in {**TABLES, **STUDY, **HELD_BACK}.items()}
Found = dict[str, dict[str, dict[str, Any]]]  # table -> "k method" -> figures

MEASURES: dict[str, tuple[Callable[[dict[str, Any]], float], int]] = {  # and whether more is better
    "accuracy": (lambda one: best_of(one, "accuracy"), 1),
    "AUC": (lambda one: best_of(one, "auc"), 1),
    "log-loss": (lambda one: best_of(one, "log_loss"), -1),
    "unrecoded accuracy": (lambda one: one["raw"], 1),
    "detail": (lambda one: one.get("detail", nan), 1),
    "counted detail": (lambda one: one["counted"], 1),
}


def kept(folder: Path = KEPT, tables: Tables = TABLES) -> Found:
    files = {table: folder / f"{table}-0.json" for table in tables}
    return {table: json.loads(path.read_text(encoding="utf-8")) for table, path in files.items() if path.exists()}


def differences(found: Found, method: str, place: int, measure: str) -> np.ndarray:
    """Ours less the method's, at the smallest, middle or largest k of each table; positive where ours is better."""
    value, sign = MEASURES[measure]
    out = []
    for table, figures in found.items():
        k = KS[table][place]
        ours, theirs = figures.get(f"{k} {OURS}", {}), figures.get(f"{k} {method}", {})
        if "learners" in ours and "learners" in theirs:
            out.append(sign * (value(ours) - value(theirs)))
    return np.array([one for one in out if not isnan(one)])


def interval(values: np.ndarray) -> float:
    return 2 * float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else float("nan")


def losses(found: Found, rows: dict[str, int]) -> Iterator[str]:
    """Where another method is ahead of ours by more than noise."""
    for table, figures in found.items():
        for k in KS[table]:
            ours = figures.get(f"{k} {OURS}")
            if not ours or "learners" not in ours:
                continue
            noise = 2 * sqrt(0.25 / max(rows.get(table, 1000), 1))
            for measure in ("accuracy", "AUC", "unrecoded accuracy", "detail", "counted detail"):
                value, _ = MEASURES[measure]
                others = {
                    name.split(" ", 1)[1]: value(one)
                    for name, one in figures.items()
                    if name.startswith(f"{k} ")
                    and "learners" in one
                    and not name.endswith(f" {OURS}")
                    and not isnan(value(one))
                }
                best = max(others, key=others.__getitem__, default=None)
                if best is not None and others[best] > value(ours) + noise:
                    yield f"| {table} | {k} | {measure} | {value(ours):.3f} | {others[best]:.3f} | {best} |"


def _table(head: Iterable[str], lines: Iterable[str]) -> list[str]:
    names = list(head)
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names), *lines]


def against(found: Found) -> list[str]:
    lines = []
    for method in methods_of(found):
        if method == OURS:
            continue
        for place, which in enumerate(("smallest", "middle", "largest")):
            cells = [differences(found, method, place, measure) for measure in MEASURES]
            if len(cells[0]):
                shown = [f"{one.mean():+.3f} ± {interval(one):.3f}" if len(one) else "" for one in cells]
                lines.append(f"| {method} | {which} | {len(cells[0])} | " + " | ".join(shown) + " |")
    return _table(("beside", "k", "tables", *MEASURES), lines)


def one_table(found: Found, table: str) -> list[str]:
    lines = []
    for name, one in found[table].items():
        k, method = name.split(" ", 1)
        if "learners" in one:
            values = [value(one) for value, _ in MEASURES.values()]
            linear = one["learners"]["logistic"]
            values += [linear["accuracy"], linear["auc"], one["suppressed"], one["cpu"]]
            lines.append(
                f"| {k} | {method} | " + " | ".join("" if isnan(value) else f"{value:.3f}" for value in values) + " |"
            )
        else:
            lines.append(f"| {k} | {method} | no release |" + " |" * 9)
    head = ("k", "method", *MEASURES, "LR accuracy", "LR AUC", "suppressed", "CPU-s")
    return _table(head, lines)


def quoted() -> list[str]:
    lines = []
    for one in published():
        for k in one["accuracy"]:
            auc = one.get("auc", {}).get(k)
            cells = (one["rival"], one["protocol"], k, f"{one['accuracy'][k]:.3f}", "" if auc is None else f"{auc:.3f}")
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return _table(("rival", "protocol", "k", "accuracy", "AUC"), lines)


def points() -> list[str]:
    """The weak points of version 0.1, before and after."""
    figures = json.loads(POINTS_KEPT.read_text(encoding="utf-8")) if POINTS_KEPT.exists() else {}
    lines = []
    for name, both in figures.items():
        before, after = both.get("before", {}), both.get("after", {})
        lines.append(f"| **{POINTS[name].__doc__}** | | |")
        lines += [f"| {what} | {_cell(before.get(what))} | {_cell(after.get(what))} |" for what in {**before, **after}]
    return _table(("what", "version 0.1", "now"), lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def rows_of(folder: Path) -> dict[str, int]:
    """The held-out rows of each table that was measured."""
    path = folder / "rows.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def unseen() -> list[str]:
    """The tables of other collections, half by half: where ours is behind, then the means."""
    found, rows = {half: kept(UNSEEN_KEPT, tables) for half, tables in HALVES.items()}, rows_of(UNSEEN_KEPT)
    parts = [
        "Twenty-four tables about people from public collections (`benchmarks/frontier/unseen.py` has their targets and"
        " quasi-identifiers, which were written down before anything was measured). The first half may be looked at"
        " while a method is changed, and its tables are among those that the constants of TreeLadder were tried on. The"
        " other half is held back: nothing was set by what it shows. Printed by"
        " `python -m benchmarks.frontier.unseen study` and `... held-back`.",
    ]
    for half, title in zip(HALVES, ("The half that may be looked at", "The half that is held back"), strict=True):
        if found[half]:
            behind = list(losses(found[half], rows))
            parts += [f"### {title}", "\n".join(_table(_BEHIND, behind)) if behind else "No case beyond noise."]
            parts.append("\n".join(against(found[half])))
    return parts


_BEHIND = ("table", "k", "measure", "TreeLadder", "best", "by")


def text(found: Found, rows: dict[str, int]) -> str:
    behind = list(losses(found, rows))
    parts = [
        "# The frontier",
        "What every method for tables keeps at each k, on real and generated tables, beside rivals. 70 % of the rows"
        " are released; learners learn from the release and are asked about the other rows, recoded unless said. The"
        " figures are printed by `python -m benchmarks.frontier`, this page is written by"
        " `python -m benchmarks.frontier.page`.",
        "## Where TreeLadder is behind",
        "Cases where another method is ahead by more than noise, which is twice the standard error of an accuracy on"
        " the held-out rows."
        if behind
        else "In no case is another method ahead by more than noise.",
        *(["\n".join(_table(_BEHIND, behind))] if behind else []),
        "## TreeLadder beside the others",
        "Its figure less theirs, in the direction that is better, mean over tables with an interval of two standard"
        " errors. The smallest, middle and largest k of each table are 5, 50 and 500, or 2, 5 and 25 for tables of"
        " fewer than 2,000 rows. Accuracy, AUC and log-loss are the best of logistic regression, naive Bayes and a"
        " tree. Detail is what a recipient can [read off the labels](evaluate.md), of the released rows. Counted detail"
        " is I(cell; label) / H(cell) of the held-out rows, which flatters whoever has many different labels: of 60"
        " rows, labels that are all different seem to tell everything. The representatives that ai-privacy-toolkit"
        " publishes stand for no stated set of values, so this is the only figure there is for them.",
        "![Differences in accuracy and AUC by table](_static/frontier-differences.svg)",
        "\n".join(against(found)),
        "*best full-domain* is no program but a bound: of all releases that write each column at one level of its"
        " hierarchy, as ARX's do, the one with the lowest classification metric, found by counting every node of the"
        " lattice (`benchmarks/rivals/full_domain.py`). Hierarchies are ARX's own on adult_arx, elsewhere plain ones:"
        " numbers in 16 or 4 ranges of equally many rows, codes by two characters. Its lattice is too large, or it"
        " cannot count persons, where it makes no release.",
        "## Tables nobody tuned to",
        *unseen(),
        "## Accuracy against detail",
        "The mean of the tables where every method makes a release at every k.",
        "![AUC against detail](_static/frontier-trade.svg)",
        "## Figures of others, as published",
        "ARX and sdcMicro cannot be installed from package registries. Cross-validation on the release flatters"
        " methods that are guided by the label, so these figures are no lower bound for ours.",
        "\n".join(quoted()),
        "## With ARX's hierarchies",
        f"adult_arx with the files that ARX ships, means over {len(SEEDS)} splits of the best of three learners,"
        " printed by `python -m benchmarks.frontier.hierarchies`. As in ARX, the rows that the best full-domain release"
        " suppresses are no group of k: the last column has the fewest of them in a split.",
        "\n".join(hierarchies.lines_of(json.loads(hierarchies.KEPT.read_text(encoding="utf-8")))),
        "## Several splits of adult_arx",
        f"Means over {len(SEEDS)} splits, of logistic regression, printed by `python -m benchmarks.frontier.splits`."
        " Another split of the same rows moves an accuracy by some thousandths, so a single one decides nothing between"
        " methods that are close.",
        "\n".join(lines_of(json.loads(SPLITS_KEPT.read_text(encoding="utf-8")))),
        "## Weak points of version 0.1, measured again",
        "By `python -m benchmarks.frontier.points`, the same lines before and after.",
        "\n".join(points()),
        "## Every table",
        *(f"### {table}\n\n" + "\n".join(one_table(found, table)) for table in found),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    found = kept()
    rows = rows_of(KEPT)
    (DOCS / "_static" / "frontier-differences.svg").write_text(differences_picture(found), encoding="utf-8")
    (DOCS / "_static" / "frontier-trade.svg").write_text(trade_picture(found), encoding="utf-8")
    (DOCS / "frontier.md").write_text(text(found, rows), encoding="utf-8")
    print(DOCS / "frontier.md", "(then: python -m benchmarks.frontier.advice)")


if __name__ == "__main__":
    main()
