# SPDX-License-Identifier: Apache-2.0
"""How a release changed each quasi-identifier."""

from __future__ import annotations

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.release.losses import ColumnChange, changes_of_columns, crossings
from discreet.release.release import Release


def column_changes(release: Release, table: object) -> tuple[ColumnChange, ...]:
    """The change of each quasi-identifier of the table that the release was made from."""
    if release.column_changes:
        return release.column_changes
    if release.plan is None:
        raise DataError("Baskets and documents have no quasi-identifier columns to compare.")
    table = Table.of(table)
    return changes_of_columns(crossings(table, release.plan.apply(table), release.source_quasi))
