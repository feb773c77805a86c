# SPDX-License-Identifier: Apache-2.0
"""Exposure counts for every verdict on 0/1 data: what a selection of items leaves open, whatever was promised.

Containment does not cover absences, k-anonymity does not cover labels. So both state, for the same rows: AC, the k of
k-anonymity, unique rows, rows in groups below k, and rows whose label is shared by everybody who has their items.
"""

from __future__ import annotations

import numpy as np

from discreet.counting.row_counts import row_counts
from discreet.counting.supersets import Distinct
from discreet.data.baskets import Baskets
from discreet.data.counted_baskets import CountedBaskets
from discreet.data.roles import Roles
from discreet.data.table import Table


def exposure(distinct: Distinct, baskets: Baskets, k: int, ac: int | None = None) -> dict[str, int]:
    """The counts by name; `distinct` are the distinct rows of the baskets, `ac` their AC if already known."""
    own, rows = distinct.own, distinct.rows
    counts = {
        "AC": int(distinct.covers(1).min()) if ac is None else ac,
        "classical k": int(own.min()),
        "unique rows": int(rows[own == 1].sum()),
        "rows in groups below k": int(rows[own < k].sum()),
    }
    if baskets.labels is not None:
        alike = distinct.one_label(distinct.label_of(baskets.labels, baskets.n_classes))
        counts["rows whose containing rows share one label"] = int(rows[alike].sum())
    return counts


def counted_items_of(table: Table, roles: Roles) -> Baskets:
    """As `items_of`, with one row for all equal ones of a class, unless persons count."""
    if roles.person is not None:
        return items_of(table, roles)
    counted = row_counts(table, roles).whole
    baskets = Baskets.from_columns(Table([counted.column(name) for name in roles.quasi]))
    weighted = CountedBaskets(baskets.matrix, baskets.names, weights=counted.counts[:, 0].astype(np.int64))
    return weighted if roles.target is None else weighted.labelled(counted.column(roles.target).codes)


def items_of(table: Table, roles: Roles) -> Baskets:
    """The quasi-identifiers of a table, 0/1 columns, as baskets; the target as labels."""
    if table.is_stored:  # all pairs of distinct rows are compared, so they must be in memory
        table = table.in_memory([name for name in (*roles.quasi, roles.target, roles.person) if name is not None])  # type: ignore[attr-defined]
    baskets = Baskets.from_columns(table.select(roles.quasi))
    persons = None if roles.person is None else table.column(roles.person).codes
    baskets = Baskets(baskets.matrix, baskets.names, persons=persons)
    return baskets if roles.target is None else baskets.labelled(table.column(roles.target).codes)
