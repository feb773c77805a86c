# SPDX-License-Identifier: Apache-2.0
"""What the sketch paper states in words, answered by the studies whose results are in `measured.jsonl`.

The studies take hours, and `python -m benchmarks.sketches --results FILE` makes them; units here read what is there.
*Ours* takes as many components as Definition 3 allows as it is printed (for delta: as the promise allows); *honest* are
the defaults of the methods, where the promise has a meaning and no sketch carries more than half of its record's bits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from math import log
from pathlib import Path

from benchmarks.reproduction.units import Found, Row, Unit, Why, answered, of_share, yes_or_no
from benchmarks.sketches import protocol
from discreet.errors import DataError

HONEST = (
    "Honest: the defaults of the methods, where no sketch carries more than half of its record's bits, and k-variance"
    " by the exact variance. Training and test records are sketched apart in both. Text17 is not to be had: text_fbis"
    " stands in. Levelling off is judged per unit of k or delta, a rule that was set after one by steps had said no for"
    " delta."
)
RESULTS = Path(__file__).with_name("measured.jsonl")
TEXT, BASKETS = "text_fbis", ("c20_i4", "c20_i6")
BY_K, BY_DELTA, CLUSTERS_K, CLUSTERS_DELTA = "Figures 3 to 5", "Figure 6", "Figures 7 to 9", "Figure 10"
BY_ITEMS, SECONDS = "Figures 11 and 12", "Figures 13 and 14"
NEAREST, MEANS, MEASURES = "5 nearest", "10-means", {"neighbours": "5 nearest", "10-means": "10-means"}
_PRINTED = (
    "As printed, Definition 3 allows more components than by its meaning, which allows 1 to 3; both lose more here."
)
WHY = (
    Why("In words", _PRINTED, "accuracy on text"),
    Why("In words", "Most is lost at the first level; from there on little changes, up or down.", "*k"),
    Why("In words", "Sketching is linear. Exact neighbours, which k-variance needs, are not.", "time and records"),
    Why("In words", "With two classes and nearest neighbours, every step up of delta loses more.", "levels*"),
    Why("In words", "The trend is another one here, or within noise."),
)


def units() -> list[Unit]:
    made = []
    for name in (TEXT, *BASKETS):
        made.append(Unit(BY_K, f"{BY_K}: {name}", partial(levels, BY_K, "classes", name, "k"), {"data": name}, 1))
        made.append(
            Unit(CLUSTERS_K, f"{CLUSTERS_K}: {name}", partial(levels, CLUSTERS_K, "clusters", name, "k"), {}, 1)
        )
    for table, study in ((BY_DELTA, "classes"), (CLUSTERS_DELTA, "clusters")):
        made.append(Unit(table, f"{table}: {TEXT}", partial(levels, table, study, TEXT, "delta"), {"data": TEXT}, 1))
    made.append(Unit(BY_ITEMS, f"{BY_ITEMS}: ratios", by_items, {}, 1))
    return [*made, Unit(SECONDS, f"{SECONDS}: processor seconds", seconds, {}, 1)]


def quick() -> list[Unit]:
    """300 made-up baskets, measured here and now."""
    return [Unit(BY_K, "c20_i4", _quick)]


def _quick() -> Iterator[Row]:
    data = protocol.records("c20_i4", 300)
    base = protocol.baseline_accuracy(data, 0).neighbours
    yield Row(BY_K, f"c20_i4, 300 records, {NEAREST}", "records", base, base)
    found = [
        protocol.sketched_accuracy(data, protocol.counting("k", 5, setting, reading), 0).neighbours
        for setting, reading in (("paper", "as printed"), ("default", "promise"))
    ]
    yield Row(BY_K, f"c20_i4, 300 records, {NEAREST}", "k=5", *found, of_share(found[0], 100))


def _lines(study: str, **wanted) -> list[dict]:
    found = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    found = [each for each in found if each["study"] == study and all(each.get(k) == v for k, v in wanted.items())]
    if not found:
        raise DataError(f"{RESULTS.name} has no results of {study} {wanted}: python -m benchmarks.sketches --results.")
    return found


def levels(table: str, study: str, name: str, promise: str) -> Iterator[Row]:
    """The curve of the size with most levels, the larger one of equals; a level without an honest run has none."""
    reading = "as printed" if promise == "k" else "promise"
    ours = _lines(study, set=name, promise=promise, setting="paper", reading=reading)
    rows = max({each["rows"] for each in ours}, key=lambda n: (sum(each["rows"] == n for each in ours), n))
    all_of_it = _lines(study, set=name, promise=promise, rows=rows)
    honest = {each["level"]: each for each in all_of_it if (each["setting"], each["reading"]) == ("default", "promise")}
    value = (lambda each: each["neighbours"]) if study == "classes" else (lambda each: each["cosine"])
    curve = {each["level"]: each for each in ours if each["rows"] == rows}
    first = next(iter(curve.values()))
    row = f"{name}, {rows} records, {NEAREST if study == 'classes' else MEANS}"
    base = first["base"]["neighbours"] if study == "classes" else first["base"]
    tested = first.get("tested", 0) * first["splits"]
    yield Row(table, row, "records", base, base, of_share(base, tested) if tested else 0.0)
    if study == "clusters":
        yield Row(table, row, "random", first["floor"], first["floor"])
    for level, each in sorted(curve.items()):
        noise = of_share(value(each), tested) if tested else 0.0
        yield Row(
            table, row, f"{promise}={level:g}", value(each), value(honest[level]) if level in honest else None, noise
        )


def by_items() -> Iterator[Row]:
    for each in _lines("dimensions"):
        if each["measure"] in MEASURES:
            row = f"{MEASURES[each['measure']]}, delta={each['delta']:g}, {each['rows']} records"
            yield Row(BY_ITEMS, row, f"{each['items']} items", each["ratio"])


def seconds() -> Iterator[Row]:
    for each in _lines("sketching"):
        what = "items in a record" if each["against"] == "ones" else "records"
        yield Row(SECONDS, f"sketching, by {what}", f"{each['size']}", each["seconds"])
    for each in _lines("neighbours"):
        yield Row(SECONDS, "exact neighbours, by records", f"{each['size']}", each["exact"])


# -- what follows -----------------------------------------------------------------------------------------------------


def derived(found: Found) -> list[Row]:
    def curves(table: str, names: tuple[str, ...]) -> dict[str, list[str]]:
        """Rows of a table with their levels, low to high."""
        made: dict[str, list[str]] = {}
        for key in found.rows:
            if key.table == table and key.row.startswith(names) and "=" in key.column:
                made.setdefault(key.row, []).append(key.column)
        if len(made) < len(names):
            raise KeyError(table)
        return made

    def losses(value: Callable, table: str, row: str, columns: list[str]) -> list[float]:
        base = value(table, row, "records")
        return [1 - value(table, row, column) / base for column in columns]

    def said(lost: list[float]) -> str:
        return ", ".join(f"{loss:.0%}" for loss in lost)

    def slightly(value: Callable) -> str:
        ((row, columns),) = curves(BY_K, (TEXT,)).items()
        lost = losses(value, BY_K, row, columns)
        return yes_or_no(max(lost) <= 0.10, f"lost at {columns[0]} to {columns[-1]}: {said(lost)}")

    def levels_off(table: str, names: tuple[str, ...], value: Callable) -> str:
        """What a unit of k or delta costs at the last step is less than half of what it costs at the first."""
        each = {row: (columns, losses(value, table, row, columns)) for row, columns in curves(table, names).items()}
        holds = True
        for columns, lost in each.values():
            at = [float(column.partition("=")[2]) for column in columns]
            holds &= len(at) > 1 and (lost[-1] - lost[-2]) / (at[-1] - at[-2]) < lost[0] / at[0] / 2
        words = "; ".join(f"{row.partition(',')[0]} loses {said(lost)}" for row, (_, lost) in each.items())
        return yes_or_no(holds, words)

    def items(kind: str, value: Callable) -> str:
        ratios: dict[str, list[float]] = {}
        for key in found.rows:
            if key.table == BY_ITEMS and key.row.startswith(kind):
                ratios.setdefault(key.row, []).append(value(*key))
        if not ratios:
            raise KeyError(kind)
        fall = max(of[0] - of[-1] for of in ratios.values())
        low, high = min(map(min, ratios.values())), max(map(max, ratios.values()))
        return yes_or_no(high < 1 and fall < 0.05, f"{low:.2f} to {high:.2f}, falls by {fall:.2f} at most")

    def alike(value: Callable) -> str:
        ratios = {key.row.split(", ")[1]: value(*key) for key in found.rows
                  if key.table == BY_ITEMS and key.row.startswith(NEAREST) and key.column == "1000 items"}  # fmt: skip
        gap = ratios["delta=0.2"] - ratios["delta=0.4"]
        return yes_or_no(gap < 0.05, f"{ratios['delta=0.2']:.2f} at delta = 0.2, {ratios['delta=0.4']:.2f} at 0.4")

    def grows(row: str) -> float:
        """The power of the size that the time grows with, from the first to the last."""
        taken = {int(key.column): found.ours(*key) for key in found.rows if key.table == SECONDS and key.row == row}
        if len(taken) < 2:
            raise KeyError(row)
        return log(taken[max(taken)] / taken[min(taken)]) / log(max(taken) / min(taken))

    def with_items() -> str:
        power = grows("sketching, by items in a record")
        return yes_or_no(power < 1.2, f"sketching grows as the power {power:.1f}")

    def with_records() -> str:
        powers = [grows(row) for row in ("sketching, by records", "exact neighbours, by records")]
        return yes_or_no(max(powers) < 1.2, f"sketching as the power {powers[0]:.1f}, neighbours {powers[1]:.1f}")

    def both(name: str, test: Callable) -> list[Row]:
        rows = answered(name, partial(test, found.ours), partial(test, found.honest))
        return rows or answered(name, partial(test, found.ours))

    rows = both("accuracy on text", slightly) + both("accuracy on baskets", partial(levels_off, BY_K, BASKETS))
    rows += both("accuracy and delta", partial(levels_off, BY_DELTA, (TEXT,)))
    rows += both("clusters and k", partial(levels_off, CLUSTERS_K, (TEXT, *BASKETS)))
    rows += both("clusters and delta", partial(levels_off, CLUSTERS_DELTA, (TEXT,)))
    rows += both("items and accuracy", partial(items, NEAREST)) + both("items and clusters", partial(items, MEANS))
    rows += both("levels matter little", alike)
    return rows + answered("time and items of a record", with_items) + answered("time and records", with_records)
