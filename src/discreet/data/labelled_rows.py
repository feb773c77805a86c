# SPDX-License-Identifier: Apache-2.0
"""Rows that say their class: those without a label are left out, since no classifier learns from them.

Not where the promise is differential privacy: who has a label would show in the number of rows, which is public there.
"""

from __future__ import annotations

import numpy as np

from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import quietly


def labelled_rows(table: Table, roles: Roles) -> Table:
    """The rows that have a target, in the columns that can be read; the table itself if every row has one.

    >>> table = Table.of({"ill": ["no", None, "yes"], "age": [30, 40, 50]})
    >>> labelled_rows(table, Roles("ill", ["age"])).column("age").texts
    ['30', '50']
    """
    if roles.target is None or roles.target not in table:
        return table
    target = table.column(roles.target)
    if not target.has_missing:
        return table
    kept = [name for name in table.names if name in roles.named or quietly(table.column, name)[0] is not None]
    return table.select(kept).take(np.flatnonzero(target.codes < len(target.values)))
