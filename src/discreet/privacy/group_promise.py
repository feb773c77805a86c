# SPDX-License-Identifier: Apache-2.0
"""The promise of a method that groups rows, by its parameters: k persons, and what a group needs beyond that.

The parameters, the same for every method that groups rows:

l            how many values of each sensitive column every group has at least; None for no such need
diversity    how values are counted: "distinct" takes each as one; "entropy" takes exp(entropy), the number of equally
             common values; "recursive" asks r1 < c (r_l + ... + r_m) of the counts r1 >= r2 >= ...
c            the factor of "recursive"
t            how far the sensitive values of a group may be distributed from those of the whole table; None for no limit
distance     "equal" if all values are equally far from each other; "ordered" if they are numbers or dates
label_known  whether k persons are left also to somebody who knows the label: each label in a group has k persons
population   for methods that have it: who could have been sampled. Then k persons of the population fit every group
             (k-map), and groups may be smaller in the release. A table with the quasi-identifiers of the population,
             or its file, or the fraction of it that was sampled, from which its groups are estimated

l and t are about the columns that the roles call sensitive; a target is one of them only if it is named there, too.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

from discreet.errors import ParameterError, Setting
from discreet.foundation.parameters import Interval, StrOptions
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.k_map import KMap
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness

GROUP_NEEDS: dict[str, list[Any]] = {  # for `_parameter_constraints`
    "l": [Interval(Real, 1, None, closed="neither"), None],
    "diversity": [StrOptions({"distinct", "entropy", "recursive"})],
    "c": [Interval(Real, 0, None, closed="neither"), None],
    "t": [Interval(Real, 0, 1, closed="both"), None],
    "distance": [StrOptions({"equal", "ordered"})],
    "label_known": [bool],
}


class _Rows:
    """Anything but a number or a bool: a table, a frame, a mapping of columns, the path of a file."""

    def allows(self, value: Any) -> bool:
        return not isinstance(value, (Real, bytes)) and value is not None

    def __str__(self) -> str:
        return "a table or file"


POPULATION: list[Any] = [Interval(Real, 0, 1, closed="right"), _Rows(), None]


def stated_needs(method: object) -> dict[str, Any]:
    """The parameters above as a method has them."""
    return {name: getattr(method, name) for name in GROUP_NEEDS}


def promise_of(
    k: int,
    *,
    l: float | None = None,  # noqa: E741  (the field's own letter)
    diversity: str = "distinct",
    c: float | None = None,
    t: float | None = None,
    distance: str = "equal",
    label_known: bool = False,
    population: object = None,
) -> Promise:
    """The promise that these parameters make.

    >>> str(promise_of(5, l=2, t=0.2))
    '5-anonymity and distinct 2-diversity and 0.2-closeness'
    """
    promises: list[Promise] = [KAnonymity(k, label_known=label_known)]
    if population is not None:
        if label_known:
            raise ParameterError(
                Setting("label_known"),
                " counts persons of the release, ",
                Setting("population"),
                " others. Leave out one.",
            )
        promises = [KMap(k, fraction=float(population) if isinstance(population, Real) else None)]
    if l is not None:
        promises.append(LDiversity(l, measure=diversity, c=c))
    elif c is not None or diversity != "distinct":
        raise ParameterError(
            Setting("diversity"),
            " and ",
            Setting("c"),
            " say how l values are counted. Give ",
            Setting("l"),
            ", too, or leave them out.",
        )
    if t is not None:
        promises.append(TCloseness(t, distance=distance))
    elif distance != "equal":
        raise ParameterError(
            Setting("distance"), " says how t is measured. Give ", Setting("t"), ", too, or leave it out."
        )
    return promises[0] if len(promises) == 1 else Both(tuple(promises))
