# SPDX-License-Identifier: Apache-2.0
"""What is published for each source column, what is refused before that, and what changed; the same for tables in
memory and for engines.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import row_order
from discreet.data.column import SUPPRESSED, Column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.methods.grouping import Decision
from discreet.recoding.patterns import MOST_PATTERNS, Boxes
from discreet.recoding.plan import Plan, Recode
from discreet.release.losses import Crossing
from discreet.release.release import Changes


def recoded_population(decision: Decision) -> Table | None:
    """The population as it would be published, in an order of its own: the owner's evidence for k-map."""
    if decision.population is None or decision.plan is None:
        return None
    columns = [column for some in decision.plan.apply(decision.population).values() for column in some]
    table = Table(columns)
    return table.take(row_order((column.codes for column in columns), len(table), [one.levels for one in columns]))


def items_of(published: dict[str, list[Column]], roles: Roles) -> dict[str, tuple[str, ...]]:
    """The published columns of each quasi-identifier that is not published as one column of its name."""
    names = {name: tuple(column.name for column in published.get(name, ())) for name in roles.quasi}
    return {name: items for name, items in names.items() if items and items != (name,)}


def roles_of_published(roles: Roles, published: dict[str, list[Column]]) -> Roles:
    """The roles of the published columns."""
    return Roles(
        target=roles.target,
        quasi=tuple(column.name for name in roles.quasi for column in published.get(name, ())),
        sensitive=roles.sensitive,
        other=roles.other,
        allow_unique=roles.allow_unique,
    )


def no_record(plan: Plan | None) -> list[str]:
    n_patterns = len(plan.codes) if isinstance(plan, (Boxes, Recode)) else 0
    if n_patterns <= MOST_PATTERNS:
        return []
    return [
        f"The release has {n_patterns:,} patterns, too many for a published record of the recoding (at most"
        f" {MOST_PATTERNS:,}): recipients cannot bring new rows to its form; Release.recode can."
    ]


def refuse_clashes(names: list[str]) -> None:
    """Refuse items whose name, made of column and value, is also the name of a published column."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"Items of the release would have the names of published columns: {listing(twice)}. Rename them."
        )


def refuse_marks(source: Table | CodedRows, roles: Roles) -> None:
    """Refuse source values that look like a suppressed cell."""
    marked = [name for name in roles.quasi if SUPPRESSED in source.column(name).texts]
    if marked:
        raise DataError(
            f"The quasi-identifiers {listing(marked)} hold the value {SUPPRESSED!r}, which stands for a suppressed cell"
            f" in a release. Rename the value, or declare it a mark of missing cells."
        )


def published_columns(name: str, table: Table, roles: Roles, quasi: dict[str, list[Column]]) -> list[Column]:
    """The published columns for a source column: none for identifiers and columns without a role."""
    if name in roles.quasi:
        return quasi.get(name, [])
    return [table.column(name)] if name in roles.published else []


def counted_changes(crossed: Sequence[Crossing], *, swapped: int, rows_dropped: int) -> Changes:
    """Count the quasi-identifier cells that were suppressed or changed."""
    return Changes(
        quasi_cells=sum(one.n_rows for one in crossed),
        suppressed_cells=sum(one.suppressed for one in crossed if one.keeps_name),
        changed_cells=sum(one.n_rows - one.same for one in crossed),
        swapped_cells=swapped,
        rows_dropped=rows_dropped,
        columns_dropped=sum(not one.new for one in crossed),
    )
