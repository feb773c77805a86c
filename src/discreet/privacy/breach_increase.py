# SPDX-License-Identifier: Apache-2.0
"""Breach increase: the published attributes do not predict a sensitive attribute better than all attributes do.

Paper: Y. Jafer, S. Matwin, M. Sokolova, "A Multi-dimensional Privacy-aware Evaluation Function in Automatic Feature
Selection", Definitions 1 and 2. PBI(S) = Acc(S)/Acc(BL) - 1 must be at most alpha; measured in predictability.py.

It compares the published attributes S with all attributes BL that could have been published, which only the owner has,
so the verdict's kind is "owner". It is an empirical measure of these classifiers on these rows; another attacker may do
better. If the class is itself the sensitive attribute (C = SA), PBI is performance on another scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

from discreet.counting.tally import is_engine
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, RolesError, Setting, did_you_mean, shown
from discreet.privacy.predictability import ATTACKERS, Breach, Inference, check_cuts, cuts_of
from discreet.privacy.promise import Interval, Promise, StrOptions, Verdict, VerdictKind, table_and_roles

EMPIRICAL = (
    "An empirical measure, not a guarantee: so much these attackers got right of these rows; another attacker may get"
    " more right."
)
SAME = (
    "The target is itself the sensitive attribute: the breach increase is the classifier's performance on another"
    " scale. What serves the recipient serves the attacker, and the two cannot be traded."
)
BELOW = (
    "With all the attributes the attackers are right less often than the commonest value is: the breach increase"
    " compares with less than a guess and limits nothing. Look at the advantage, or take stronger attackers."
)
_TINY = 1e-6  # rows, tolerance for rounding alpha times a count


@dataclass(frozen=True)
class BreachIncrease(Promise):
    """The strongest attacker is right about a sensitive attribute at most (1 + alpha) times as often as with all
    attributes; with alpha="majority", at most as often as guessing the commonest value.

    `cuts` are the cut points of sensitive numbers, by column: the attacker then has to guess the interval.

    Promise
    -------
    Covers these attackers only, each tested by cross-validation on rows that it did not learn from. Each sensitive
    column is measured by itself, and the attacker knows a person's published quasi-identifiers and nothing else.

    >>> rows = {"job": ["nurse", "smith"] * 10, "sex": ["f", "m", "m", "m"] * 5, "ill": ["flu", "gout"] * 10}
    >>> private, published = Table.of(rows).select(["job", "sex"]), Table.of(rows).select(["sex", "ill"])
    >>> promise = BreachIncrease(-0.2, attackers=("c45", "naive-bayes"), folds=5)
    >>> promise.check_with_source(published, Roles(quasi=["sex"], sensitive=["ill"]), private).sentence()
    'breach increase of at most -20 % holds: -0.2 required, -0.25 measured.'
    """

    name: ClassVar[str] = "breach increase"
    kind: ClassVar[VerdictKind] = "owner"
    higher_is_safer: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = (
        "The kept attributes are published as they are: a person who is unique in them can be linked, and whoever is"
        " linked has the sensitive value published beside them. A breach increase below 0 may still be far above what"
        " guessing the commonest value gives; see the advantage. Attackers who know the label or other columns too, or"
        " learn better than these, may infer more."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, -1, None, closed="left"), StrOptions({"majority"})],
        "attackers": [tuple],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "cuts": [dict, None],
    }

    alpha: float | str = 0.0
    attackers: tuple[str, ...] = ATTACKERS
    folds: int = 10
    cuts: Mapping[str, Sequence[float]] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.attackers, list):
            object.__setattr__(self, "attackers", tuple(self.attackers))
        super().__post_init__()
        from discreet.learning.classifiers import CLASSIFIERS  # imported late: other promises need no learner

        unknown = [name for name in self.attackers if name not in CLASSIFIERS]
        if unknown or not self.attackers:
            hint = did_you_mean(str(unknown[0]), CLASSIFIERS) if unknown else ""
            raise ParameterError(Setting("attackers"), f" must be one or more of {', '.join(CLASSIFIERS)}.{hint}")

    def __str__(self) -> str:
        if isinstance(self.alpha, str):
            return "breach increase of at most that of the commonest value"
        return f"breach increase of at most {100 * self.alpha:g} %"

    @property
    def needs_source(self) -> bool:
        return True

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        raise DataError(
            "A breach increase compares the published attributes with all attributes, which only the owner has: use"
            " check_with_source(published, roles, private), or verify with the owner's folder."
        )

    def check_with_source(self, data: Any, roles: Roles | None, source: Table) -> Verdict:
        """Measure the promise on published rows; `source` has all attributes of the same rows, in the same order."""
        data, roles = table_and_roles(data, roles)
        if is_engine(data):
            raise DataError("A breach increase can be measured only on rows in memory.")
        if not roles.sensitive:
            raise RolesError(
                "A breach increase needs a sensitive column, the one an attacker is after. None was named; it may be"
                " the target."
            )
        check_cuts(self.cuts, roles.sensitive)
        _same_rows(data, roles, source)
        persons = None if roles.person is None else data.column(roles.person).codes
        verdicts = {}
        for name in (name for name in data.names if name in roles.sensitive):  # the order of roles read from a file
            rows = source.with_columns([data.column(name)])
            attack = self.inference(rows, source.names, name, persons)
            verdicts[name] = self.verdict(attack.of(roles.quasi), is_target=name == roles.target)
        return next(iter(verdicts.values())) if len(verdicts) == 1 else _joined(str(self), verdicts)

    def inference(self, table: Table, attributes: Sequence[str], sensitive: str, persons: Any = None) -> Inference:
        """The attackers of one sensitive attribute that the promise covers."""
        return Inference(
            table,
            attributes,
            sensitive,
            attackers=self.attackers,
            folds=self.folds,
            persons=persons,
            cuts=cuts_of(self.cuts, sensitive),
        )

    def verdict(self, breach: Breach, *, is_target: bool = False) -> Verdict:
        """The verdict on a measured breach."""
        most = breach.majority if isinstance(self.alpha, str) else (1 + self.alpha) * breach.baseline_right
        over = breach.right - most
        return Verdict(
            promise=str(self),
            holds=over <= _TINY,
            required=breach.dist_pbi if isinstance(self.alpha, str) else float(self.alpha),
            measured=breach.pbi,
            rows=breach.rows,
            rows_short=max(math.ceil(over - _TINY), 0),
            kind="owner",
            details=_details(breach),
            notes=(
                _strongest(breach),
                EMPIRICAL,
                *([SAME] if is_target else []),
                *([BELOW] if breach.dist_pbi > 0 else []),
            ),
        )


def _details(breach: Breach) -> dict[str, float]:
    return {
        "breach increase, 95 % from": breach.pbi_interval[0],
        "breach increase, 95 % to": breach.pbi_interval[1],
        "breach increase of the commonest value": breach.dist_pbi,
        "attacker's accuracy": breach.accuracy,
        "attacker's accuracy with all attributes": breach.baseline,
        "share of the commonest value": breach.majority_share,
        "advantage over the commonest value": breach.advantage,
        "advantage, 95 % from": breach.advantage_interval[0],
        "advantage, 95 % to": breach.advantage_interval[1],
    }


def _strongest(breach: Breach) -> str:
    def percent(*shares: float) -> str:
        return " to ".join(f"{100 * share:.1f}" for share in shares)

    return (
        f"The strongest attacker of {shown(breach.sensitive)}, {breach.attacker!r}, is right in"
        f" {percent(breach.accuracy)} % of the rows; with all attributes {breach.baseline_attacker!r} in"
        f" {percent(breach.baseline)} %; whoever guesses the commonest value in {percent(breach.majority_share)} %."
        f" Breach increase {percent(breach.pbi)} % (95 %: {percent(*breach.pbi_interval)}), advantage over the"
        f" commonest value {percent(breach.advantage)} points ({percent(*breach.advantage_interval)})."
    )


def _joined(promise: str, verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict on several sensitive columns: that of the worst, with one part per column."""
    parts = [replace(verdict, promise=f"{promise} of {shown(name)}") for name, verdict in verdicts.items()]
    worst = max(parts, key=lambda verdict: verdict.measured - verdict.required)
    return Verdict(
        promise=promise,
        holds=all(verdict.holds for verdict in parts),
        required=worst.required,
        measured=worst.measured,
        rows=worst.rows,
        rows_short=worst.rows_short,
        kind="owner",
        notes=tuple(dict.fromkeys(note for verdict in parts for note in verdict.notes)),
        parts=tuple(parts),
    )


def _same_rows(data: Table, roles: Roles, source: Table) -> None:
    """DataError unless the published attributes equal the owner's, cell by cell."""
    if len(source) != len(data):
        raise DataError(f"The owner has {len(source)} rows, but {len(data)} are published.")
    for name in roles.quasi:
        if name not in source:
            raise DataError(f"The published column {shown(name)} is not among the owner's attributes.")
        mine, theirs = source.column(name), data.column(name)
        if mine.texts != theirs.texts or (mine.codes != theirs.codes).any():
            raise DataError(f"The published column {shown(name)} differs from the owner's.")
