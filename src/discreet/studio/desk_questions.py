# SPDX-License-Identifier: Apache-2.0
"""What the studio asks about a table, in the process that holds it. Each answer is plain data, to be written as JSON.

Nothing is decided or computed here that a command does not decide or compute as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counting.entropy import entropy
from discreet.counting.tally import group_sizes, grouped, persons_per_group
from discreet.data.baskets import Baskets
from discreet.data.column import Column
from discreet.data.role_suggestions import suggest
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.hierarchy import Hierarchy, from_paths
from discreet.recoding.public_domain import ColumnDomain
from discreet.risk.inspection import inspect_table
from discreet.studio.desk_baskets import HeldBaskets, described, items_beside, short_of_items

_BARS = 12  # of a distribution
_MOST_LEAVES = 5000  # values of a column whose hierarchy is changed by hand
_SHOWN = 200  # groups of a level
_LONGEST = 80  # letters of a cell that are shown


@dataclass
class Held:
    """The table that was opened last, and what it was opened from."""

    source: tuple[Any, ...] = ()
    table: Table | None = None
    items: HeldBaskets = field(default_factory=HeldBaskets)

    def opened(self, path: str, reading: Mapping[str, Any]) -> Table:
        source = (path, repr(sorted(reading.items())))
        if self.table is None or self.source != source:
            self.table, self.source = Table.of(path, **reading), source
        return self.table

    def baskets(self, path: str, reading: Mapping[str, Any], how: Mapping[str, Any]) -> Baskets:
        return self.items.opened(lambda: self.opened(path, reading), path, how)


def baskets(held: Held, *, path: str, reading: Mapping[str, Any], how: Mapping[str, Any]) -> dict[str, Any]:
    """Who stands out among baskets or texts; their items and first rows."""
    return described(held.baskets(path, reading, how))


def short_of_alike(
    held: Held, *, path: str, reading: Mapping[str, Any], how: Mapping[str, Any], k: int
) -> dict[str, int]:
    """How many rows have items that fewer than k persons have."""
    return short_of_items(held.baskets(path, reading, how), k)


def beside_items(
    held: Held, *, path: str, reading: Mapping[str, Any], how: Mapping[str, Any], folder: str, count: int
) -> dict[str, Any]:
    """First rows of items, and what a release keeps of them."""
    return items_beside(held.baskets(path, reading, how), Path(folder), count)


def columns(held: Held, *, path: str, reading: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a table: kind, number of values, missing cells and distribution."""
    table = held.opened(path, reading)
    described = [_described(table.column(name)) for name in table.names]
    return {"rows": len(table), "columns": described, "reading": list(table.reading.sentences())}


def rows(held: Held, *, path: str, reading: Mapping[str, Any], start: int, count: int) -> list[list[str]]:
    """Some rows as texts, for the screen of the person whose table it is."""
    table = held.opened(path, reading)
    stop = min(max(start, 0) + min(count, 100), len(table))
    cells = [_texts(table.column(name), slice(max(start, 0), stop)) for name in table.names]
    return [list(row) for row in zip(*cells, strict=True)]


def suggestions(held: Held, *, path: str, reading: Mapping[str, Any], target: str | None) -> list[dict[str, Any]]:
    """A role for each column, with the reason."""
    return [asdict(one) for one in suggest(held.opened(path, reading), target=target)]


def identifiable(
    held: Held, *, path: str, reading: Mapping[str, Any], quasi: Sequence[str], person: str | None
) -> dict[str, Any]:
    """How identifiable rows are by some columns: which sets single out, what each column adds, what others would."""
    return inspect_table(held.opened(path, reading), quasi=quasi, person=person).to_dict()


def assessed(
    held: Held, *, path: str, reading: Mapping[str, Any], quasi: Sequence[str], fraction: float | None
) -> dict[str, Any]:
    """The risk of the raw table as statistics offices measure it."""
    from discreet.risk.assessment import risk_of

    found = risk_of(held.opened(path, reading), list(quasi), sampling_fraction=fraction)
    return json.loads(json.dumps(found.to_dict(), default=str)) | {"words": repr(found).splitlines()}


