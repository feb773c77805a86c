# SPDX-License-Identifier: Apache-2.0
"""The paper's protocol on Pima: C4.5 as recipient and attacker, ten folds by Weka's own rule from seed 1.

The paper does not say how preg, a number, becomes a class to predict. Cut where Weka's supervised Discretize cuts it
(MDL against the class, at 6.5) all but three of its figures come out, so it is done so here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.choice.protocol import published as published_choice
from benchmarks.learning.parity import load
from benchmarks.learning.weka import folds
from discreet.data.table import Table
from discreet.learning.subset_scores import SubsetScores
from discreet.methods.breach.breach_aware_measures import Measures
from discreet.prepare.binning import Binning
from discreet.privacy.predictability import Inference

HERE = Path(__file__).parent
SENSITIVE = "preg"


def published() -> dict[str, Any]:
    """The worked example, the wrapper, and the best subsets by data set and learner."""
    tables = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))["tables"]
    (text,) = (block["rows"] for block in tables if block["table"] == "Section 4.3")
    worked: dict[str, Any] = {"baseline": text["baseline, Perf"][0]}
    worked |= {name: text[name][0].split() for name in ("PerfR", "PrivR")}
    worked["subsets"] = {}
    for block in tables[:2]:  # Tables 1 and 2
        for name, values in block["rows"].items():
            row = dict(zip(("perf", "p", "pbi"), values, strict=True)) | {"attributes": name[2:].split("_")}
            worked["subsets"][name[0]] = {key: value for key, value in row.items() if value != ""}
    wrapper = {"attributes": text["wrapper"][0].split()}
    wrapper |= {"perf": text["wrapper, Perf"][0], "pbi": text["wrapper, PBI"][0]}
    best: dict[str, dict[str, list[dict]]] = {"pima": {"c45": _figure_9()}}
    for block in tables:
        for weights, values in block["rows"].items() if "learner" in block else ():
            row = {"weights": [float(Fraction(w)) for w in weights.split()], "attributes": values[0].split()}
            best.setdefault(block["data"], {}).setdefault(block["learner"], []).append(row)
    return {"worked": worked, "wrapper": wrapper, "best": best}


def _figure_9() -> list[dict]:
    """Pima, C4.5: printed with E(S), so in ../choice; there 0.333 stands for a third."""
    cases = published_choice()["pima_c45"]["cases"]
    thirds = [[1 / 3 if w == 0.333 else w for w in case["weights"]] for case in cases]
    return [{"weights": w, "attributes": case["best"].split("_")} for w, case in zip(thirds, cases, strict=True)]


@dataclass(frozen=True)
class Pima:
    """The table, its attributes without the sensitive one, and what is measured of their subsets."""

    table: Table
    attributes: tuple[str, ...]
    target: str
    measures: Measures
    attack: Inference


def pima(learner: str = "c45") -> Pima:
    """The worked example: C is the diagnosis, SA is preg, alpha that of the bare guess."""
    table, features, target = load("pima")
    attributes = tuple(name for name in features if name != SENSITIVE)
    cut = Binning.fit(table, [SENSITIVE], target=target).cuts[SENSITIVE]
    classes = Binning({SENSITIVE: cut}).apply(table)
    attack = Inference(
        table,
        attributes,
        SENSITIVE,
        attackers=(learner,),
        folds=folds(classes.column(SENSITIVE).codes, 10, 1),
        cuts=cut,
    )
    performance = SubsetScores(table, attributes, target, folds(table.column(target).codes, 10, 1), learner)
    return Pima(table, attributes, target, Measures(performance, [attack], "majority"), attack)


def same_class() -> tuple[Table, tuple[str, ...], SubsetScores]:
    """C = SA: all eight attributes, the diagnosis is what recipient and attacker are after."""
    table, features, target = load("pima")
    return table, tuple(features), SubsetScores(table, features, target, folds(table.column(target).codes, 10, 1))


def mean_of_folds(scores: SubsetScores, subset: tuple[str, ...]) -> float:
    """Percent, as Table 4 has it: the mean of the folds, where the worked example has the share of all rows."""
    return 100 * float(scores.of(subset).of_folds.mean())


def measures_of(scores: SubsetScores) -> Measures:
    """C = SA as measures: the recipient is the attacker."""
    table, features, target = load("pima")
    divided = folds(table.column(target).codes, 10, 1)
    attack = Inference(table, features, target, attackers=(scores.learner,), folds=divided)
    return Measures(scores, [attack], 1.0)
