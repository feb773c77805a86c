# SPDX-License-Identifier: Apache-2.0
"""The data dictionary of a release: every column, and every kind of mark that occurs in it, in words.

It is made from the published folder alone: the certificate, the rows and the recoding record. So it tells a recipient
nothing that the folder does not, and anybody can make it again.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from discreet.counting.row_counts import row_counts_of
from discreet.data.column import Kind
from discreet.data.content import Content
from discreet.data.formulas import neutral
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.labels import Labelling
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.release.certificate import Certificate, ColumnRecord
from discreet.report.marks import MARKS, in_words, mark_by_looks, mark_of
from discreet.report.wording import count, percent

MOST_LABELS = 12  # labels of a column that are spelt out; the record has all
_MOST_MEMBERS = 8
_ROLES = {
    "target": "the label, which classifiers are to predict",
    "quasi": "a quasi-identifier: outsiders may know it of a person; the promise covers it",
    "sensitive": "a sensitive column: what outsiders may want to learn",
    "other": "a column that outsiders are assumed not to know",
}
_KINDS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "item": "yes or no",
    "sketch": "components of a sketch",
}


def dictionary_of(
    certificate: Certificate, content: Content, record: EachColumn | Boxes | None, groups: GroupedItems | None
) -> list[dict[str, Any]]:
    """One entry for each published column: name, role and kind in words, how it is written, and its marks."""
    labellings = {} if record is None else {one.name: one for one in record.columns}
    means = {} if groups is None else {name: groups.meaning(name, most=_MOST_MEMBERS) for name in groups.names}
    shares = _shares(certificate, content)
    return [
        _entry(column, labellings.get(column.name), means.get(column.name), shares.get(column.name), certificate)
        for column in certificate.columns
    ]


def _shares(certificate: Certificate, content: Content) -> dict[str, list[tuple[str | None, float]]]:
    """The texts of each column of a table with their shares of the rows, None for empty cells."""
    if certificate.shape != "table" or not content.n_rows:
        return {}
    found: dict[str, list[tuple[str | None, float]]] = {}
    for column in certificate.columns:
        counted = row_counts_of(content, [column.name]).whole
        values = counted.column(column.name)
        shares = np.bincount(values.codes, counted.counts.sum(axis=1), minlength=values.levels) / content.n_rows
        texts: list[str | None] = [*values.texts, None]
        found[column.name] = [(text, float(share)) for text, share in zip(texts, shares, strict=False) if share > 0]
    return found


def _entry(
    column: ColumnRecord,
    labelling: Labelling | None,
    meaning: str | None,
    shares: list[tuple[str | None, float]] | None,
    certificate: Certificate,
) -> dict[str, Any]:
    marks: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    written = _written(column, labelling, certificate)
    if meaning is not None:
        written = f"1 if {meaning}" if meaning else written
    elif shares is not None:
        is_listed = _is_listed(column.name, certificate)
        least = "the published list does not have it" if is_listed else _least(certificate)
        labels = _labels(column, labelling, shares, least=least, is_listed=is_listed)
        marks = _marks(labels)
    return {
        "name": column.name,
        "role": _ROLES[column.role] + ("; it is sensitive, too" if column.sensitive else ""),
        "kind": _KINDS[column.kind if labelling is None or labelling.fallback == "0" else labelling.kind],
        "written": written,
        "labels": len(labels),
        "marks": marks,
        "spelt_out": [_without_mark(one) for one in labels[:MOST_LABELS]] if column.role == "quasi" else [],
    }


def _without_mark(label: dict[str, Any]) -> dict[str, Any]:
    return {name: label[name] for name in ("label", "meaning", "share")}


def _least(certificate: Certificate) -> str:
    """How many persons have what is named, if the promise says so."""
    parts = certificate.promise.get("promises", [certificate.promise])
    found = [part["k"] for part in parts if isinstance(part.get("k"), int)]
    return f"fewer than {count(min(found))} persons have each of them" if found else "few persons have each of them"


def _is_listed(name: str, certificate: Certificate) -> bool:
    """Whether the holder gave a grid or a hierarchy of the column's values: what it does not name may be common."""
    given = [certificate.method.parameters.get(parameter) for parameter in ("grids", "hierarchies")]
    return any(one == "given" or (isinstance(one, list) and name in one) for one in given)


