# SPDX-License-Identifier: Apache-2.0
"""The kACTUS-2 paper's tables: areas of five methods, shares of missing cells, and whether kACTUS-2 is ahead.

The paper cuts numbers on the whole file, the test half and its classes included, takes a suppressed cell for a missing
one, and seems to test on rows as they are. So do ours for kACTUS and kACTUS-2: C4.5, PART and naive Bayes treat missing
cells as Weka's do, logistic regression gets the commonest value in their place, as Weka's does. TDS, TDR and kADET find
cuts of their own on the training half, and test rows are brought to the form of their releases, in both protocols.
Nothing is taken from the kept cells of the study in `benchmarks/results`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from benchmarks.reproduction.published import read
from benchmarks.reproduction.units import IN_WORDS, Found, Row, Unit, Why, answered, readme_table, yes_or_no
from benchmarks.trees import protocol
from benchmarks.trees.losses import NAMES, loss, published
from benchmarks.trees.protocol import DATA, OWN_TREE, PAPERS
from discreet import Roles, Table
from discreet.data.column import SUPPRESSED
from discreet.evaluate.statistics import area_under_curve, friedman
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import score_on
from discreet.learning.significance import corrected_resampled
from discreet.prepare.binning import Binning

HONEST = (
    "Honest: numbers are cut on the training half alone, and test rows are brought to the form of the release, as its"
    " recipient can. *Ours* of kACTUS and kACTUS-2: cuts from the whole file, suppressed cells as missing ones, test"
    " rows as they are. Both in 5x2 turns. That reading of the paper was chosen after the other one (test rows in the"
    " form of the release) had been seen to miss the published areas; on Adult the other one is nearer. In"
    " Table 2 the class"
    " is left out of all cells, chosen after a first look with it."
)
PAPERS_METHODS = tuple(PAPERS)
LEARNERS = {"c45": "C4.5", "part": "PART", "naive-bayes": "Naïve Bayes", "logistic": "Logistics R."}
KACTUS = ("kACTUS", "kACTUS-2")
CURVES = "curves"  # accuracy by k: the paper plots it without numbers
TURNS = 10
FOLDERS = {data: () if data == "tic_tac_toe" else (data,) for data in DATA}  # tic-tac-toe is built in
PRINTED = "trees/published.toml"
SECONDS = {"adult": 400, "waveform": 90, "german": 60, "glass": 30, "tic_tac_toe": 30}

_HIERARCHIES = "The paper's hierarchies for TDS, TDR and kADET are not told; ours are made automatically."
_LEARNERS = "Weka's learners and ours differ in how they treat missing cells, and the paper's swapping is not told."
_CELLS = (
    "The paper counts missing values among all values; ours are those of all attributes of the whole table, and which"
    " table the paper counted is not told."
)
_TDS = "TDS and TDR generalise; what the paper counts as missing in their releases is not told."
_SAME = "Our kACTUS fills up the same leaves with as many rows as kACTUS-2 does, and suppresses as many cells."
_CRITICAL = (
    "With five data sets mean ranks must differ by 2.50 (Bonferroni-Dunn); kACTUS and kACTUS-2 differ by less, in the"
    " paper's own areas too."
)
_ORDER = "Here kADET is ahead with C4.5, and kACTUS and kACTUS-2 are level within noise; see Table 1."
_ADULT = "On Adult the published figures are nearer to ours with test rows in the form of the release (honest)."
WHY = (
    Why("Table 1", _HIERARCHIES, column="T*"),
    Why("Table 1", _HIERARCHIES, column="kADET"),
    Why("Table 1", _ADULT, "Adult*"),
    Why("Table 1", _LEARNERS),
    Why("Table 2", f"{_TDS} {_HIERARCHIES}", column="T*"),
    Why("Table 2", _SAME, column="kACTUS"),
    Why("Table 2", _CELLS),
    Why("Figures 1 to 5", "5x2 divisions differ by chance, and the paper's are not told."),
    Why("Section 5.1", "Of one of the seven types of glass the file has no row.", "Glass", "classes"),
    Why("Section 5.2", _ORDER),
    Why("Section 5.3", f"{_SAME} So kACTUS-2 is never lower than all others."),
    Why("In words", _CRITICAL, "beats all*"),
    Why("In words", _ORDER),
)


def units() -> list[Unit]:
    made = [
        Unit("Section 5.1", f"Section 5.1: {name}", partial(section_5_1, name, data), {"data": data}, 5, FOLDERS[data])
        for name, data in NAMES.items()
    ]
    made += [
        Unit(
            "Table 2",
            f"Table 2: {name}",
            partial(table_2, name, data),
            {"data": data},
            SECONDS[data] / 2,
            (*FOLDERS[data], PRINTED),
        )
        for name, data in NAMES.items()
    ]
    for name, data in NAMES.items():
        for method in PAPERS_METHODS:
            given, seconds = {"data": data, "turns": TURNS}, SECONDS[data]
            if method in KACTUS:
                given["ours"] = "cuts of the whole file, test rows as they are"
            measure = partial(table_1, name, data, method)
            made.append(Unit("Table 1", f"Table 1: {name}, {method}", measure, given, seconds, FOLDERS[data]))
    return made


def quick() -> list[Unit]:
    """Tic-tac-toe, which is built in: one turn of kACTUS-2 at two k, and its losses."""
    return [
        Unit("Section 5.1", "TTT", partial(section_5_1, "TTT", "tic_tac_toe")),
        Unit("Table 1", "TTT, kACTUS-2", partial(table_1, "TTT", "tic_tac_toe", "kACTUS-2", 2, (5, 30))),
        Unit("Table 2", "TTT", partial(table_2, "TTT", "tic_tac_toe", (5, 30)), data=(PRINTED,)),
    ]


# -- what is measured -------------------------------------------------------------------------------------------------


@cache
def _loaded(data: str) -> tuple[Table, Roles, dict]:
    """A data set, and where numbers are cut when all rows have a say."""
    table, roles = protocol.loaded(data)
    return table, roles, Binning.fit(table, roles.quasi, target=str(roles.target)).cuts


def section_5_1(name: str, data: str) -> Iterator[Row]:
    table, roles, _ = _loaded(data)
    classes = table.column(str(roles.target)).levels
    for column, value in (("instances", len(table)), ("quasi-identifiers", len(roles.quasi)), ("classes", classes)):
        yield Row("Section 5.1", name, column, value)


def table_2(name: str, data: str, ks: tuple[int, ...] | None = None) -> Iterator[Row]:
    """Suppressed cells of the whole table's release, among the cells of all attributes, the class aside."""
    table, roles, _ = _loaded(data)
    for row in published():
        if row["data"] == data and (ks is None or row["k"] in ks):
            for method in ("TDS", "TDR", "kACTUS", "kACTUS-2"):
                release = PAPERS[method](row["k"]).release(table, roles)
                share = loss(release, of=len(roles.published) - 1)
                yield Row("Table 2", f"{name}, k={row['k']}", method, share, noise=0.005)


