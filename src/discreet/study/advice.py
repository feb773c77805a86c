# SPDX-License-Identifier: Apache-2.0
"""Which method for my data: the questions of the decision guide, and what follows from the answers.

`advise` is the guide of docs/how-to/choose-a-method.md as code. It looks at no cell: a `Situation` holds what was
answered and counted. Figures come from the frontier (advice_figures.py), so that a reason can be measured again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from discreet.methods import guide_of, parameters_of
from discreet.study.advice_figures import (
    items_in_words,
    others_ahead,
    synthetic_in_words,
    table_in_words,
)

WANTS = {
    "classifier": "learn to predict the label",
    "questions": "ask questions that nobody knows yet: counts, averages, models of other columns",
    "model": "a finished classifier, and no rows",
    "columns": "know which columns or items matter, and no rows",
    "similar": "compare records: neighbours, clusters",
}
CELLS = {
    "coarser": "ranges and sets, such as [40, 60)",
    "true": "as they were, or blank",
    "hierarchies": "the levels of hierarchies that you have",
    "wrong": "0/1 cells, some of them wrong",
}
SHAPES = {"table": "a table, a row for each person", "baskets": "rows of items", "texts": "texts, one on a line"}
TRIED_ROWS = 20_000  # a release of more rows is not tried
SMALL = 20  # times k: with fewer rows than that, hardly anything is left


@dataclass(frozen=True)
class Situation:
    """The answers: what recipients want, who may know what, what the data are, and how large.

    known_items   items of a person that an outsider knows at most; None for any number
    formal        whether a formal guarantee is needed, which holds against everybody
    again         whether the same people will be released again
    large         whether the rows outgrow memory
    free_text     columns of free text, which no method publishes
    """

    shape: str = "table"
    wants: str = "classifier"
    cells: str = "coarser"
    label_known: bool = False
    formal: bool = False
    again: bool = False
    known_items: int | None = None
    rows: int = 0
    width: int = 0
    has_target: bool = True
    has_sensitive: bool = False
    has_persons: bool = False
    large: bool = False
    free_text: tuple[str, ...] = ()
    k: int = 5
    epsilon: float = 1.0


@dataclass(frozen=True)
class AdvisedMethod:
    """A method that suits the situation: its parameters, the reasons, what speaks against it, what to do first."""

    method: str
    parameters: dict[str, Any]
    reasons: tuple[str, ...]
    against: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    @property
    def is_private(self) -> bool:
        return "epsilon" in self.parameters

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"promise": guide_of(self.method).promise, "page": _page(self.method)}


@dataclass(frozen=True)
class Advice:
    """The candidates, the best first, and what holds of all of them."""

    situation: Situation
    candidates: tuple[AdvisedMethod, ...]
    mind: tuple[str, ...] = field(default=())


def advise(situation: Situation) -> Advice:
    """What follows from the answers.

    >>> advice = advise(Situation(rows=30_000, width=9))
    >>> [one.method for one in advice.candidates]
    ['tree-ladder', 'tds', 'mondrian']
    >>> advise(Situation(shape="baskets", known_items=2, rows=900, width=300)).candidates[0].parameters
    {'k': 5, 'm': 2}
    """
    rules = _of_items if situation.shape != "table" else _of_tables
    first: dict[str, AdvisedMethod] = {}
    for one in rules(situation):
        first.setdefault(one.method, _completed(one, situation))
    return Advice(situation, tuple(first.values()), tuple(_mind(situation)))


# -- tables ----------------------------------------------------------------------------------------------------------


def _of_tables(now: Situation) -> Iterator[AdvisedMethod]:
    """The rules for tables, the best first."""
    k = {"k": now.k}
    if now.formal:
        yield from _private(now)
        return
    if now.wants == "columns":
        yield _weights(now, "Recipients need names and weights of columns; no row is published.")
        return
    if now.wants == "model":
        reason = "Recipients need a classifier: a decision tree is published, and no row."
        against = "A tree answers one question only, and its leaves show their classes. It cannot be learnt from anew."
        yield AdvisedMethod("kadet", k, (reason,), (against,))
        return
    if now.wants == "similar":
        reason = "Neighbours need many columns at once, and median cuts keep most of all of them together."
        yield AdvisedMethod("mondrian", k, (reason,), ("Sketches, which keep similarities, are for rows of items.",))
        return
    if now.cells == "true" and now.has_target:
        reason = "A cell is published as it was, or blank: nothing is rewritten, so nothing has to be explained."
        yield AdvisedMethod("kactus2", k, (reason,), ("Most cells are blank: see the figures.",))
    if now.cells == "hierarchies":
        reason = "Labels are levels of your hierarchies, which recipients know."
        hint = "Name yours by the parameter hierarchies; for a column without one, ranges and groups are found."
        target = now.has_target
        yield AdvisedMethod(
            "tds" if target else "mondrian", k | ({} if target else {"labels": "hierarchy"}), (reason, hint)
        )
    if now.wants == "classifier" and now.has_target:
        reason = (
            "A classifier is to be learnt: its groups follow the label, and cells stay as fine as the promise allows."
        )
        yield AdvisedMethod("tree-ladder", k, (reason,))
        yield AdvisedMethod("tds", k, ("The same aim, with one coding for all rows that is easier to explain.",))
    reason = "The label has no say in it, so what is kept serves questions that nobody has asked yet."
    yield AdvisedMethod("mondrian", k, (reason,))


def _private(now: Situation) -> Iterator[AdvisedMethod]:
    """Under a formal guarantee: synthetic rows, or weights of columns."""
    if now.wants in ("columns", "model") or not now.has_target:
        if now.has_target:
            yield _weights(
                now, "The promise holds against everybody, whatever they know; weights cost the least noise."
            )
        return
    reasons = (
        "The promise holds against everybody, whatever they know: rows are made up from noisy counts.",
        *synthetic_in_words(now.epsilon),
    )
    against = ["No published row is a person's, so nobody can be followed up, and rare combinations are noise."]
    if now.rows < 2000:
        against.append(f"Noise does not shrink with the table, and {now.rows:,} rows are few.")
    first = (
        "Write domain.toml: for each published column its values or cuts, from a code book, not from the rows, such"
        ' as  sex = ["f", "m"]  and  age = {cuts = [40, 65]}',
    )
    yield AdvisedMethod(
        "private-table", {"epsilon": now.epsilon, "domain": "domain.toml"}, reasons, tuple(against), first
    )


def _weights(now: Situation, reason: str) -> AdvisedMethod:
    against = "Nobody can learn from it: only weights are published."
    return AdvisedMethod("private-fwell", {"epsilon": now.epsilon}, (reason,), (against,))


# -- items and texts -------------------------------------------------------------------------------------------------


def _of_items(now: Situation) -> Iterator[AdvisedMethod]:
    """The rules for baskets and texts, the best first."""
    k = {"k": now.k}
    what = "words" if now.shape == "texts" else "items"
    if now.formal or now.wants in ("columns", "model"):
        reason = f"The names of the {what} that tell the label best are published, under differential privacy."
        against = "No rows are published: there is no method for rows of items under differential privacy."
        yield AdvisedMethod("exponential-select", {"epsilon": now.epsilon}, (reason,), (against,))
        return
    if now.wants == "similar":
        reason = "Distances and averages can be estimated from sketches; no item of a record is published."
        against = "Whoever has the key, or knows many records, learns more: read the page of its promise."
        yield AdvisedMethod("delta-sketch", {}, (reason,), (against,))
        return
    if now.known_items is not None:
        reason = f"Outsiders know at most {now.known_items} {what} of a person, so more can be kept than against all."
        against = f"Somebody who knows {now.known_items + 1} is not covered, and absent {what} are not either."
        yield AdvisedMethod("km", k | {"m": now.known_items}, (reason,), (against,))
        return
    if now.cells == "wrong":
        reason = "Cells are flipped by chance until k persons are equal: most items stay, and absences are covered."
        yield AdvisedMethod("random-flip", k, (reason,), ("Some cells are wrong, and nobody can tell which.",))
    elif now.wants == "classifier" and now.cells != "true" and not now.label_known:
        reason = f"Most single {what} are too rare to be published; groups of them are not."
        vague = f"A recipient reads that a person has one of many {what}, not which one."
        absent = f"It covers {what} that a person has; somebody who knows which are absent may be left with fewer."
        yield AdvisedMethod("item-groups", k, (reason, *items_in_words()), (vague, absent))
    if now.wants == "classifier":
        few = f"Single {what} are published as they are, so few are left where most are rare."
        yield AdvisedMethod("optimal", k, (f"It keeps the {what} that tell the label best, one by one.",), (few,))
        absent = f"It also covers outsiders who know one of the {what} that a person does not have."
        kept = f"It keeps fewer {what} than the methods that leave absences open."
        yield AdvisedMethod("greedy", k | {"absences": 1}, (absent,), (kept,))
    else:
        reason = f"It keeps as many {what} as possible, whatever the label."
        open_ = f"It covers {what} that a person has; somebody who knows which are absent may be left with fewer."
        yield AdvisedMethod("maximal", k, (reason,), (open_,))


# -- what holds of every method --------------------------------------------------------------------------------------


def _completed(one: AdvisedMethod, now: Situation) -> AdvisedMethod:
    """The candidate with what every method is asked: sensitive values, a known label, its figures."""
    takes = parameters_of(one.method)
    parameters, reasons, against = dict(one.parameters), [*one.reasons], [*one.against]
    if now.has_sensitive and "l" in takes and one.method != "kadet":
        parameters["l"] = 2
        reasons.append("l = 2: no group of persons shares one sensitive value.")
    if now.label_known and "label_known" in takes and "epsilon" not in takes:
        parameters["label_known"] = True
        reasons.append("label_known: k persons are left also to somebody who knows the label.")
    elif now.label_known and "epsilon" not in takes:
        against.append(
            "It does not cover a known label: somebody who knows the label too may be left with fewer persons."
        )
    elif not now.label_known and "k" in takes and now.has_target:
        against.append("Somebody who knows a person's label too may be left with fewer than k persons.")
    if now.shape == "table":
        reasons += table_in_words(one.method, parameters, rows=now.rows, k=now.k)
        against += others_ahead(one.method, parameters, rows=now.rows, k=now.k)
    return AdvisedMethod(one.method, parameters, tuple(reasons), tuple(against), one.first)


def _mind(now: Situation) -> Iterator[str]:
    """What holds whatever method is taken."""
    if now.rows < SMALL * now.k and not now.formal and now.rows:
        yield f"{now.rows:,} rows are few for k = {now.k}: at most {now.rows // now.k} groups are left."
    if now.again:
        yield (
            "Releases of the same people add up. Only differential privacy says by how much; of any other kind publish"
            " one release, or try all of them together with discreet attack. The ledger keeps the account."
        )
    if not now.formal and now.wants not in ("columns",) and now.shape == "table":
        yield "The promise covers the columns that you call quasi-identifiers, and nobody who knows another one."
    if now.free_text:
        yield (
            f"{len(now.free_text)} of the columns hold free text, which no method publishes. To release its words,"
            " write them one text on a line and advise on that file: see Start, texts."
        )


def _page(method: str) -> str:
    from discreet.methods import METHODS

    return f"docs/methods/{METHODS[method].__module__.rpartition('.')[2]}.md"