def _written(column: ColumnRecord, labelling: Labelling | None, certificate: Certificate) -> str:
    """How the cells of a column are written."""
    if certificate.shape == "baskets" and column.kind == "item":
        return "an item: a row has it or not"
    if column.kind == "sketch":
        return "numbers that stand for a whole record; none of them is a value of the record"
    if not certificate.content_type.has_rows:
        return "named in the published document; its cells are not published"
    if labelling is not None and labelling.fallback == "0":
        value = labelling.name.partition("=")[2]
        what = f"the value {value!r} of {labelling.source!r}" if value else f"the value of {labelling.source!r}"
        return f"1 if a row has {what}, 0 if not"
    if labelling is not None:
        return "as labels, each of which stands for one value or more"
    if certificate.noise is not None:
        return "drawn with noise: no cell is that of a person"
    return "as it was" if column.role != "quasi" else "as labels or as it was"


def _labels(
    column: ColumnRecord,
    labelling: Labelling | None,
    shares: list[tuple[str | None, float]],
    *,
    least: str,
    is_listed: bool,
) -> list[dict[str, Any]]:
    """The labels that occur, the commonest first: kind of mark, meaning, and share of the rows."""
    meanings = {} if labelling is None else dict(zip(labelling.labels, labelling.meanings, strict=True))
    is_item = labelling is not None and labelling.fallback == "0"
    found = []
    for text, share in sorted(shares, key=lambda one: (-one[1], one[0] is None, one[0] or "")):
        kind: Kind = "number" if column.kind == "number" else "date" if column.kind == "date" else "category"
        if is_item:
            mark, meaning = "item", "the row has it" if text == "1" else "the row does not have it"
        elif text in meanings and labelling is not None:
            mark = mark_of(text, meanings[text])
            mark = "unlisted" if mark == "other" and is_listed else mark
            meaning = in_words(meanings[text], labelling.kind, least=least)
        else:
            mark = mark_by_looks(text, kind, coarsened=column.role == "quasi")
            meaning = MARKS[mark].means if text is None or mark != "value" else "this value"
        found.append({"label": text, "mark": mark, "meaning": meaning, "share": share})
    return found


def _marks(labels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The kinds of marks that occur, in a fixed order, each with an example and how many rows have it."""
    found = []
    for key, mark in MARKS.items():
        ones = [label for label in labels if label["mark"] == key]
        if ones:
            share = round(min(sum(label["share"] for label in ones), 1.0), 12)
            form = mark.form or str(ones[0]["label"])
            found.append(
                {
                    "mark": key,
                    "form": form,
                    "means": mark.means,
                    "example": "" if ones[0]["label"] is None else ones[0]["label"],
                    "example_means": ones[0]["meaning"],
                    "labels": len(ones),
                    "share": share,
                }
            )
    return found


# -- as files --------------------------------------------------------------------------------------------------------


def to_csv(entries: list[dict[str, Any]]) -> str:
    """A line for each column and each kind of mark in it; no cell is run as a formula by a spreadsheet."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["column", "role", "kind", "written", "mark", "means", "example", "example_means", "share_of_rows"])
    for entry in entries:
        head = [entry["name"], entry["role"], entry["kind"], entry["written"]]
        for mark in entry["marks"] or [None]:
            tail = ["", "", "", "", ""]
            if mark is not None:
                tail = [mark[name] for name in ("form", "means", "example", "example_means")]
                tail.append(f"{mark['share']:.4f}")
            lines.writerow([neutral(str(cell)) for cell in (*head, *tail)])
    return text.getvalue()


def to_markdown(entries: list[dict[str, Any]], *, title: str, note: str) -> str:
    """The dictionary as Markdown, in which outside text is neither markup nor a table's border."""
    lines = [f"# {title}", "", note, ""]
    for entry in entries:
        lines += [
            f"## {_quoted(entry['name'])}",
            "",
            f"- {_capital(entry['role'])}.",
            f"- Holds {entry['kind']}, written",
        ]
        lines[-1] += f" {_escaped(entry['written'])}."
        if entry["marks"]:
            lines += ["", "| mark | means | example | the example means | share of the rows |", "|---|---|---|---|---|"]
        for mark in entry["marks"]:
            cells = (_quoted(mark["form"]), mark["means"], _quoted(mark["example"]), _escaped(mark["example_means"]))
            lines.append(f"| {' | '.join(cells)} | {percent(mark['share'])} |")
        lines.append("")
    return "\n".join(lines)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _quoted(text: str) -> str:
    """Outside text as code: no backtick, bar or line break of its own can end it."""
    plain = " ".join(str(text).split()).replace("`", "'").replace("|", "¦")
    return f"`{plain}`" if plain else "(empty)"


def _escaped(text: str) -> str:
    flat = " ".join(str(text).split())
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!" else sign for sign in flat)