def table_1(name: str, data: str, method: str, turns: int = TURNS, ks: tuple[int, ...] | None = None) -> Iterator[Row]:
    """Areas under the learners' curves; kADET has its own tree."""
    ks = ks or DATA[data][2]
    honest = [protocol.measured(data, PAPERS[method], k, turns)["turns"] for k in ks]
    ours = honest
    if method in KACTUS:
        ours = [_turns(data, method, k, turns) for k in ks]
    for learner in (OWN_TREE,) if method == "kADET" else LEARNERS:
        said = LEARNERS.get(learner, "C4.5")
        areas = [_areas(ks, each, learner) for each in (ours, honest)]
        half = corrected_resampled(areas[0], test_share=1.0)
        yield Row("Table 1", f"{name}, {said}", method, half.mean, float(np.mean(areas[1])), half.high - half.mean)
        for k, mine, theirs in zip(ks, ours, honest, strict=True):
            means = (float(np.mean([turn[learner] for turn in each])) for each in (mine, theirs))
            yield Row(CURVES, f"{name}, {said}, {method}", f"k={k}", *means)


def _areas(ks: tuple[int, ...], found: list[list[dict]], learner: str) -> list[float]:
    """Of every turn: percent times k, as the paper has it."""
    values = np.array([[turn[learner] for turn in of_k] for of_k in found])
    return [100 * (ks[-1] - ks[0]) * area_under_curve(ks, column, log=False) for column in values.T]


def _turns(data: str, method: str, k: int, turns: int) -> list[dict]:
    """With cuts of the whole file, and test rows as they are."""
    table, roles, cuts = _loaded(data)
    target, found = str(roles.target), []
    for fold in protocol.turns(table, roles, turns):
        train, test = table.take(fold.train), table.take(fold.test)
        release = PAPERS[method](k).set_params(cuts=cuts).release(train, roles)
        found.append(_as_published(release.table, Binning(cuts).apply(test).select(release.table.names), target))
    return found


def _as_published(release: Table, test: Table, target: str) -> dict[str, float]:
    features, found = [name for name in release.names if name != target], {}
    for learner in LEARNERS:
        model = CLASSIFIERS[learner]()
        model.fit(examples_for(model, _filled(release) if learner == "logistic" else release, features, target))
        found[learner] = score_on(model, test, target).accuracy
    return found


