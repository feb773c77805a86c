# SPDX-License-Identifier: Apache-2.0
"""What a selection of items leaves open, whatever was promised: counts that go with every verdict on 0/1 data.

Containment is silent about absences, k-anonymity about labels. So both state, of the same rows: AC, the k of
k-anonymity, rows that nobody equals, rows with fewer than k equals, rows whose label is that of everybody who has their
items.
"""

from __future__ import annotations

from discreet.counting.supersets import Distinct
from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table


def exposure(distinct: Distinct, baskets: Baskets, k: int, ac: int | None = None) -> dict[str, int]:
    """The counts by name; `distinct` are the distinct rows of the baskets, `ac` their AC where it is known already."""
    groups, own = distinct.group_of_row, distinct.own
    found = {
        "AC": int(distinct.covers(1).min()) if ac is None else ac,
        "classical k": int(own.min()),
        "unique rows": int((own[groups] == 1).sum()),
        "rows in groups below k": int((own[groups] < k).sum()),
    }
    if baskets.labels is not None:
        alike = distinct.one_label(distinct.label_of(baskets.labels, baskets.n_classes))
        found["rows whose containing rows share one label"] = int(alike[groups].sum())
    return found


def items_of(table: Table, roles: Roles) -> Baskets:
    """The quasi-identifiers of a table, 0/1 columns, as baskets; the target as labels."""
    baskets = Baskets.from_columns(table.select(roles.quasi))
    persons = None if roles.person is None else table.column(roles.person).codes
    baskets = Baskets(baskets.matrix, baskets.names, persons=persons)
    return baskets if roles.target is None else baskets.labelled(table.column(roles.target).codes)
