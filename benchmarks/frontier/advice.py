# SPDX-License-Identifier: Apache-2.0
"""The figures that `discreet advise` quotes, from what was kept: `python -m benchmarks.frontier.advice`.

Means over tables, by size of the table and k; by how much one method is ahead of another, with an interval of two
standard errors; AUC of synthetic rows by budget; and what groups of items keep beside single items. They are written to
src/discreet/study/advice_figures.json and into the tables of docs/how-to/choose-a-method.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.frontier.page import DOCS, MEASURES, Found, interval, kept
from benchmarks.frontier.points import KEPT as POINTS_KEPT
from benchmarks.frontier.tables import TABLES

FIGURES = Path(__file__).parents[2] / "src" / "discreet" / "study" / "advice_figures.json"
GUIDE = DOCS / "how-to" / "choose-a-method.md"
METHODS = {
    "tree-ladder": "TreeLadder",
    "mondrian": "Mondrian, median",
    "mondrian, split=information": "Mondrian, information",
    "tds": "TDS",
    "kactus2": "KActus2",
}
SIZES = {"small": (2, 5, 25), "large": (5, 50, 500)}  # tables of fewer than 2,000 rows, and the others, with their k
Measured = dict[str, str]  # key of a figure -> its measure


def _of_size(found: Found, ks: tuple[int, ...]) -> list[str]:
    return [table for table in found if TABLES[table][1] == ks]


def measured(found: Found) -> Measured:
    """What is compared. Detail as the product measures it was not kept for every method: then it is counted detail."""
    known = all("detail" in one for by in found.values() for name, one in by.items() if _is_compared(name, one))
    detail = {"detail": "detail"} if known else {"counted": "counted detail"}
    return {"accuracy": "accuracy", "auc": "AUC", "raw": "unrecoded accuracy", **detail}


def _is_compared(name: str, one: dict[str, Any]) -> bool:
    return name.split(" ", 1)[1] in METHODS.values() and "learners" in one


def tables(found: Found) -> dict[str, Any]:
    """By size of table and k: the mean of each method over the tables where all make a release."""
    out: dict[str, Any] = {}
    of = measured(found)
    for size, ks in SIZES.items():
        for k in ks:
            names = [
                table
                for table in _of_size(found, ks)
                if all("learners" in found[table].get(f"{k} {name}", {}) for name in METHODS.values())
            ]
            cells = {
                method: {
                    **{key: _mean(found, names, k, name, MEASURES[measure][0]) for key, measure in of.items()},
                    "suppressed": _mean(found, names, k, name, lambda one: one["suppressed"]),
                }
                for method, name in METHODS.items()
            }
            out.setdefault(size, {})[str(k)] = {
                "tables": len(names),
                "methods": cells,
                "ahead": _ahead(found, names, k, of),
            }
    return out


def _mean(found: Found, names: list[str], k: int, method: str, value: Any) -> float:
    return round(mean(float(value(found[table][f"{k} {method}"])) for table in names), 3)


def _ahead(found: Found, names: list[str], k: int, of: Measured) -> list[dict[str, Any]]:
    """By how much one method is ahead of another, where this is more than the interval of the mean."""
    out = []
    for better, first in METHODS.items():
        for worse, second in METHODS.items():
            for key, measure in of.items():
                value = MEASURES[measure][0]
                by = np.array([value(found[one][f"{k} {first}"]) - value(found[one][f"{k} {second}"]) for one in names])
                lead, give = round(float(by.mean()), 3), round(interval(by), 3)
                if lead > give:
                    out.append({"method": better, "of": worse, "measure": key, "by": lead, "give": give})
    return out


def synthetic() -> dict[str, dict[str, float]]:
    """AUC of a learner of synthetic rows, by table and epsilon."""
    measured = json.loads(POINTS_KEPT.read_text(encoding="utf-8"))["low-budgets"]["after"]
    out: dict[str, dict[str, float]] = {}
    for name, value in measured.items():
        table, _, epsilon = name.partition(" epsilon = ")
        out.setdefault(table, {})[epsilon] = round(value, 3)
    return out


def items() -> list[dict[str, Any]]:
    """AUC with all items, the best single items and groups of items, from the page of ItemGroups."""
    page = (DOCS / "methods" / "item_groups.md").read_text(encoding="utf-8")
    out, name = [], ""
    for row in re.findall(r"^\| ([^|]*)\| (\d+) \| (\.\d+) \| (\.\d+) \| (\.\d+) \|", page, re.MULTILINE):
        name = row[0].strip() or name
        figures = dict(zip(("all", "single", "groups"), map(float, row[2:]), strict=True))
        out.append({"data": name, "k": int(row[1]), **figures})
    return out


def figures() -> dict[str, Any]:
    return {"tables": tables(kept()), "synthetic": synthetic(), "items": items()}


def written_figures() -> str:
    return json.dumps(figures(), indent=1, allow_nan=False) + "\n"


# -- the guide -------------------------------------------------------------------------------------------------------


def _rows(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    return "\n".join(["| " + " | ".join(one) + " |" for one in (head, ("---",) * len(head), *lines)])


def blocks() -> dict[str, str]:
    """The tables of the guide by name."""
    found, of = figures(), measured(kept())
    out = {}
    for size, by_k in found["tables"].items():
        lines = [
            (k, method, *(f"{one[key]:.3f}" for key in (*of, "suppressed")))
            for k, cell in by_k.items()
            for method, one in cell["methods"].items()
        ]
        out[size] = _rows(("k", "method", *of.values(), "suppressed"), lines)
    epsilons = ("0.1", "1", "10")
    lines = [
        (table, *(f"{by[epsilon]:.3f}" if epsilon in by else "" for epsilon in epsilons))
        for table, by in found["synthetic"].items()
    ]
    out["synthetic"] = _rows(("table", *(f"ε = {one}" for one in epsilons)), lines)
    lines = [
        (one["data"], str(one["k"]), *(f"{one[key]:.3f}" for key in ("all", "single", "groups")))
        for one in found["items"]
    ]
    out["items"] = _rows(("data", "k", "all items", "best single items", "groups of items"), lines)
    return out


def with_blocks(page: str) -> str:
    """The guide with its tables as they are now."""
    for name, table in blocks().items():
        begin, end = f"<!-- figures: {name} -->", "<!-- end of figures -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n\n{table}\n\n{end}{rest.partition(end)[2]}"
    return page


def main() -> None:
    FIGURES.write_text(written_figures(), encoding="utf-8", newline="\n")
    GUIDE.write_text(with_blocks(GUIDE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    for name, table in blocks().items():
        print(f"{name}\n\n{table}\n")


if __name__ == "__main__":
    main()