def _filled(release: Table) -> Table:
    """Suppressed cells hold the commonest value of their column that is there."""
    cells = {}
    for column in release.columns(release.names):
        texts = np.array([*column.texts, "missing"], dtype=object)[column.codes]
        values, counts = np.unique(texts[texts != SUPPRESSED].astype(str), return_counts=True)
        if len(values):
            texts[texts == SUPPRESSED] = values[counts.argmax()]
        cells[column.name] = texts.tolist()
    return Table.of(cells)


# -- for the README ---------------------------------------------------------------------------------------------------


def blocks(found: Found) -> dict[str, Callable[[], str]]:
    return {"areas": partial(_tabled, found)}


def _tabled(found: Found) -> str:
    """Mean accuracies: areas of Table 1 divided by the range of k, published and ours under the honest protocol."""
    printed, lines = read("trees").of("Table 1"), [("data", "classifier", *PAPERS_METHODS)]
    for name, data in NAMES.items():
        ks = DATA[data][2]
        for learner in LEARNERS.values():
            row, cells = f"{name}, {learner}", []
            for method in PAPERS_METHODS:
                if method in printed[row]:
                    values = (float(printed[row][method]), found.honest("Table 1", row, method))
                    cells.append(" / ".join(f"{value / 100 / (ks[-1] - ks[0]):.3f}" for value in values))
                else:
                    cells.append("")
            lines.append((name, learner, *cells))
    return readme_table(*lines)


# -- what follows -----------------------------------------------------------------------------------------------------


def derived(found: Found) -> list[Row]:
    rows: list[Row] = []
    areas = {honest: _table(found, honest) for honest in (False, True)}
    for row, count in _counts().items():
        rows += _row("Section 5.2", row, "cases", *(partial(count, areas[honest]) for honest in (False, True)))
    for row, (data, n) in _lowest().items():
        rows += _row("Section 5.3", row, "cases", partial(_low, found, data, n))
    rows += answered("beats all at 95 %", partial(_beats, areas[False]), partial(_beats, areas[True]))
    printed = {(row, method): float(x) for row, of in read("trees").of("Table 1").items() for method, x in of.items()}
    rows.append(Row(IN_WORDS, "beats all at 95 %, by its own areas", "holds", _beats(printed)))
    for name, test in _figures().items():
        rows += answered(name, partial(test, found.ours), partial(test, found.honest))
    return rows


Areas = dict[tuple[str, str], float]


def _table(found: Found, honest: bool) -> Areas:
    value = found.honest if honest else found.ours
    return {(key.row, key.column): value(*key) for key in found.rows if key.table == "Table 1"}


def _row(table: str, row: str, column: str, *values: Callable[[], float]) -> list[Row]:
    try:
        return [Row(table, row, column, *(value() for value in values))]
    except KeyError:
        return []


def _cases() -> list[str]:
    return [f"{data}, {learner}" for data in NAMES for learner in LEARNERS.values()]


def _counts() -> dict[str, Callable[[Areas], float]]:
    def ahead(of: str, areas: Areas) -> int:
        return sum(areas[case, "kACTUS-2"] > areas[case, of] for case in _cases())

    def of_all(areas: Areas) -> int:
        others = ("TDS", "TDR", "kACTUS")
        best = {case: max(areas[case, other] for other in others) for case in _cases()}
        for data in NAMES:
            best[f"{data}, C4.5"] = max(best[f"{data}, C4.5"], areas[f"{data}, C4.5", "kADET"])
        return sum(areas[case, "kACTUS-2"] > best[case] for case in _cases())

    def less(areas: Areas) -> float:
        """Mean over the cases of the difference of mean accuracies, in points."""
        ranges = {name: DATA[data][2][-1] - DATA[data][2][0] for name, data in NAMES.items()}
        gains = [
            (areas[case, "kACTUS-2"] - areas[case, "kACTUS"]) / ranges[case.partition(",")[0]] for case in _cases()
        ]
        return float(np.mean(gains))

    found: dict[str, Callable[[Areas], float]] = {"than all others, of 20": of_all}
    found |= {f"than {of}, of 20": partial(ahead, of) for of in ("TDS", "TDR", "kACTUS")}
    found["than kADET, C4.5, of 5"] = lambda areas: sum(
        areas[f"{data}, C4.5", "kACTUS-2"] > areas[f"{data}, C4.5", "kADET"] for data in NAMES
    )
    return {**found, "error less than kACTUS's, %": less}


