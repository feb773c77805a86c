# SPDX-License-Identifier: Apache-2.0
"""Recount the figures of a certificate from the published files, and check that a file holds nothing but its cells.

Writing the cells again must give the same bytes. So a file hides nothing from its reader: no second spelling of a
value, no unused dictionary entry, no old statistics, no comment.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, cast

import pyarrow as pa

from discreet.data.column import Column
from discreet.data.content import Content
from discreet.data.parquet import layout_of
from discreet.data.stored_table import StoredTable
from discreet.errors import listing
from discreet.prepare.intervals import reach
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.release.certificate import Certificate, ChangesRecord
from discreet.release.losses import suppressed_cells
from discreet.release.verify_noise import labels_of
from discreet.release.verify_parts import parts_of

_MOST_TEXT = 2**28  # bytes of text that are written again and compared
_FLIPS = "random-flip"  # counts all items as cells, dropped ones included


class _Hash(io.RawIOBase):
    """A file object that keeps only the hash of what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.sha256, self._place = hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, content: Any) -> int:
        self.sha256.update(content)
        self._place += len(content)
        return len(content)


def bytes_problems(content: Content, file: BinaryIO, name: str, sha256: str) -> tuple[list[str], list[str]]:
    """Check that the file is exactly what discreet writes for these cells; a remark if that cannot be compared."""
    if content.text_size() > _MOST_TEXT:
        return [], [f"{name} is too large to be written again and compared byte by byte."]
    sink = _Hash()
    content.write(cast(BinaryIO, sink), name.rpartition(".")[2])
    if sink.sha256.hexdigest() == sha256:
        return [], []
    if name.endswith(".parquet"):
        writer = layout_of(file, None, lists=content.lists).created_by
        if writer != f"parquet-cpp-arrow version {pa.__version__}":
            return [], [
                f"{name} was written by another version of Arrow, so it could not be compared byte by byte: whether it"
                " holds nothing but its cells was not checked."
            ]
    return [f"{name} is not written as discreet writes these cells: it was edited, or holds more than its cells."], []


def rewritten_problems(table: StoredTable, certificate: Certificate) -> tuple[list[str], list[str]]:
    """As `bytes_problems`, part by part: the cells of each part, written again, must give the same bytes."""
    names, wrong, strange = parts_of(certificate), [], False
    for name, path in zip(names, table.files, strict=True):
        sink = _Hash()
        table.write_part(path, cast(BinaryIO, sink))
        if sink.sha256.hexdigest() != certificate.files[name].sha256:
            wrong.append(name)
            with table.open(path) as file:
                strange |= layout_of(file, None).created_by != f"parquet-cpp-arrow version {pa.__version__}"
    if not wrong:
        return [], []
    if strange:
        return [], [
            f"{len(wrong)} parts were written by another version of Arrow, so they could not be compared byte by byte:"
            " whether they hold nothing but their cells was not checked."
        ]
    return [f"{listing(wrong)} are not written as discreet writes these cells: edited, or with more than cells."], []


def no_change_problems(certificate: Certificate) -> list[str]:
    """Check the stated changes of a release without cells; sketches may state records left out."""
    changes = certificate.changes
    if min(changes.model_dump().values()) < 0:
        return ["The certificate states negative numbers of changes."]
    nothing = ChangesRecord(quasi_cells=0, suppressed_cells=0, changed_cells=0, rows_dropped=changes.rows_dropped)
    fine = changes == nothing and (certificate.content_type.has_rows or not changes.rows_dropped)
    return [] if fine else ["The certificate states changes of cells; this release has none."]


def change_problems(certificate: Certificate, content: Content, record: EachColumn | Boxes | None) -> list[str]:
    """Compare the stated changes with what the files show."""
    changes, rows = certificate.changes, certificate.rows
    if min(changes.model_dump().values()) < 0:
        return ["The certificate states negative numbers of changes."]
    stars = suppressed_cells(content, certificate.names("quasi"))
    if changes.suppressed_cells != stars:
        return [f"The data has {stars} suppressed cells; the certificate states {changes.suppressed_cells}."]
    if (
        changes.swapped_cells > changes.changed_cells
        or stars > changes.changed_cells
        or changes.changed_cells > changes.quasi_cells
    ):
        return ["The certificate states more changed cells of one kind than there can be."]
    wrong = ["The stated number of quasi-identifier cells does not fit the published rows."]
    if changes.quasi_cells % rows or changes.quasi_cells < rows * _sources(certificate, record):
        return wrong
    items = certificate.shape == "baskets" and certificate.method.name != _FLIPS
    if items and changes.quasi_cells != rows * len(certificate.names("quasi")):
        return wrong
    return _dropped(certificate)


def _sources(certificate: Certificate, record: EachColumn | Boxes | None) -> int:
    """Smallest number of quasi-identifiers that the published columns can come from."""
    names = certificate.names("quasi")
    if certificate.shape == "baskets":
        return len(names)
    if record is not None:
        return len({labelling.source for labelling in record.columns})
    return len({name.partition("=")[0] for name in names})


def _dropped(certificate: Certificate) -> list[str]:
    """Check the rows left out: at most k - 1 when rows are counted, since only too small groups are left out."""
    dropped, k = certificate.changes.rows_dropped, getattr(certificate.the_promise(), "k", None)
    k = k or next((part.get("k") for part in certificate.promise.get("promises", ()) if part.get("k")), None)
    if certificate.shape == "baskets" and dropped:
        return ["The certificate states that rows were left out, which never happens with baskets."]
    if certificate.counted == "rows" and dropped and (k is None or dropped >= k):
        return [f"{dropped} rows were left out; at most {(k or 1) - 1} may be."]
    return []


def domain_problems(content: Content, domain: Mapping[str, Any], *, numbers: bool = False) -> list[str]:
    """Check that the cells of synthetic rows are in the public domain, or are numbers that it allows."""
    outside = []
    for column in content.value_columns(content.names):
        labels = labels_of(domain[column.name])
        cuts = domain[column.name].get("cuts", [""])
        if numbers and not isinstance(cuts[0], str):
            if not _numbers_within(column, cuts) or (column.has_missing and None not in labels):
                outside.append(column.name)
        elif not set(column.texts) <= set(labels) or (column.has_missing and None not in labels):
            outside.append(column.name)
    return [f"Cells of {listing(outside)} are not in the public domain that the certificate states."] if outside else []


def column_problems(certificate: Certificate) -> list[str]:
    """Check that a release of this shape can have these columns."""
    fine = certificate.content_type.fits(certificate.published_columns)
    return [] if fine else ["A release of this shape cannot have the columns that the certificate states."]


def _numbers_within(column: Column, cuts: Sequence[float]) -> bool:
    """Whether all cells are numbers where a draw within the intervals may lie; whole ones if all cuts are."""
    if not len(column.values):
        return True
    if column.kind != "number":
        return False
    low, high = reach(cuts)
    whole = all(float(cut).is_integer() for cut in cuts)
    return all(low <= number < high and (not whole or number.is_integer()) for number in column.numbers.tolist())
