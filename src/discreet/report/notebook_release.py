# SPDX-License-Identifier: Apache-2.0
"""Releases, verdicts and verifications in a notebook. Of a release the first published rows are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.evaluate.detail import blank_columns
from discreet.evaluate.facts import promise_in_words
from discreet.release.certificate import EVIDENCE
from discreet.report.cautions import cautions_of
from discreet.report.notebook import Display, Grid
from discreet.report.wording import brief, count, number, percent, plural

_FIRST_ROWS = 5
_FIRST_COLUMNS = 12


def of_verdict(verdict: Any) -> Display:
    facts: list[tuple[str, object]] = []
    for one in verdict.parts or (verdict,):
        of = f", {one.promise}" if verdict.parts else ""
        facts += [(f"required{of}", number(one.required)), (f"measured{of}", number(one.measured))]
        if one.with_label is not None:
            facts.append((f"measured if the label is known, too{of}", number(one.with_label)))
    facts += [("rows", count(verdict.rows)), ("rows that fall short", count(verdict.rows_short))]
    facts += [(str(name), number(value)) for name, value in verdict.details.items()]
    grid = Grid(("", "figure"), facts, right=("figure",))
    parts = verdict.parts or (verdict,)
    mind = [
        f"Whoever knows the label, too: {number(one.with_label)} left instead of {number(one.required)}."
        for one in parts
        if verdict.holds and one.with_label is not None and one.with_label < one.required
    ]
    return Display(
        f"{verdict.promise}",
        holds=verdict.holds,
        lines=[verdict.sentence(), f"Evidence: {EVIDENCE.get(verdict.kind, verdict.kind)}"],
        grids=[grid],
        notes=verdict.notes,
        mind=mind,
    )


def of_verification(verification: Any) -> Display:
    certificate = verification.certificate
    title = "Verified" if verification.holds else "Not verified"
    facts: list[tuple[str, object]] = []
    if certificate is not None:
        facts = [
            ("promise", str(certificate.promise.get("name", ""))),
            ("method", certificate.method.name),
            ("rows", count(certificate.rows)),
            ("columns", count(len(certificate.columns))),
            ("id", verification.id),
            ("signed with", verification.signer or "not signed"),
        ]
    said = verification.verdict.sentence() if verification.holds and verification.verdict is not None else ""
    lines = [said, *verification.problems]
    mind = [] if certificate is None else _cautions(certificate)
    return Display(title, verification.holds, lines, [Grid(("", "stated"), facts)], verification.remarks, mind)


def of_release(release: Any) -> Display:
    size = plural(release.rows, "row") if release.content.has_rows else release.shape
    title = f"Release of {size} and {plural(len(release.columns), 'column')}: {release.promise}"
    parameters = [(name, brief(value)) for name, value in release.parameters.items() if value is not None]
    facts: list[tuple[str, object]] = [("method", release.method)]
    if release.content.has_cells:
        losses, groups = release.losses, release.losses.groups
        facts += [
            ("groups of equal quasi-identifiers", count(groups.groups)),
            ("of them of one class", f"{count(groups.pure_groups)} ({plural(groups.pure_rows, 'row')})"),
            ("quasi-identifier cells suppressed", percent(losses.information_loss)),
            ("rows left out", count(losses.left_out)),
        ]
    if release.verdict.with_label is not None:
        facts.append(("measured if the label is known, too", number(release.verdict.with_label)))
    if release.detail is not None and not release.noise:  # a figure of private rows has no place beside noise
        facts.append(("detail kept", percent(release.detail.whole)))
    lines = [release.verdict.sentence(), promise_in_words(release.promise)]
    stated = Grid(("parameter", "value"), parameters, f"The {plural(len(parameters), 'parameter')}", hidden=True)
    grids = [Grid(("", "this release"), facts), stated, _columns(release), *_first_rows(release)]
    notes = [f"Not protected: {release.promise.does_not_protect}", *release.owner.notes]
    mind = _cautions(release.certificate, blank_columns(release) if release.content.has_cells else ())
    return Display(title, release.verdict.holds, lines, grids, notes, mind)


def _cautions(certificate: Any, blank: Sequence[str] = ()) -> list[str]:
    return [f"{line['title']}: {line['text']}" for line in cautions_of(certificate, blank=blank)]


def _columns(release: Any) -> Grid:
    kept = {} if release.detail is None or release.noise else release.detail.columns
    published = release.content.published_columns(release.roles)
    rows = [(one.name, one.role, one.kind, f"{kept[one.name]:.2f}" if one.name in kept else "") for one in published]
    caption = f"The {plural(len(rows), 'published column')}"
    return Grid(("column", "role", "kind", "detail"), rows, caption, right=("detail",), hidden=True)


def _first_rows(release: Any) -> list[Grid]:
    """The first published rows of a table: anybody may see them. They are in random order."""
    if release.shape != "table" or release.content.is_stored:
        return []
    names = release.columns[:_FIRST_COLUMNS]
    some = release.table.select(names).take(np.arange(min(_FIRST_ROWS, release.rows)))
    cells = [column.to_arrow().to_pylist() for column in some.columns()]
    rows = [["" if cell is None else cell for cell in row] for row in zip(*cells, strict=True)]
    more = len(release.columns) - len(names)
    caption = f"The first {plural(len(rows), 'row')}, as published{f', without {more} columns' if more else ''}"
    return [Grid(names, rows, caption)]
