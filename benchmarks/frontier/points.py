# SPDX-License-Identifier: Apache-2.0
"""Weak points of version 0.1, measured again: `python -m benchmarks.frontier.points [names] [--keep before|after]`.

Each function measures one point and returns its figures. They run on any version that has the public names, so that
`before` was measured by the same lines (with PYTHONPATH at the sources of version 0.1) as `after`. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

import discreet as ds
from benchmarks.frontier.protocol import Split, best_of, measured, scores
from benchmarks.frontier.tables import TABLES
from discreet.data.column import encode
from discreet.evaluate.utility import split
from discreet.foundation.progress import show
from discreet.foundation.randomness import Randomness
from discreet.samples import data_file, load

KEPT = Path(__file__).parent / "points.json"
Figures = dict[str, Any]


def rows_of(name: str) -> Split:
    return Split.of(*TABLES[name][0]())


def _command(*arguments: object) -> dict[str, Any]:
    """What a command of discreet prints with --json."""
    command = [sys.executable, "-m", "discreet", *map(str, arguments), "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return json.loads(done.stdout[done.stdout.index("{") :]) if "{" in done.stdout else {"failed": done.returncode}


def _screen(*arguments: object) -> str:
    return subprocess.run([sys.executable, "-m", "discreet", *map(str, arguments)], check=False,
                          capture_output=True, text=True).stdout  # fmt: skip


def _blank(published: Path) -> tuple[int, int]:
    """Columns of a released table that say the same in every row, and all of them."""
    table = ds.Table.of(next(published.glob("data.*")))
    return sum(column.levels < 2 for column in table.columns()), len(table.names)


def _written(sample: str, folder: Path, **options: int) -> Path:
    path = folder / f"{sample}.csv"
    pacsv.write_csv(load(sample, **options).data.to_arrow(), path)  # type: ignore[union-attr]
    return path


# -- the points -------------------------------------------------------------------------------------------------------


def empty_winners() -> Figures:
    """1. What `compare` chooses on German credit; what the README's release suppresses; Diabetes 130 with persons."""
    found: Figures = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        german = _written("german", folder, quasi=20)
        chosen = _command("compare", german, "--target", load("german").roles.target, "-o", folder / "study")  # type: ignore[union-attr]
        found["german: chosen"] = chosen.get("best") or "none can be recommended"
        if chosen.get("best_folder"):
            found["german: blank columns"], found["german: columns"] = _blank(
                folder / "study" / chosen["best_folder"] / "release"
            )
    clinic = load("clinic", rows=2000, random_state=7).data
    roles = ds.Roles(target="readmitted", quasi=["age", "sex", "zip"], identifiers=["name"])
    found["clinic: suppressed, TreeLadder k = 10"] = ds.TreeLadder(10).release(clinic, roles).losses.information_loss
    rows = rows_of("diabetes130")
    release = ds.TreeLadder(10).release(rows.train, rows.roles)
    found["diabetes130: suppressed, TreeLadder k = 10"] = release.losses.information_loss
    return found


def basket_winners() -> Figures:
    """1. What `compare` chooses on 20,000 made-up baskets of two classes."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        options = ("--rows", 20_000, "--set", "classes=2", "--seed", 1)
        _screen("data", "write", "quest", *options, "-o", folder / "visits.dat")
        files = sorted(folder.iterdir())
        labels = next((file for file in files if file.suffix == ".labels"), None)
        if labels is None:
            return {}
        found = _command("compare", folder / "visits.dat", "--labels", labels, "-o", folder / "study")
        best = next((one for one in found.get("candidates", []) if one.get("best")), {})
        return {"chosen": found.get("best"), "accuracy": best.get("utility"), "not found": best.get("privacy")}


def default_ladder() -> Figures:
    """2. TreeLadder's default beside information Mondrian on adult_arx: logistic regression, and raw use."""
    rows, found = rows_of("adult_arx"), {}
    for k in (5, 50, 500):
        for name, method in (("TreeLadder", ds.TreeLadder), ("Mondrian", _information)):
            one = measured(lambda k=k, method=method: method(k), rows, ("logistic",))
            linear = one["learners"]["logistic"]
            figures = {"accuracy": linear["accuracy"], "AUC": linear["auc"]}
            figures |= {name: one[name] for name in ("raw", "suppressed", "detail")}
            found |= {f"{name} k = {k}: {what}": value for what, value in figures.items()}
    return found


def _information(k: int) -> Any:
    return ds.Mondrian(k, split="information")