def short_of(
    held: Held, *, path: str, reading: Mapping[str, Any], quasi: Sequence[str], person: str | None, k: int
) -> dict[str, int]:
    """How many rows of the raw table share their quasi-identifiers with fewer than k persons."""
    table = held.opened(path, reading)
    persons = None if person is None else table.column(person).codes
    groups, first = grouped(table, list(quasi), ordered=False)
    sizes = persons_per_group(groups, len(first), persons)
    return {"rows": len(table), "short": int((sizes[groups] < k).sum()), "persons": int(sizes.sum())}


def beside(held: Held, *, path: str, reading: Mapping[str, Any], folder: str, count: int) -> dict[str, Any]:
    """First rows as they are and as a release publishes such rows."""
    from discreet.release.recode_rows import recode

    table = held.opened(path, reading)
    some = table.take(np.arange(min(count, len(table))))
    published = recode(folder, some)
    names = [name for name in table.names if name in published.names]
    before, after = ([_texts(one.column(name), slice(None)) for name in names] for one in (some, published))
    return {"names": names, "before": [*zip(*before, strict=True)], "after": [*zip(*after, strict=True)]}


def sensitive(held: Held, *, path: str, reading: Mapping[str, Any], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Of each sensitive column: its kind, how many values it has, and the share of the commonest."""
    table = held.opened(path, reading)
    found = []
    for name in columns:
        cells = table.column(name)
        counts = np.bincount(cells.codes, minlength=1)
        found.append(
            {
                "column": name,
                "kind": cells.kind,
                "values": int((counts > 0).sum()),
                "commonest": float(counts.max() / len(table)),
            }
        )
    return found


def outside(
    held: Held, *, path: str, reading: Mapping[str, Any], column: str, domain: Mapping[str, Any]
) -> dict[str, int]:
    """How many rows have a cell that the public domain of its column does not list."""
    table = held.opened(path, reading)
    return {
        "rows": len(table),
        "outside": int(ColumnDomain.of(column, domain).is_outside(table.cells(column)).sum()),
    }


def verified(held: Held, *, folder: str, stamp: str, policy: str | None) -> dict[str, Any]:
    """Whether the files of a release keep their promise, what it leaves open, and whether a policy allows them.

    `stamp` changes with the files, so that what was found of others is not taken for theirs.
    """
    from discreet.release.verify import verify
    from discreet.report.cautions import cautions_of_content
    from discreet.report.policy import Policy, checked

    found = verify(folder)
    told = found.certificate is not None and found.content is not None
    cautions = cautions_of_content(found.certificate, found.content) if told else []  # type: ignore[arg-type]
    result = None if policy is None else checked(Policy.of(policy), found)
    return {
        "holds": found.holds,
        "problems": list(found.problems),
        "remarks": list(found.remarks),
        "cautions": [line["text"] for line in cautions],
        "policy": None
        if result is None
        else {
            "passed": result.passed,
            "name": result.name,
            "lines": [{"asked": one.asked, "found": one.found, "passed": one.passed} for one in result.lines],
        },
    }


def hierarchy(
    held: Held,
    *,
    path: str,
    reading: Mapping[str, Any],
    column: str,
    quasi: Sequence[str],
    paths: Sequence[Sequence[str]] | None,
) -> dict[str, Any]:
    """The hierarchy of a column, given or automatic: what each level would do if the column were published so."""
    table = held.opened(path, reading)
    cells = table.column(column)
    if len(cells.values) > _MOST_LEAVES:
        raise DataError(f"{column!r} has {len(cells.values):,} values; up to {_MOST_LEAVES:,} can be arranged by hand.")
    tree = automatic(cells) if paths is None else from_paths(column, paths)
    tree.check_against(cells)
    leaf = tree.leaf_codes(cells)[cells.codes]
    rows = np.bincount(leaf[leaf >= 0], minlength=len(tree))
    beside = [name for name in quasi if name != column]
    others = grouped(table, beside, ordered=False)[0] if beside else np.zeros(len(table), dtype=np.int64)
    whole = float(entropy(rows)) or 1.0
    levels = []
    for level in range(tree.levels):
        codes = np.append(tree.codes(level), len(tree.labels(level)))[leaf]  # the last for cells without a leaf
        sizes = group_sizes([others, codes], len(table))
        in_group = np.bincount(tree.codes(level), rows, len(tree.labels(level)))
        shown = [] if level in (0, tree.levels - 1) else _groups_of(tree, level, in_group)
        levels.append(
            {
                "groups": len(tree.labels(level)),
                "unique": int((sizes == 1).sum()),
                "below": int(sizes[sizes < 5].sum()),
                "detail": min(1.0, float(entropy(in_group)) / whole),
                "shown": shown,
            }
        )
    return {"paths": [list(one) for one in tree.paths], "levels": levels, "rows": len(table)}


def _groups_of(tree: Hierarchy, level: int, rows: np.ndarray) -> list[dict[str, Any]]:
    below: dict[str, dict[str, None]] = {}
    for path in tree.paths:
        below.setdefault(path[level], {})[path[level - 1]] = None
    labels = tree.labels(level)[:_SHOWN]
    return [
        {"label": label, "rows": int(rows[place]), "below": list(below[label])[:_SHOWN]}
        for place, label in enumerate(labels)
    ]


def _described(column: Column) -> dict[str, Any]:
    described = {
        "name": column.name,
        "kind": column.kind,
        "values": len(column.values),
        "missing": column.n_missing,
    }
    return described | {"bars": _bars(column), "span": _span(column)}


def _span(column: Column) -> str:
    """The least and the largest number or date; of categories the commonest."""
    texts = column.texts
    if not len(column.values):
        return ""
    if column.kind == "category":
        counts = np.bincount(column.codes, minlength=len(column.values) + 1)[: len(column.values)]
        return _short(texts[int(counts.argmax())])
    numbers = column.numbers[: len(column.values)]
    return f"{_short(texts[int(numbers.argmin())])} to {_short(texts[int(numbers.argmax())])}"


def _bars(column: Column) -> list[dict[str, Any]]:
    """Where the cells lie: numbers and dates in equal steps, the commonest categories."""
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)[: len(column.values)]
    if len(counts) == 0:
        return []
    if column.kind == "category" or len(counts) <= _BARS:
        order = np.argsort(-counts, kind="stable")[:_BARS]
        order = np.sort(order) if column.kind != "category" else order
        texts = column.texts
        return [{"label": _short(texts[place]), "rows": int(counts[place])} for place in order]
    numbers = column.numbers[: len(counts)]
    low, high = float(numbers.min()), float(numbers.max())
    if not np.isfinite([low, high]).all() or low == high:
        return []
    place = np.minimum(((numbers - low) / (high - low) * _BARS).astype(np.int64), _BARS - 1)
    sums = np.bincount(place, counts, _BARS)
    return [{"label": "", "rows": int(rows)} for rows in sums]


def _texts(column: Column, which: slice) -> list[str]:
    texts = [*column.texts, ""]
    return [_short(texts[code]) for code in column.codes[which].tolist()]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


QUESTIONS: dict[str, Callable[..., Any]] = {
    "baskets": baskets,
    "short_of_alike": short_of_alike,
    "beside_items": beside_items,
    "columns": columns,
    "rows": rows,
    "suggestions": suggestions,
    "identifiable": identifiable,
    "assessed": assessed,
    "short_of": short_of,
    "beside": beside,
    "sensitive": sensitive,
    "outside": outside,
    "verified": verified,
    "hierarchy": hierarchy,
}
