# SPDX-License-Identifier: Apache-2.0
"""The rows that an attack looks at: all of a table in memory; of a stored table that is too large, whole groups.

A group is all rows with the same quasi-identifiers. Single rows drawn at random would make groups smaller than they are
published, and the attacker stronger. The groups are drawn at random, and only persons who fit one of them are attacked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.block_tally import places_in
from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_counts import row_counts_of
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table

MOST_ROWS = 2_000_000


def attacked_rows(content: Content, roles: Roles | None, persons: Any) -> tuple[Content, np.ndarray | None, str]:
    """The rows, the persons behind them, and a sentence that says so if they are a sample."""
    if not content.is_stored or roles is None:
        return content, persons, ""
    stored: Any = content.with_persons(persons, roles)[0]
    chosen, sentence = None, ""
    counted = row_counts_of(content, roles.quasi).tally(roles.quasi)
    if content.n_rows > MOST_ROWS:
        order = np.random.default_rng(0).permutation(len(counted))
        enough = int(np.searchsorted(np.cumsum(counted.sizes[order]), MOST_ROWS)) + 1
        chosen = np.zeros(len(counted), dtype=bool)
        chosen[order[:enough]] = True
        some = f"{int(chosen.sum()):,} of {len(counted):,} groups, drawn at random"
        sentence = (
            f"A sample was attacked: {some}, with all of their {int(counted.sizes[chosen].sum()):,} of"
            f" {content.n_rows:,} rows, and the known persons who fit one of them."
        )
    tables, whose = [], []
    for table, some in stored.blocks():
        rows = np.arange(len(table))
        if chosen is not None:
            rows = np.flatnonzero(chosen[places_in(counted, table.columns(counted.columns), len(table))])
        tables.append(table.take(rows).to_arrow())
        whose.append(None if some is None else some[rows])
    cells = pa.concat_tables(tables, promote_options="permissive")
    table = Table.of(cells, kinds=stored.kinds, missing=(), empty=True)
    return table, np.concatenate(whose) if persons is not None else None, sentence  # type: ignore[arg-type]


def who_fits(recoded: Table, published: Table, quasi: tuple[str, ...]) -> np.ndarray:
    """The known rows, recoded as the release is, whose group is among the published rows."""
    return np.flatnonzero(CodedRows.of(published, quasi).places(recoded) >= 0)