def choosing() -> Figures:
    """3. Which lines `compare` shows beside the releases, and what `choose` names by utility alone."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        pima = _written("pima", folder)
        screen = _screen("compare", pima, "--target", load("pima").roles.target, "-o", folder / "study")  # type: ignore[union-attr]
        chosen = _screen("choose", folder / "study", "--weights", "utility=1")
        named = next((line.strip() for line in chosen.splitlines() if line.startswith(("Best", "Chosen"))), "")
    return {
        "a line for guessing": any(line.lstrip().startswith("guessing") for line in screen.splitlines()),
        "a line without quasi-identifiers": "no quasi-identifiers" in screen,
        "says that roles are a guess": "guess" in screen.lower(),
        "choose by utility": named,
    }


def guessed_roles() -> Figures:
    """4. How many of the 50 columns of Diabetes 130 are suggested as quasi-identifiers."""
    table = ds.Table.of(data_file("diabetes130/diabetic_data.csv.gz"), missing=["?"])
    suggested = ds.suggest(table, target="readmitted")
    return {"quasi-identifiers": sum(one.role == "quasi" for one in suggested), "columns": len(table.names)}


def low_budgets() -> Figures:
    """5. AUC of logistic regression that learns from PrivateTable's rows, on held-out rows."""
    found = {}
    for name, epsilons in (
        ("adult_arx", (0.1, 1, 10)),
        ("adult", (0.1, 1)),
        ("german", (1,)),
        ("diabetes130", (0.1, 1)),
    ):
        table, roles = _binned(name)
        for epsilon in epsilons:
            values = [_private_auc(table, roles, epsilon, seed) for seed in range(3)]
            found[f"{name} epsilon = {epsilon}"] = float(np.mean(values))
    return found


def _binned(name: str) -> tuple[ds.Table, ds.Roles]:
    """A table whose numbers are in ten bins with ends that do not depend on it more than its range does."""
    table, roles = TABLES[name][0]()
    columns = []
    for column in table.columns([*roles.quasi, str(roles.target)]):
        if column.kind == "number" and column.levels > 12:
            values = column.numbers[column.codes]
            ends = np.linspace(np.nanmin(values), np.nanmax(values), 11)[1:-1]
            cells = [f"bin {b}" for b in np.searchsorted(ends, values)]
        else:
            cells = [str(text) for text in np.array([*column.texts, "missing"])[column.codes]]
        columns.append(encode(column.name, pa.array(cells), kind="category"))
    return ds.Table(columns), ds.Roles(target=roles.target, quasi=roles.quasi)


def _private_auc(table: ds.Table, roles: ds.Roles, epsilon: float, seed: int) -> float:
    domain = {name: {"values": table.column(name).texts, "missing": False} for name in roles.published}
    labels = table.column(str(roles.target)).codes
    train, test = split(labels, None, 0.3, Randomness(seed))
    rows = Split(table.take(train), table.take(test), roles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = ds.PrivateTable(epsilon, domain=domain, random_state=seed).simulate(rows.train, roles)
    return scores("logistic", drawn.table, drawn.recode(rows.test), rows)["auc"]


def private_weights() -> Figures:
    """6. The three heaviest columns of PrivateFwell on German credit: the default beside its variant by ranks."""
    cells = np.loadtxt(data_file("german/german.data-numeric.gz"))
    X, y = cells[:, :-1], cells[:, -1].astype(int)
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1)
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    found: Figures = {}
    for strategy in ("auto", "ranks"):
        values = []
        for seed in range(10):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = ds.PrivateFwell(1.0, bounds=(0, 1), strategy=strategy, n_features=3, random_state=seed).fit(
                    X, y
                )
            heaviest = np.argsort(-np.asarray(fitted.weights_))[:3]
            model = LogisticRegression(max_iter=200)
            values.append(cross_val_score(model, X[:, heaviest], y, scoring="roc_auc", cv=5).mean())
        found[strategy] = float(np.mean(values))
    return found


def given_hierarchies() -> Figures:
    """8. TopDownSpecialization with the hierarchies that ARX comes with, and with its own, on adult_arx."""
    from discreet.prepare.hierarchy import read_hierarchies

    given = read_hierarchies(data_file("adult_arx/adult_hierarchy_age.csv").parent)
    given.pop("salary-class")
    rows, found = rows_of("adult_arx"), {}
    for k in (5, 50, 500):
        for name, hierarchies in (("given", given), ("none", None)):
            one = measured(lambda k=k, h=hierarchies: ds.TopDownSpecialization(k, hierarchies=h), rows)
            found[f"{name} k = {k}"] = best_of(one, "accuracy")
    return found


def monotone_mondrian() -> Figures:
    """9. Information Mondrian as k falls: the best learner's accuracy, five tables."""
    found = {}
    for name in ("diabetes130", "additive", "nothing", "missing", "waveform"):
        rows = rows_of(name)
        for k in (5, 50, 500):
            found[f"{name} k = {k}"] = best_of(measured(lambda k=k: _information(k), rows), "accuracy")
    return found