def _lowest() -> dict[str, tuple[str, int]]:
    names = {data: len(DATA[sample][2]) for data, sample in NAMES.items()}
    return {"lowest of all, of 32": ("", 32), **{f"{name}, of {n}": (name, n) for name, n in names.items()}}


def _low(found: Found, data: str, n: int) -> int:
    rows = {key.row for key in found.rows if key.table == "Table 2" and key.row.startswith(data)}
    if len(rows) != n:
        raise KeyError(data)
    shares = [[found.ours("Table 2", row, m) for m in ("TDS", "TDR", "kACTUS", "kACTUS-2")] for row in rows]
    return sum(mine < min(others) for *others, mine in shares)


def _beats(areas: Areas) -> str:
    """The paper's tests: C4.5 is what all five methods have in common."""
    table = [[areas[f"{data}, C4.5", method] for method in PAPERS_METHODS] for data in NAMES]
    test = friedman(np.round(table, 6))
    critical = test.critical_difference(control=True)
    behind = [rank - test.ranks[-1] for rank in test.ranks[:-1]]
    beaten = [method for method, far in zip(PAPERS_METHODS, behind, strict=False) if far >= critical]
    ranks = ", ".join(f"{method} {rank:.1f}" for method, rank in zip(PAPERS_METHODS, test.ranks, strict=True))
    words = f"p = {test.p:.2g}; mean ranks {ranks}; critical difference {critical:.2f}"
    words += f"; beaten: {', '.join(beaten) or 'none'}"
    return yes_or_no(test.p < 0.05 and len(beaten) == 4, words)


def _figures() -> dict[str, Callable]:
    """What the text says of Figures 1 to 5, all with C4.5; `value` is of ours or of the honest curves."""

    def at(value: Callable, data: str, k: int) -> dict[str, float]:
        return {m: value(CURVES, f"{data}, C4.5, {m}", f"k={k}") for m in PAPERS_METHODS}

    def shown(accuracies: dict[str, float]) -> str:
        return ", ".join(f"{method} {100 * value:.1f}" for method, value in accuracies.items())

    def adult_5(value: Callable) -> str:
        a = at(value, "Adult", 5)
        return yes_or_no(min(a["kACTUS"], a["kACTUS-2"]) > max(a["TDS"], a["TDR"], a["kADET"]) + 0.01, shown(a))

    def adult_1000(value: Callable) -> str:
        a = at(value, "Adult", 1000)
        near = abs(a["kACTUS-2"] - a["TDS"]) < 0.01
        return yes_or_no(near and a["kACTUS"] < min(a["kADET"], a["TDS"]), shown(a))

    def best(data: str, ks: tuple[int, ...], last: str | None, value: Callable) -> str:
        found = [at(value, data, k) for k in ks]
        first = all(max(a, key=a.__getitem__) == "kACTUS-2" for a in found)
        behind = last is None or all(min(a, key=a.__getitem__) == last for a in found)
        return yes_or_no(first and behind, f"at k = {ks[0]}: {shown(found[0])}")

    def german_100(value: Callable) -> str:
        a = at(value, "German Credit", 100)
        two = sorted(a, key=a.__getitem__)[-2:]
        return yes_or_no(set(two) == {"kACTUS-2", "kADET"} and abs(a["kACTUS-2"] - a["kADET"]) < 0.01, shown(a))

    def glass(value: Callable) -> str:
        found = [at(value, "Glass", k) for k in (5, 10, 15)]
        return yes_or_no(all(max(a, key=a.__getitem__) == "kADET" for a in found), f"at k = 5: {shown(found[0])}")

    def flat(value: Callable) -> str:
        ends = [value(CURVES, "Waveform, C4.5, kACTUS-2", f"k={k}") for k in (5, 50)]
        return yes_or_no(abs(ends[0] - ends[1]) < 0.03, f"{100 * ends[0]:.1f} at k = 5, {100 * ends[1]:.1f} at k = 50")

    def order(value: Callable) -> str:
        areas = {m: value("Table 1", "Waveform, C4.5", m) for m in PAPERS_METHODS}
        first = sorted(areas, key=areas.__getitem__, reverse=True)
        return yes_or_no(first[:2] == ["kACTUS-2", "kACTUS"], f"by area {', '.join(first)}")

    return {
        "Adult at k = 5": adult_5,
        "Adult at k = 1000": adult_1000,
        "German at k = 5": partial(best, "German Credit", (5,), None),
        "German at k = 100": german_100,
        "TTT up to k = 20": partial(best, "TTT", (5, 10, 15, 20), "TDR"),
        "Glass up to k = 15": glass,
        "Waveform is flat": flat,
        "Waveform, order": order,
    }
