# SPDX-License-Identifier: Apache-2.0
"""What a release still holds: detail, columns with content, tables, other targets, and use without recoding.

Detail is defined in release/information_kept.py, cell by cell. Synthetic rows are nobody's, so no cell can be compared
with what it was: there the detail of a column is how much of its two-way tables with the other columns is right, 1 -
(total variation) / (total variation if the column were not published and spread evenly), at least 0, as a mean over the
other columns. Models, names, weights and sketches have no cells to read: 0.

The other measures are those of questions.py and raw_use.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.errors import listing
from discreet.evaluate.questions import OtherTarget, Tables, ask_tables, ask_targets
from discreet.evaluate.raw_use import RawUse, raw_use
from discreet.evaluate.soft_rows import SoftColumn, SoftRows, bins_of, read_softly, readable_names
from discreet.evaluate.utility import split
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods import Method
from discreet.release.counted_source import CountedSource
from discreet.release.information_kept import Detail
from discreet.release.release import Release

_MOST_SYNTHETIC = 64  # columns of synthetic rows that are compared
HARDLY = 0.01  # share of its information below which a column is said to be nearly blank
MOSTLY = 0.5  # share of suppressed cells from which on a release is said to be mostly suppressed


@dataclass(frozen=True)
class Kept:
    """What a release holds. `content` of `columns` are columns with two labels or more, the target not counted."""

    detail: Detail | None
    synthetic: bool
    columns: int
    content: int
    blank: tuple[str, ...]
    suppressed: float
    tables: Tables | None
    targets: tuple[OtherTarget, ...] = ()
    raw: RawUse | None = None

    def to_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        plain["needs_recoding"] = self.raw is not None and self.raw.needs_recoding
        return plain | {"blank": list(self.blank), "targets": list(plain["targets"])}


def detail(release: Release, data: object, roles: Roles | None = None) -> Detail:
    """The detail of a release of these data, whatever its shape.

    >>> from discreet import Mondrian
    >>> table = {"age": [31, 34, 52, 55], "sex": ["f", "f", "f", "f"], "y": [0, 1, 0, 1]}
    >>> found = detail(Mondrian(k=2).release(table, Roles("y", ["age", "sex"])), table, Roles("y", ["age", "sex"]))
    >>> found.whole, dict(found.columns)
    (0.5, {'age': 0.5, 'sex': 0.0})
    """
    known = release.detail
    return _by_tables(release, Dataset.unchecked(data, roles)) if known is None else known


def what_is_kept(release: Release, data: object, roles: Roles | None = None) -> Kept:
    """Everything that can be measured on a release and its source alone."""
    dataset = Dataset.unchecked(data, roles)
    blank = blank_columns(release)
    names = [name for name in release.columns if not (dataset.has_target and name == dataset.target)]
    before = len(dataset.table.names) - dataset.has_target if dataset.shape == "table" else len(dataset.quasi)
    cells = release.content.has_cells
    return Kept(
        detail=detail(release, dataset),
        synthetic=release.detail is None,
        columns=before,
        content=len(names) - len(blank) if cells else 0,
        blank=blank,
        suppressed=_suppressed(release) if cells else 1.0,
        tables=ask_tables(release, dataset) if cells else None,
    )


def kept_by_counts(release: Release, source: CountedSource) -> Kept:
    """What a release of rows that stay in an engine holds, as far as counts tell."""
    cells = release.content.has_cells
    quasi = release.roles.quasi if release.roles is not None and cells else ()
    levels: dict[str, int | None] = {one.name: one.levels for one in release.content.value_columns(quasi)}
    levels |= {one.name: one.levels for one in source.columns([name for name in release.columns if name not in quasi])}
    names = [name for name in release.columns if name != source.roles.target]
    blank = tuple(name for name in names if levels.get(name) in (0, 1)) if cells else ()
    return Kept(
        detail=release.detail,
        synthetic=release.detail is None,
        columns=len(source.names) - source.has_target,
        content=len(names) - len(blank) if cells else 0,
        blank=blank,
        suppressed=_suppressed(release) if cells else 1.0,
        tables=None,
    )


def kept_of_items(release: Release, n_items: int) -> Kept:
    """What a release of items holds whose rows are not in memory."""
    blank = blank_columns(release)
    return Kept(
        detail=release.detail,
        synthetic=False,
        columns=n_items,
        content=len(release.columns) - len(blank),
        blank=blank,
        suppressed=_suppressed(release),
        tables=None,
    )


def measure_detail(
    method: Method, data: object, roles: Roles | None = None, *, test_share: float = 0.3, random_state: RandomState = 0
) -> Kept:
    """What a release by the method holds, measured on a release of seven rows in ten, and asked about the others."""
    dataset = Dataset.of(data, roles)
    train, test = map(dataset.take, split(dataset.labels, dataset.persons, test_share, Randomness(random_state)))
    return asked_on(method.release(train), train, test)


def asked_on(release: Release, train: Dataset, test: Dataset, kept: Kept | None = None) -> Kept:
    """What a release of training rows holds, or `kept`, with the questions that need held-out rows."""
    found = vars(what_is_kept(release, train) if kept is None else kept)
    return Kept(**found | {"targets": ask_targets(release, train, test), "raw": raw_use(release, train, test)})


def blank_columns(release: Release) -> tuple[str, ...]:
    """Published columns of a table that say the same in every row, the target not counted."""
    target = None if release.roles is None else release.roles.target
    return tuple(c.name for c in release.content.value_columns(release.columns) if c.levels < 2 and c.name != target)


def _suppressed(release: Release) -> float:
    return release.losses.information_loss


def _by_tables(release: Release, dataset: Dataset) -> Detail:
    """The detail of synthetic rows: how much of the two-way tables of each column is right."""
    names = readable_names(dataset, most=_MOST_SYNTHETIC)
    read = read_softly(release, dataset, names)
    if read is None:
        return Detail(0.0)
    before, after = read
    bins = bins_of(dataset, names)
    quasi = [place for place, name in enumerate(names) if name in dataset.quasi]
    columns = {
        names[place]: _kept_in_pairs(place, before, after, SoftColumn.unknown(bins[place], 1)) for place in quasi
    }
    return Detail(sum(columns.values()) / len(columns) if columns else 0.0, columns)


def _kept_in_pairs(place: int, before: SoftRows, after: SoftRows, unknown: SoftColumn) -> float:
    start, end = before.starts[place : place + 2]
    kept: list[float] = []
    for other in _without(place, len(before.columns)):
        low, high = before.starts[other : other + 2]
        true, found = before.pairs[start:end, low:high], after.pairs[start:end, low:high]
        blind = np.outer(unknown.shares[0], before.shares[low:high])
        most = np.abs(true - blind).sum()
        kept.append(max(1 - float(np.abs(true - found).sum() / most), 0.0) if most > 0 else 1.0)
    return sum(kept) / len(kept) if kept else 0.0


def _without(place: int, n: int) -> Sequence[int]:
    return [other for other in range(n) if other != place]


def means_of_targets(targets: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over other columns as targets, by measure: of guessing, the original and the release, and of how many."""
    found = {}
    for measure in ("accuracy", "variance"):
        ones = [one for one in targets if one["measure"] == measure]
        if ones:
            sides = ("guessing", "original", "release")
            found[measure] = {side: sum(one[side] for one in ones) / len(ones) for side in sides} | {"n": len(ones)}
    return found