def optimal_words() -> Figures:
    """10. OptimalSelector beside words in the order of chi-squared while containment holds, by its own measure."""
    from discreet.methods.containment.optimal_measures import worth_of

    found = {}
    for name in ("basehock", "text_fbis"):
        baskets = _two_classes(load(name).data)
        value = worth_of("auc", baskets).value
        for k in (5, 11):
            ordered = _while_contained(baskets, _chi_squared(baskets), k)
            chosen = ds.OptimalSelector(k, utility="auc", random_state=0).release(baskets).features
            found[f"{name} k = {k}: chi-squared"], found[f"{name} k = {k}: optimal"] = value(ordered), value(chosen)
    return found


def _two_classes(baskets: ds.Baskets) -> ds.Baskets:
    """The two largest classes."""
    largest = np.argsort(-np.bincount(baskets.labels), kind="stable")[:2]
    return baskets.take(np.flatnonzero(np.isin(baskets.labels, largest)))


def _chi_squared(baskets: ds.Baskets) -> np.ndarray:
    from sklearn.feature_selection import chi2

    return np.argsort(-np.nan_to_num(chi2(baskets.columns.tocsr(), baskets.labels)[0]), kind="stable")


def _while_contained(baskets: ds.Baskets, order: np.ndarray, k: int, most: int = 300) -> list[int]:
    """Items in this order, each if containment still holds with it; of the first few hundred."""
    promise, kept = ds.Containment(k), []
    for item in order[:most]:
        if promise.check(baskets.keep([*kept, int(item)])).holds:
            kept.append(int(item))
    return kept


def heavy_columns() -> Figures:
    """11. The 20 heaviest of 500 columns, five of them informative: accuracy of a random forest, three draws."""
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import cross_val_score

    values = []
    for seed in range(3):
        X, y = make_classification(2000, 500, n_informative=5, n_redundant=15, n_clusters_per_class=16,
                                   class_sep=1.0, hypercube=True, random_state=seed)  # fmt: skip
        weights = np.asarray(ds.Fwell().fit(X, y).weights_)
        forest = RandomForestClassifier(200, random_state=0, n_jobs=2)
        values.append(cross_val_score(forest, X[:, np.argsort(-weights)[:20]], y, cv=3).mean())
    return {"Fwell": float(np.mean(values)), "worst draw": float(min(values))}


def readable_labels() -> Figures:
    """12. The longest labels of TreeLadder and Mondrian at k = 10: characters, and members spelled out."""
    found = {}
    for name in ("adult_arx", "codes", "diabetes130"):
        rows = rows_of(name)
        for label, method in (("TreeLadder", ds.TreeLadder), ("Mondrian", ds.Mondrian)):
            table = method(10).release(rows.train, rows.roles).table
            labels = [text for column in table.columns(rows.roles.quasi) for text in column.texts if text is not None]
            found[f"{name} {label}: longest label"] = max(map(len, labels))
            found[f"{name} {label}: most members"] = max(text.count(",") + 1 for text in labels)
    return found


def recoded_training_rows() -> Figures:
    """13. Rows of a KActus2 release that `recode` writes otherwise than they were published."""
    rows = rows_of("adult_arx")
    release = ds.KActus2(50, random_state=0).release(rows.train, rows.roles)
    again = release.recode(rows.train)
    names = [*release.roles.quasi]  # type: ignore[union-attr]
    lines = [sorted(map(str, zip(*(np.array(t.column(n).texts)[t.column(n).codes] for n in names), strict=True)))
             for t in (release.table, again)]  # fmt: skip
    from collections import Counter

    return {"rows": len(rows.train), "differ": sum((Counter(lines[0]) - Counter(lines[1])).values())}


POINTS: dict[str, Callable[[], Figures]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        empty_winners, basket_winners, default_ladder, choosing, guessed_roles, low_budgets, private_weights,
        given_hierarchies, monotone_mondrian, optimal_words, heavy_columns, readable_labels, recoded_training_rows,
    )
}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier.points", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("names", nargs="*", choices=[*POINTS, []], default=[], help="all, if none is named")
    options.add_argument("--keep", choices=("before", "after"), help="write the figures down under this name")
    asked = options.parse_args()
    show()
    for name in asked.names or POINTS:
        figures = POINTS[name]()
        print(f"\n{name}: {POINTS[name].__doc__}")
        for what, value in figures.items():
            print(f"  {what:55} {value:.3f}" if isinstance(value, float) else f"  {what:55} {value}", flush=True)
        if asked.keep:
            kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
            kept.setdefault(name, {})[asked.keep] = figures
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
