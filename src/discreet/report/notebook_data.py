# SPDX-License-Identifier: Apache-2.0
"""Tables, baskets, datasets, roles and samples in a notebook: names, kinds and counts, but no cells."""

from __future__ import annotations

from typing import Any

from discreet.errors import listing, quietly
from discreet.report.notebook import Display, Grid
from discreet.report.wording import count, percent, plural

_NO_CELLS = "No cells are shown, since notebooks are saved and sent on; head() shows the first rows."
_SUGGESTED = "The roles are suggestions: only you know what an outsider can know. The figures are for you alone."
_SETS = 8  # of columns that single out
_MOST_CELLS = 20_000_000  # of a table whose columns are read for a display
_ROLES = (
    ("target", "what a classifier is to predict", "as it is"),
    ("quasi", "what an outsider may know", "coarsened or left out"),
    ("sensitive", "what an outsider wants to learn", "as it is"),
    ("other", "assumed to be unknown to outsiders", "as it is"),
    ("identifiers", "names, numbers, addresses", "never"),
    ("person", "whose row it is; k counts persons", "never"),
)


def of_inspection(found: Any) -> Display:
    title = f"Inspection of {plural(found.rows, 'row')} and {plural(len(found.columns), 'column')}"
    columns = [
        (
            one.name,
            one.kind,
            0 if one.tells is None else count(one.tells.values - bool(one.missing)),
            one.role,
            one.reason,
        )
        for one in found.columns
    ]
    grids = [Grid(("column", "kind", "different values", "role", "why"), columns, right=("different values",))]
    lines = []
    if found.risk is not None:
        unique = f"{count(found.risk.unique)} rows ({percent(found.risk.unique / found.risk.rows)}) are unique"
        lines.append(f"On {listing(found.quasi)}: {unique}, the smallest group has {plural(found.risk.k, 'row')}.")
        sets = () if found.singling is None else found.singling.sets
        rows = [(" + ".join(one.columns), count(one.rows)) for one in sorted(sets, key=lambda one: -one.rows)[:_SETS]]
        grids.append(Grid(("columns", "rows"), rows, "Who stands out, and because of which columns", ("rows",)))
        effects = [
            (one.column, count(one.without), "" if one.coarser is None else count(one.coarser))
            for one in sorted(found.changes, key=lambda change: change.without)
        ]
        head = ("column", "unique without it", "unique with it one level coarser")
        grids.append(Grid(head, effects, "What each of them does", head[1:]))
    if found.undecided:
        lines.append(f"Decide {listing(found.undecided)}: until then, they are not published.")
    return Display(title, lines=lines, grids=grids, notes=[*found.reading, _SUGGESTED])


def of_table(table: Any) -> Display:
    title = f"Table of {plural(len(table), 'row')} and {plural(len(table.names), 'column')}"
    grid = Grid(
        ("column", "kind", "different values", "missing"), _columns(table), right=("different values", "missing")
    )
    return Display(title, grids=[grid], notes=[*_reading(table), _NO_CELLS])


def _columns(table: Any, roles: dict[str, str] | None = None) -> list[list[object]]:
    """Name, kind, different values and missing cells of each column; of a large table, names alone."""
    rows: list[list[object]] = []
    for name in table.names:
        line: list[object] = [name] if roles is None else [name, roles.get(name, "none")]
        column, failure = None, ""
        if len(table) * len(table.names) <= _MOST_CELLS:
            column, failure = quietly(table.column, name)
        if column is None:
            rows.append([*line, "cannot be read" if failure else "", "", ""])
        else:
            rows.append([*line, column.kind, count(len(column.values)), count(column.n_missing)])
    return rows


def _reading(table: Any) -> list[str]:
    """How cells were read that can be read in several ways, in sentences."""
    reading: Any = getattr(table, "reading", None)
    sentences, failure = ([], "") if reading is None else quietly(lambda: [*reading.sentences()])
    return [] if failure else sentences


def of_baskets(baskets: Any) -> Display:
    rows, items = baskets.shape
    facts: list[tuple[str, object]] = [
        ("rows", count(rows)),
        ("items", count(items)),
        ("ones", count(baskets.matrix.nnz)),
        ("items of a row, on average", f"{baskets.matrix.nnz / max(rows, 1):.1f}"),
        ("classes", "no labels" if baskets.classes is None else count(len(baskets.classes))),
    ]
    if baskets.persons is not None:
        facts.append(("persons", count(len(set(baskets.persons.tolist())))))
    title = f"Baskets of {plural(rows, 'row')} and {plural(items, 'item')}"
    return Display(title, grids=[Grid(("", "count"), facts, right=("count",))])


def of_roles(roles: Any) -> Display:
    rows = []
    for role, who, published in _ROLES:
        names = getattr(roles, role)
        names = (names,) if isinstance(names, str) else names or ()
        if names:
            rows.append((role, _listed(names), who, published))
    notes = ["A column without a role is not published."]
    if roles.allow_unique:
        notes.append(f"Published although nearly every row has another value: {_listed(roles.allow_unique)}.")
    return Display("Roles", grids=[Grid(("role", "columns", "what it means", "published"), rows)], notes=notes)


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    first = ", ".join(names[:most])
    return first if len(names) <= most else f"{first} and {len(names) - most} more"


def of_dataset(dataset: Any) -> Display:
    if dataset.roles is None:
        described = of_baskets(dataset.data)
        return Display(described.title.replace("Baskets", "Dataset, baskets", 1), grids=described.grids)
    return _with_roles("Dataset", dataset.data, dataset.roles)


def _with_roles(title: str, table: Any, roles: Any, lines: tuple[str, ...] = ()) -> Display:
    role_of: dict[str, str] = {}
    for role, _, _ in reversed(_ROLES):
        names = getattr(roles, role)
        role_of |= dict.fromkeys((names,) if isinstance(names, str) else names or (), role)
    head = ("column", "role", "kind", "different values", "missing")
    grid = Grid(head, _columns(table, role_of), right=head[3:])
    size = f"{plural(len(table), 'row')} and {plural(len(table.names), 'column')}"
    return Display(f"{title} of {size}", lines=lines, grids=[grid], notes=[*_reading(table)])


def of_sample(sample: Any) -> Display:
    lines = (sample.description, sample.source and f"Source: {sample.source}", sample.licence)
    title = f"Sample {sample.name!r}"
    if sample.roles is None:
        return Display(title, lines=lines, grids=of_baskets(sample.data).grids)
    return _with_roles(f"{title},", sample.data, sample.roles, lines)
