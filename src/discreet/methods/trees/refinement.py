# SPDX-License-Identifier: Apache-2.0
"""Top-down refinement: specialisation, and for categories without a tree, disclosing one value after the other.

Paper: Fung, Wang, Yu, "Anonymizing Classification Data for Privacy Preservation" (2007). Three refinements compete by
the same score as in top-down specialisation: replace a label of a value tree by its children, cut an interval in two,
or disclose one value of a category that has no tree. All values of such a category are suppressed at first.
Departures from the paper:
1. Those of top-down specialisation (specialization.py) but the first: nothing gets an automatic tree here.
2. A category that fewer than k persons have stays suppressed without being tried. Missing can be disclosed, and is
   then an empty cell.
"""

from __future__ import annotations

from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.specialization import TopDownSpecialization
from discreet.methods.trees.specialization_values import Star, Values
from discreet.recoding.axis import Axis


class TopDownRefinement(TopDownSpecialization):
    """Replace labels by finer ones, or disclose suppressed values, while every combination keeps k persons.

    Parameters
    ----------
    hierarchies : mapping of column to Hierarchy or file, or a folder of files, or None
        Numbers and dates without one are cut as needed; of categories without one, values are disclosed one by one.
    recoding : "local", "global" or None
        None is "global", as published, but "local" where hierarchies are given: then each group is specialised by
        itself, and categories without a hierarchy are written as sets of values.

    All others are those of `TopDownSpecialization`, and so is the promise.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, or KAnonymity(k, columns=...) for each of the sets; counted in persons when
    the roles name a person column.

    Examples
    --------
    >>> from discreet.data.roles import Roles
    >>> table = {"town": ["N", "N", "S", "S", "E", "W"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = TopDownRefinement(k=2).release(table, Roles(target="y", quasi=["town"]))
    >>> sorted(set(release.data.column("town").to_pylist()))
    ['*', 'N', 'S']
    """

    name = "tdr"

    def _default_recoding(self) -> str:
        return "global" if self.hierarchies is None else super()._default_recoding()

    def _categories(self, rows: CodedRows, name: str, rarest: int) -> Values:
        return Star(Axis.of(rows, name, rarest=rarest))