# -- in words ----------------------------------------------------------------------------------------------------------


def table_of_kept(kept: Mapping[str, Kept]) -> str:
    """What releases hold, a line each, as text."""
    head = ("release", "detail", "columns", "suppressed", "1-way", "2-way", "3-way", "correlations", "others", "raw")
    lines: list[tuple[str, ...]] = [head]
    for name, one in kept.items():
        tables = one.tables
        ways = [None] * 4 if tables is None else [tables.one_way, tables.two_way, tables.three_way, tables.correlations]
        others = means_of_targets([asdict(target) for target in one.targets]).get("accuracy")
        figures = [*ways, None if others is None else others["release"], None if one.raw is None else one.raw.raw.value]
        size = f"{one.columns} -> {one.content}"
        shown = ["none" if value is None else f"{value:.3f}" for value in figures]
        lines.append(
            (name, "none" if one.detail is None else f"{one.detail.whole:.3f}", size, f"{one.suppressed:.3f}", *shown)
        )
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join(
        [
            "What a release of seven rows in ten holds, and what it says about the others:",
            "",
            *text,
            "",
            "Detail: information kept, 0 to 1. Columns: with two labels or more. Tables: total variation, 0 is best.",
            "Others: accuracy on every other column as target. Raw: accuracy on rows that are not recoded.",
        ]
    )


def warnings_of(kept: dict[str, Any]) -> list[str]:
    """What a holder must know before publishing, from a `Kept` as a dictionary: sentences with counts and names.

    >>> for text in warnings_of({"blank": ["age"], "suppressed": 0.9, "columns": 3, "needs_recoding": False}):
    ...     print(text)
    1 of 3 columns is blank: 'age' says the same in every row.
    90 % of the cells of quasi-identifiers are suppressed.
    """
    said = []
    if blank := kept["blank"]:
        verb = "is blank" if len(blank) == 1 else "are blank"
        says = "says" if len(blank) == 1 else "say"
        said.append(
            f"{len(blank)} of {kept['columns']} columns {verb}: {listing(blank, most=8)} {says} the same in every row."
        )
    if nearly := _nearly_blank(kept):
        verb, keeps = ("is nearly blank", "keeps") if len(nearly) == 1 else ("are nearly blank", "keep")
        said.append(
            f"{len(nearly)} of {kept['columns']} columns {verb}: {listing(nearly, most=8)} {keeps} less than 1 % of"
            " what the values told."
        )
    if kept["suppressed"] > MOSTLY:
        said.append(f"{kept['suppressed']:.0%} of the cells of quasi-identifiers are suppressed.".replace("%", " %"))
    if kept["needs_recoding"]:
        said.append(_recode_first(kept["raw"], "rows"))
    return said


def _nearly_blank(kept: dict[str, Any]) -> list[str]:
    """The columns of a table that say something else in so few rows that hardly anything is left; nothing at all is
    left of those that are blank, or not published.
    """
    columns = (kept.get("detail") or {}).get("columns", {})
    return [name for name, share in columns.items() if 0 < share < HARDLY and name not in kept["blank"]]


def evident_warnings(own_rows: RawUse | None) -> list[str]:
    """What is evident without held-out rows, from the use of a release on its own rows."""
    needed = own_rows is not None and own_rows.needs_recoding
    return [_recode_first(asdict(own_rows), "its own rows")] if own_rows is not None and needed else []


def _recode_first(raw: dict[str, Any], rows: str) -> str:
    return (
        "It cannot be used without recoding: a classifier that learnt from it is right about"
        f" {100 * raw['raw']['value']:.1f} % of {rows} as they are, {100 * raw['recoded']['value']:.1f} % of recoded"
        f" rows; guessing is right about {100 * raw['guessing']['value']:.1f} %. Tell recipients to use"
        " `discreet recode`."
    )
