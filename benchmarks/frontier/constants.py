# SPDX-License-Identifier: Apache-2.0
"""The constants of TreeLadder, with tables left out in turn: `python -m benchmarks.frontier.constants`.

For each constant other values are measured, all others being as they are, on every table, at two k (5 and 100, or 2 and
25 for small tables), by a split that no other figure is made from; tables of more than 6,000 rows are thinned. For each
table left out, the value that is best on the others is picked; its loss is what the best value of that table is ahead
of it there. What was measured is kept in measured_constants/ and not measured again, unless `--again` says so: a change
of a constant, or of the method, asks for it.

A value's score on a table is the mean, over both k, of the mean of five shares, 1 being all and 0 nothing:

  accuracy, raw   (accuracy - guessing) / (1 - guessing), of the best learner
  AUC             2 AUC - 1
  log-loss        1 - log-loss / log-loss of guessing
  detail          as it is

The tables are those of the frontier and, of benchmarks/frontier/unseen.py, the half that may be looked at. Needs
DISCREET_DATA; takes about an hour.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.frontier.protocol import Split, best_of, figures_of
from benchmarks.frontier.tables import TABLES, Data, Tables
from benchmarks.frontier.unseen import STUDY
from discreet import Table, TreeLadder
from discreet.foundation.progress import show, track
from discreet.methods.trees import label_worth, tree_ladder_choice
from discreet.methods.trees.tree_ladder_choice import WaySearch
from discreet.methods.trees.tree_ladder_ways import Way

SEED = 1  # of the splits; the frontier's own is 0
ROWS = 6000
LARGE = 100  # the larger k, at most
LEARNERS = ("logistic", "tree")
MEASURES = ("accuracy", "AUC", "log-loss", "raw", "detail")

ALL: Tables = {**TABLES, **STUDY}
KEPT = Path(__file__).parent / "measured_constants"


class Constant(NamedTuple):
    """Where a constant is, in a module or as a parameter of the method, and the values that are measured.

    Most change which ways are tried and what they count for, but not what a way makes of the rows: ways are tried once
    for all their values. What detail is worth changes the order of the climb, too: then `climbs_anew`.
    """

    owner: Any
    name: str
    values: tuple[Any, ...]
    climbs_anew: bool = False

    @property
    def default(self) -> int:
        """The place of the value that the method has."""
        own = _PARAMETERS[self.name] if self.owner is TreeLadder else getattr(self.owner, self.name)
        return self.values.index(own)

    def set_to(self, value: Any) -> AbstractContextManager[Any]:
        """As long as this lasts, the constant has this value."""
        if self.owner is TreeLadder:
            return patch.dict(_PARAMETERS, {self.name: value})
        return patch.object(self.owner, self.name, value)


_PARAMETERS = TreeLadder.__init__.__kwdefaults__


DEFAULT = "as it is"
CONSTANTS: dict[str, Constant] = {
    "errors": Constant(label_worth, "_RIGHT", (0.0, 0.2, 0.33, 0.5, 0.67)),
    "unrecoded": Constant(label_worth, "_RAW", (0.0, 0.05, 0.1, 0.2, 0.3)),
    "chance": Constant(tree_ladder_choice, "CHANCE", (0.0, 0.25, 0.5, 1.0)),
    "halving": Constant(tree_ladder_choice, "HALVED", ((), (0.0,), (0.5, 0.0))),
    "bins": Constant(tree_ladder_choice, "COARSE", ((), (4,))),
    "regression": Constant(tree_ladder_choice, "SMOOTH", ((), tree_ladder_choice.SMOOTH)),
    "detail": Constant(TreeLadder, "detail", (0.02, 0.04, 0.06, 0.1, 0.15), climbs_anew=True),
    "few rows": Constant(label_worth, "_FEW", (0, 600, 2500), climbs_anew=True),
    "known": Constant(label_worth, "_MUCH", (0.1, 0.3, 1.0), climbs_anew=True),
}


def thinned(table: Table, roles: Any) -> Data:
    """At most ROWS rows; of persons whole ones."""
    if len(table) <= ROWS:
        return table, roles
    random = np.random.default_rng(SEED)
    if roles.person is None:
        return table.take(np.sort(random.permutation(len(table))[:ROWS])), roles
    person_of = table.column(roles.person)
    place = random.permutation(person_of.levels)[person_of.codes]
    return table.take(np.flatnonzero(place < np.sort(place)[ROWS])), roles


def shares(found: dict[str, Any], rows: Split) -> list[float]:
    """The five measures, as above."""
    label, learnt = rows.test.column(rows.target), rows.train.column(rows.target)
    times = np.bincount(learnt.codes, minlength=learnt.levels)
    of_text = dict(zip(learnt.texts, (times / times.sum()).tolist(), strict=False))
    truth = [label.texts[code] for code in label.codes]
    common = max(of_text, key=of_text.__getitem__)
    guess = float(np.mean([text == common for text in truth]))
    guess_loss = float(-np.mean([np.log(max(of_text.get(text, 0.0), 1e-3)) for text in truth]))
    return [
        (best_of(found, "accuracy") - guess) / (1 - guess),
        2 * best_of(found, "auc") - 1,
        1 - best_of(found, "log_loss") / guess_loss,
        (found["raw"] - guess) / (1 - guess),
        found["detail"],
    ]


def label_of(constant: str, place: int) -> str:
    """What a value of a constant is called; that of the method is one for all constants."""
    one = CONSTANTS[constant]
    return DEFAULT if place == one.default else f"{constant} {one.values[place]}"


def measure(name: str) -> dict[str, list[list[float]]]:
    """The five measures of each value on a table: a line for each k."""
    load, ks = ALL[name]
    rows = Split.of(*thinned(*load()), SEED)
    lines = {label_of(c, i): list[list[float]]() for c, one in CONSTANTS.items() for i in range(len(one.values))}
    for k in track((ks[0], min(ks[-1], LARGE)), name):
        ways, known = best_ways(k, rows), dict[Way, list[float]]()
        for label, way in ways.items():
            if way not in known:
                with patch.object(WaySearch, "ranked", lambda _, way=way: [way]):
                    known[way] = measured_shares(k, rows)
            lines[label].append(known[way])
        for c, one in CONSTANTS.items():
            for i, label in enumerate([label_of(c, i) for i in range(len(one.values))]):
                if one.climbs_anew and label != DEFAULT:
                    with one.set_to(one.values[i]):
                        lines[label].append(measured_shares(k, rows))
    return lines


def measured_shares(k: int, rows: Split) -> list[float]:
    """The five measures of the release that is made now."""
    release = TreeLadder(k, random_state=0).release(rows.train, rows.roles)
    return [round(share, 4) for share in shares(figures_of(release, rows, LEARNERS), rows)]


def best_ways(k: int, rows: Split) -> dict[str, Way]:
    """The way that is chosen by each value, of ways that are tried once."""
    found = dict[str, Way]()
    search = WaySearch.ranked

    def ranked(self: WaySearch) -> list[Way]:
        for c, one in CONSTANTS.items():
            for i, value in enumerate(one.values):
                if (label := label_of(c, i)) not in found and not (one.climbs_anew and i != one.default):
                    with one.set_to(value):
                        self._trials._found.clear()  # worth is weighed anew, but nothing is tried again
                        self._trials._best.clear()
                        found[label] = search(self)[0]
        return [found[DEFAULT]]

    with patch.object(WaySearch, "ranked", ranked):
        TreeLadder(k, random_state=0).release(rows.train, rows.roles)
    return found


def picks(scores: np.ndarray) -> np.ndarray:
    """For each table left out, the value that is best on the others; scores are by table and value."""
    return np.array([int(np.argmax(np.delete(scores, t, axis=0).mean(axis=0))) for t in range(len(scores))])


def lines_of(kept: dict[str, dict[str, Any]], constants: Sequence[str]) -> Iterator[str]:
    """What each value is worth on average, how often it is picked, and what is picked for each table by the others."""
    tables, chosen, lost = [*kept], dict[str, list[str]](), list[tuple[float, float]]()
    yield "| constant | value | picked | score | beside the default | " + " | ".join(MEASURES) + " |"
    yield "|" + "---|" * (5 + len(MEASURES))
    for constant in constants:
        default, names = CONSTANTS[constant].default, [str(value) for value in CONSTANTS[constant].values]
        labels = [label_of(constant, i) for i in range(len(names))]
        found = np.array([[kept[table][label] for label in labels] for table in tables])
        scores, picked = found.mean(axis=(2, 3)), picks(found.mean(axis=(2, 3)))
        chosen[constant] = [names[i] for i in picked]
        behind = scores.max(axis=1, keepdims=True) - scores
        lost.append((float(behind[np.arange(len(tables)), picked].mean()), float(behind[:, default].mean())))
        for i, name in enumerate(names):
            off, means = scores[:, i] - scores[:, default], found[:, i].mean(axis=(0, 1))
            noise = 2 * off.std(ddof=1) / np.sqrt(len(off)) if len(off) > 1 else float("nan")
            beside = "default" if i == default else f"{off.mean():+.4f} ± {noise:.4f}"
            times = int((picked == i).sum())
            cells = (f"{times} of {len(tables)}", f"{scores[:, i].mean():.4f}", beside, *(f"{m:.3f}" for m in means))
            yield f"| {constant} | {name} | " + " | ".join(cells) + " |"
    yield "\n| left out | " + " | ".join(constants) + " |"
    yield "|" + "---|" * (1 + len(constants))
    for t, table in enumerate(tables):
        yield f"| {table} | " + " | ".join(chosen[constant][t] for constant in constants) + " |"
    yield "| loss of the picks | " + " | ".join(f"{own:.4f}" for own, _ in lost) + " |"
    yield "| loss of the default | " + " | ".join(f"{own:.4f}" for _, own in lost) + " |"


def study(
    name: str,
    about: str | None,
    folder: Path,
    measure: Callable[[str], Any],
    lines: Callable[[dict[str, dict[str, Any]]], Iterable[str]],
) -> None:
    """The command of a study: measure the tables that were not measured, and print what is kept of all."""
    options = argparse.ArgumentParser(prog=f"python -m benchmarks.frontier.{name}", description=about)
    options.add_argument("tables", nargs="*", choices=[*ALL, []], default=[], help="all, if none is named")
    options.add_argument("--again", action="store_true", help="measure again what was measured")
    asked = options.parse_args()
    show()
    folder.mkdir(exist_ok=True)
    for table in asked.tables or ALL:
        path = folder / f"{table}.json"
        if asked.again or not path.exists():
            path.write_text(json.dumps(measure(table), indent=1) + "\n", encoding="utf-8")
    print("\n".join(lines(measured(folder))))


def measured(folder: Path = KEPT) -> dict[str, dict[str, Any]]:
    """What is kept, by table."""
    paths = {name: folder / f"{name}.json" for name in ALL}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}


def main() -> None:
    study("constants", __doc__, KEPT, measure, lambda kept: lines_of(kept, [*CONSTANTS]))


if __name__ == "__main__":
    main()
