# SPDX-License-Identifier: Apache-2.0
"""What a promise that holds leaves open in one release: the lines that a reader must see first.

Each is read off the certificate, which states counts of the published rows, or off what the owner measured. A release
with such a line is never shown in green, although its promise holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.data.content import Content
from discreet.errors import listing
from discreet.release.certificate import Certificate, VerdictRecord
from discreet.release.verify import separate_sets_remarks, singled_out_remarks, weakness_remarks
from discreet.report.wording import count, number, percent, plural

FEW = 100  # persons or rows: outsiders may know who is among so few
MOSTLY = 0.5  # share of suppressed cells from which on a release is mostly suppressed
_NOISE = "differential privacy"

Line = dict[str, str]  # key, title, text


def cautions_of(
    certificate: Certificate,
    *,
    blank: Sequence[str] = (),
    guessed: Sequence[str] = (),
    suppressed: float | None = None,
    tree: dict[str, Any] | None = None,
    alone: Sequence[str] = (),
    remarks: Sequence[str] = (),
) -> list[Line]:
    """The lines of a release, the gravest first.

    `blank` are columns that say the same in every row, `guessed` those whose roles nobody confirmed, `suppressed` the
    share of cells that are suppressed or left out, `tree` what is known of a published tree, `alone` the remarks on
    columns that single people out, `remarks` what was found beyond the certificate.
    """
    parts = certificate.verdict.parts or (certificate.verdict,)
    lines: list[Line] = []
    if not _is_noisy(certificate):
        lines += _label_known(parts) + _one_class(certificate) + _pure_leaves(tree) + _one_value(certificate)
        lines += _items(parts)
    lines += [_line("singled out", "Columns that single people out", text) for text in alone]
    lines += _guessed(guessed) + _downcoding(certificate) + _weak(certificate) + _few(certificate)
    lines += _blank(blank, certificate) + _suppressed(certificate, suppressed)
    return lines + [_line("remark", "Mind", text) for text in remarks]


def cautions_of_content(certificate: Certificate, content: Content) -> list[Line]:
    """The lines that published files tell by themselves."""
    blank = blank_columns(certificate, content) or ()
    return cautions_of(certificate, blank=blank, alone=singled_out_remarks(certificate, content))


def blank_columns(certificate: Certificate, content: Content) -> tuple[str, ...] | None:
    """Published columns of a table that say the same in every row, the target not counted; None of other content."""
    if certificate.shape != "table":
        return None
    names = [column.name for column in certificate.columns if column.role != "target"]
    return tuple(column.name for column in content.value_columns(names) if column.levels < 2)


def cautions_of_facts(
    facts: dict[str, Any], kept: dict[str, Any], *, guessed: Sequence[str] = (), alone: Sequence[str] = ()
) -> list[Line]:
    """The same for the facts of a release in a summary, which hold its certificate as plain data."""
    certificate = Certificate.model_validate(facts["certificate"])
    beyond = "recod", "nearly blank", "add nothing"  # all else follows from the certificate
    needed = [text for text in facts.get("warnings", ()) if any(word in text for word in beyond)]
    return cautions_of(
        certificate,
        blank=kept["blank"],
        guessed=guessed,
        suppressed=kept["suppressed"] if "changes" in facts else None,
        tree=facts.get("tree"),
        alone=alone,
        remarks=needed,
    )


def _line(key: str, title: str, text: str) -> Line:
    return {"key": key, "title": title, "text": text}


def _is_noisy(certificate: Certificate) -> bool:
    return certificate.noise is not None or _NOISE in _names(certificate.promise)


def _names(promise: dict[str, Any]) -> list[str]:
    return [str(part.get("name")) for part in promise.get("promises", [promise])]


def _label_known(parts: Sequence[VerdictRecord]) -> list[Line]:
    falling = [part for part in parts if part.holds and part.measured < part.required]  # the less, the better
    known = [
        part
        for part in parts
        if part.with_label is not None and part.with_label < part.required and part not in falling
    ]
    if not known:
        return []
    worst = min(known, key=lambda part: part.with_label or 0)
    left = number(worst.with_label or 0)
    alone = ", so such a person is found" if worst.with_label == 1 else ""
    return [
        _line(
            "label known",
            "Whoever knows the label",
            f"Somebody who knows the label of a person too, which is published as it is, is left with {left} instead of"
            f" {number(worst.measured)}{alone}.",
        )
    ]


def _one_class(certificate: Certificate) -> list[Line]:
    groups = certificate.groups
    has_label = bool(certificate.names("target")) or certificate.shape == "baskets"
    if groups is None or not groups.pure_rows or not has_label:
        return []
    share = percent(groups.pure_rows / max(certificate.rows, 1))
    return [
        _line(
            "one class",
            "Groups of one class",
            f"{share} of the rows are in groups in which all rows have the same label, {count(groups.pure_groups)} of"
            f" {plural(groups.groups, 'group')}: whoever knows that a person is in such a group knows the label.",
        )
    ]


def _pure_leaves(tree: dict[str, Any] | None) -> list[Line]:
    if not tree or not tree["pure_leaves"]:
        return []
    leaves = plural(tree["pure_leaves"], "leaf shows", "leaves show")
    text = f"{leaves} one class only, for {plural(tree['pure_rows'], 'row')}: whoever can answer the tree's questions"
    return [_line("one class", "Leaves of one class", f"{text} for such a person learns the class.")]


def _one_value(certificate: Certificate) -> list[Line]:
    found = {} if certificate.groups is None else certificate.groups.diversity
    single = [name for name in certificate.names("sensitive") if found.get(name) == 1]
    if not single:
        return []
    text = f"In at least one group all rows have the same value of {listing(single)}: whoever knows that a person is in"
    return [_line("one value", "Groups of one sensitive value", f"{text} it knows the value.")]


def _items(parts: Sequence[VerdictRecord]) -> list[Line]:
    lines = []
    for part in parts:
        lacks, shared = part.details.get("classical k"), part.details.get("rows whose containing rows share one label")
        if lacks is not None and lacks < part.required:
            rows = part.details.get("rows in groups below k")  # which are not counted for every promise
            few = "" if rows is None else f"; {plural(rows, 'row is', 'rows are')} in groups below {part.required:g}"
            text = f"Somebody who also knows what a person lacks is left with {number(lacks)}{few}."
            lines.append(_line("absences", "Whoever knows absences", text))
        if shared:
            text = (
                f"For {plural(shared, 'row')}, everybody who has the same items has the same label: whoever knows the"
            )
            lines.append(_line("one class", "Items that tell the label", f"{text} items knows the label."))
    return lines


def _guessed(guessed: Sequence[str]) -> list[Line]:
    if not guessed:
        return []
    text = f"The roles of {plural(len(guessed), 'column')} were guessed, not given: {listing(guessed, 8)}. A wrong role"
    return [_line("guessed roles", "Guessed roles", f"{text} makes the promise worthless.")]


def _downcoding(certificate: Certificate) -> list[Line]:
    method, labels = certificate.method.name, certificate.method.parameters.get("labels")
    if method != "mondrian" or labels not in ("hierarchy", "local"):
        return []
    return [
        _line(
            "downcoding",
            "Labels as tight as possible",
            "Labels were chosen by the values of their group, as narrow as these allow: whoever knows the method can"
            " conclude that some row of a group holds something rare. Labels between cuts do not tell that.",
        )
    ]


def _weak(certificate: Certificate) -> list[Line]:
    promise = certificate.the_promise()
    found = weakness_remarks(promise) + separate_sets_remarks(promise)
    return [_line("weak promise", "The promise asks for little", text) for text in found]


def _few(certificate: Certificate) -> list[Line]:
    rows = certificate.rows
    if not certificate.content_type.has_rows or rows >= FEW:
        return []
    text = (
        f"Only {plural(rows, 'row')}: outsiders may know who is among so few, and every share is a handful of people."
    )
    return [_line("few rows", "Few rows", text)]


def _blank(blank: Sequence[str], certificate: Certificate) -> list[Line]:
    if not blank:
        return []
    columns = len(certificate.columns) - len(certificate.names("target"))
    verb, says = ("is blank", "says") if len(blank) == 1 else ("are blank", "say")
    text = (
        f"{count(len(blank))} of {plural(columns, 'column')} {verb}: {listing(blank, 8)} {says} the same in every row."
    )
    return [_line("blank columns", "Blank columns", text)]


def _suppressed(certificate: Certificate, share: float | None) -> list[Line]:
    cells = certificate.changes.quasi_cells
    share = certificate.changes.suppressed_cells / max(cells, 1) if share is None else share
    if share <= MOSTLY:
        return []
    text = f"{percent(share)} of the cells of quasi-identifiers are suppressed."
    return [_line("suppressed", "Mostly suppressed", text)]
