# SPDX-License-Identifier: Apache-2.0
"""The breach paper's figures that are measured on data: its worked example, Table 4, and the subsets that E(S) chooses.

Folds are Weka's own from seed 1, as in the worked example, where nearly all figures come out with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from benchmarks.breach import protocol, study
from benchmarks.breach.wrapper import Wrapper, best_first
from benchmarks.choice.protocol import published as published_choice
from benchmarks.learning.parity import load
from benchmarks.learning.weka import folds
from benchmarks.reproduction.published import read
from benchmarks.reproduction.units import IN_WORDS, Found, Row, Unit, Why, yes_or_no
from discreet import BreachAwareSelector, Roles, Table
from discreet.choose.e_score import evaluation
from discreet.learning.cross_validation import kfold
from discreet.learning.subset_scores import SubsetScores
from discreet.methods.breach.breach_aware_measures import Measures
from discreet.methods.breach.breach_aware_rankings import region
from discreet.privacy.predictability import Inference
from discreet.samples import clinic

HONEST = (
    "Honest: the same subsets on another division into folds, which shows what the luck of one division is worth."
    " Selection nested in the training folds is in `benchmarks/breach/README.md`."
)
_CARRIED = "On all ten folds the trees are single leaves, as F's are; the printed -3.08 is H's, probably carried down."
_LAST = 0.0051  # the paper cuts off some figures and rounds others: one in the last digit, with the rounding
_CHOICE = (
    "The values behind the choice are not printed; among our candidates, on Weka's folds, another subset is ahead."
)
_E = "E(S) is a sum of ranks among all candidates, and our candidates are not all the paper's."
_DIABETES = "The paper does not say which of the 47 columns it kept when it dropped records with missing values."
WHY = (
    Why("Table 2", _CARRIED, "[IJK]*", "PBI"),
    Why("Section 4.3", "H is listed, but its 73.57 is below the baseline's 73.70: it lies in region III.", "ideal*"),
    Why("Figure 1[34]", _DIABETES),
    Why("*", _E, column="E(S)"),
    Why("*", _CHOICE, column="best subset"),
    Why("*", _CHOICE, column="second best"),
    Why("*", _CHOICE, column="lowest"),
)
PRINTED, OTHERS = "breach/published.toml", "choice/published.toml"
PIMA = ("pima", PRINTED)
LEARNERS = {"c45": "C4.5", "naive-bayes": "naive Bayes"}
SECONDS = {"adult": 300, "diabetes130": 3000}


def units() -> list[Unit]:
    given = {"folds": "Weka's ten, seed 1"}
    made = [
        Unit("Table 1", "Table 1: Pima, C4.5", partial(worked, "Table 1"), given, 20, PIMA),
        Unit("Table 2", "Table 2: Pima, C4.5", partial(worked, "Table 2"), given, 20, PIMA),
        Unit("Section 4.3", "Section 4.3: Pima, C4.5", section_4_3, given, 60, (*PIMA, OTHERS)),
        Unit("Table 4", "Table 4: Pima, C4.5, accuracy and breach increase", table_4, given, 20, (*PIMA, OTHERS)),
    ]
    for table, data, learner in _choices():
        name = f"{table}: {data}, {LEARNERS[learner]}"
        measure = partial(chosen, table, data, learner)
        made.append(Unit(table, name, measure, given, SECONDS.get(data, 30), (data, PRINTED)))
    return made


def quick() -> list[Unit]:
    """The search by E(S) on made-up patients."""
    return [Unit("Table 7", "made-up patients", _made_up)]


def derived(found: Found) -> list[Row]:
    rows = []
    if "Section 4.3" in {key.table for key in found.rows}:
        value = partial(found.ours, "Section 4.3", column="value")
        perf, pbi, alpha = (value(row=name) for name in ("wrapper, Perf", "wrapper, PBI", "DistP_PBI"))
        e = found.ours("Table 1", "E plas_mass", "Perf") if _has(found, "Table 1") else float("nan")
        words = f"{perf:.2f} for {e:.2f} %, PBI {pbi:.2f} %, alpha {alpha:.2f} %"
        rows.append(Row(IN_WORDS, "the wrapper breaks alpha", "holds", yes_or_no(perf > e and pbi > alpha, words)))
    if _has(found, "Table 2"):
        name = "x skin_insu_pres_mass_pedi"
        perf, p = found.ours("Table 2", name, "Perf"), found.ours("Table 2", name, "p-value")
        rows.append(Row(IN_WORDS, "removing plas is worse", "holds", yes_or_no(p < 0.05, f"{perf:.2f} %, p = {p:.4f}")))
    return rows


def _has(found: Found, table: str) -> bool:
    return any(key.table == table for key in found.rows)


# -- the worked example -----------------------------------------------------------------------------------------------


@cache
def _pima() -> protocol.Pima:
    return protocol.pima()


@cache
def _apart() -> Measures:
    """The same with folds by content."""
    table, roles = study.load("pima")
    method = BreachAwareSelector("majority", cuts={"preg": study.SETS["pima"].cuts})
    return study.measured(method, table, roles)


def worked(table: str) -> Iterator[Row]:
    pima, apart = _pima(), _apart()
    for name in read("breach").of(table):
        subset = tuple(each for each in pima.attributes if each in name[2:].split("_"))
        ours, other = pima.measures.of(subset), apart.of(tuple(each for each in apart.attributes if each in subset))
        yield Row(table, name, "Perf", 100 * ours.performance, 100 * other.performance, _LAST)
        yield Row(table, name, "p-value", ours.p_value, other.p_value, 0.0005)
        yield Row(table, name, "PBI", 100 * ours.pbi, 100 * other.pbi, _LAST)


def section_4_3() -> Iterator[Row]:
    pima, apart = _pima(), _apart()
    found = BreachAwareSelector("majority", enforce="filter").search_with(pima.measures)
    assert found.rankings is not None
    base, row = found.baseline, partial(Row, "Section 4.3")
    yield row("baseline, Perf", "value", 100 * base.performance, 100 * apart.baseline.performance, _LAST)
    yield row("PerfR", "value", " ".join(found.rankings.performance))
    yield row("PrivR", "value", " ".join(found.rankings.privacy))
    subsets = protocol.published()["worked"]["subsets"]
    places = {
        letter: region(pima.measures.of(tuple(a for a in pima.attributes if a in each["attributes"])), base)
        for letter, each in subsets.items()
    }
    yield row(
        "ideal subsets (region IV)", "value", " ".join(x for x in sorted(places) if places[x] == "IV" and x != "x")
    )
    kept = best_first(Wrapper(pima.table, pima.attributes, pima.target), pima.attributes)
    subset = tuple(name for name in pima.attributes if name in kept)
    ours, other = pima.measures.of(subset), apart.of(tuple(name for name in apart.attributes if name in kept))
    yield row("wrapper", "value", " ".join(sorted(subset)))
    yield row("wrapper, Perf", "value", 100 * ours.performance, 100 * other.performance, _LAST)
    yield row("wrapper, PBI", "value", 100 * ours.pbi, 100 * other.pbi, _LAST)
    yield row("records", "value", len(pima.table))
    yield row("DistP_PBI", "value", 100 * pima.measures.dist_pbi, 100 * apart.dist_pbi)


def table_4() -> Iterator[Row]:
    table, features, scores = protocol.same_class()
    *_, target = load("pima")
    other = SubsetScores(table, features, target, kfold(len(table), 10, labels=table.column(target).codes))
    base, other_base = (protocol.mean_of_folds(each, features) for each in (scores, other))
    for row in published_choice()["pima_c45"]["candidates"]:
        names = features if row["name"] == "baseline" else tuple(row["name"].split("_"))
        perf, honest = (protocol.mean_of_folds(each, names) for each in (scores, other))
        yield Row("Table 4", row["name"], "Num", len(names))
        yield Row("Table 4", row["name"], "PBI", 100 * (perf / base - 1), 100 * (honest / other_base - 1), 0.0006)
        yield Row("Table 4", row["name"], "Perf", perf, honest, 0.0006)


# -- which subset E(S) chooses ----------------------------------------------------------------------------------------


def _choices() -> list[tuple[str, str, str]]:
    tables = {("adult", "c45"): "Table 7", ("pima", "naive-bayes"): "Figure 10", ("adult", "naive-bayes"): "Figure 12"}
    tables |= {("diabetes130", "c45"): "Figure 13", ("diabetes130", "naive-bayes"): "Figure 14"}
    tables |= {("ilpd", "c45"): "Figure 15", ("ilpd", "naive-bayes"): "Figure 16"}
    return [(table, *key) for key, table in tables.items()]


def chosen(table: str, data: str, learner: str) -> Iterator[Row]:
    rows, roles = study.load(data, same=True)
    yield from _chosen(table, rows, roles, learner, read("breach").of(table))


def _chosen(table: str, rows: Table, roles: Roles, learner: str, printed: dict) -> Iterator[Row]:
    """C = SA: the recipient is the attacker, and the weights alone decide."""
    target = str(roles.target)
    divided = folds(rows.column(target).codes, 10, 1)
    scores = SubsetScores(rows, roles.quasi, target, divided, learner)
    attack = Inference(rows, roles.quasi, target, attackers=(learner,), folds=divided, scores={learner: scores})
    measures = Measures(scores, [attack], 9.0)
    found = BreachAwareSelector(9.0, learner=learner).search_with(measures).candidates
    values = ([c.performance for c in found], [c.pbi for c in found], [c.size for c in found])
    for name, columns in printed.items():
        weights = [float(eval_fraction(w)) for w in name.split()]
        judged = evaluation(*values, weights)
        places = {"best subset": judged.order[0], "second best": judged.order[1], "lowest": judged.order[-1]}
        for column in columns:
            if column == "E(S)":
                yield Row(table, name, column, judged.scores[judged.order[0]])
            else:
                yield Row(table, name, column, _same_order(found[places[column]].attributes, columns[column]))


def eval_fraction(text: str) -> float:
    """1/3 or 0.25.

    >>> eval_fraction("0.25")
    0.25
    """
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def _same_order(attributes: tuple[str, ...], printed: str) -> str:
    """The subset as it is printed when it is the same, else in the order of the table."""
    return printed if set(attributes) == set(printed.split()) else " ".join(attributes)


def _made_up() -> Iterator[Row]:
    sample = clinic(rows=400, random_state=0)
    assert isinstance(sample.data, Table)
    quasi = ["age", "sex", "marital"]
    roles = Roles(target="readmitted", quasi=quasi, sensitive=["readmitted"])
    printed = {"0.6 0.2 0.2": {"best subset": "", "E(S)": ""}, "0.1 0.8 0.1": {"best subset": ""}}
    yield from _chosen("Table 7", sample.data, roles, "naive-bayes", printed)
