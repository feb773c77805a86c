# SPDX-License-Identifier: Apache-2.0
"""Figures of a certificate that the published files tell, counted again; and whether a file holds its cells alone.

Writing what was read must give the same bytes. So there is nothing in a file that a reader does not see: no second
spelling of a value, no unused entry of a dictionary, no old statistics, no comment.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

import pyarrow as pa

from discreet.data.content import Content
from discreet.data.parquet import layout_of
from discreet.errors import listing
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.release.certificate import Certificate, ChangesRecord
from discreet.release.verify_noise import labels_of

_MOST_TEXT = 2**28  # bytes of texts that are written again to compare them
_FLIPS = "random-flip"  # its cells are items, those that were dropped included


class _Hash(io.RawIOBase):
    """A file that is not kept: only its hash."""

    def __init__(self) -> None:
        super().__init__()
        self.found, self._place = hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, content: Any) -> int:
        self.found.update(content)
        self._place += len(content)
        return len(content)


def bytes_problems(content: Content, file: BinaryIO, name: str, sha256: str) -> tuple[list[str], list[str]]:
    """Whether the file is what discreet writes for these cells; a remark where another version of Arrow wrote it."""
    if content.text_size() > _MOST_TEXT:
        return [], [f"{name} was not compared byte by byte with what its cells would give: its texts are too long."]
    sink = _Hash()
    content.write(cast(BinaryIO, sink), name.rpartition(".")[2])
    if sink.found.hexdigest() == sha256:
        return [], []
    if name.endswith(".parquet"):
        writer = layout_of(file, None, lists=content.lists).created_by
        if writer != f"parquet-cpp-arrow version {pa.__version__}":
            return [], [
                f"{name} was written by another version of Arrow: that it holds nothing but its cells could not be"
                " compared byte by byte."
            ]
    return [f"{name} is not written as discreet writes these cells: it was edited, or holds more than them."], []


def no_change_problems(certificate: Certificate) -> list[str]:
    """The changes that are stated of a release without cells: of sketches, how many records were left out."""
    stated = certificate.changes
    if min(stated.model_dump().values()) < 0:
        return ["The certificate states changes below zero."]
    nothing = ChangesRecord(quasi_cells=0, suppressed_cells=0, changed_cells=0, rows_dropped=stated.rows_dropped)
    fine = stated == nothing and (certificate.content_type.has_rows or not stated.rows_dropped)
    return [] if fine else ["The certificate states changes of cells; this release has none."]


def change_problems(certificate: Certificate, content: Content, record: EachColumn | Boxes | None) -> list[str]:
    """The changes that are stated, beside what the files tell about them."""
    stated, rows = certificate.changes, certificate.rows
    if min(stated.model_dump().values()) < 0:
        return ["The certificate states changes below zero."]
    stars = int(content.suppressed(certificate.names("quasi")).sum())
    if stated.suppressed_cells != stars:
        return [f"The data has {stars} suppressed cells; the certificate states {stated.suppressed_cells}."]
    if (
        stated.swapped_cells > stated.changed_cells
        or stars > stated.changed_cells
        or stated.changed_cells > stated.quasi_cells
    ):
        return ["The certificate states more cells of one kind than there are."]
    wrong = ["The cells of quasi-identifiers that the certificate states are not those of its rows."]
    if stated.quasi_cells % rows or stated.quasi_cells < rows * _sources(certificate, record):
        return wrong
    items = certificate.shape == "baskets" and certificate.method.name != _FLIPS
    if items and stated.quasi_cells != rows * len(certificate.names("quasi")):
        return wrong
    return _dropped(certificate)


def _sources(certificate: Certificate, record: EachColumn | Boxes | None) -> int:
    """How many quasi-identifiers the published columns come from, at least."""
    names = certificate.names("quasi")
    if certificate.shape == "baskets":
        return len(names)
    if record is not None:
        return len({labelling.source for labelling in record.columns})
    return len({name.partition("=")[0] for name in names})


def _dropped(certificate: Certificate) -> list[str]:
    """Rows are left out only where fewer than k persons would be; of rows that is k - 1 at most."""
    dropped, k = certificate.changes.rows_dropped, getattr(certificate.the_promise(), "k", None)
    k = k or next((part.get("k") for part in certificate.promise.get("promises", ()) if part.get("k")), None)
    if certificate.shape == "baskets" and dropped:
        return ["The certificate states that rows were left out; of baskets none are."]
    if certificate.counted == "rows" and dropped and (k is None or dropped >= k):
        return [f"{dropped} rows were left out; at most {(k or 1) - 1} may be."]
    return []


def domain_problems(content: Content, domain: Mapping[str, Any]) -> list[str]:
    """Rows that were drawn have cells of the public domain, and no others."""
    outside = []
    for column in content.cell_columns():
        labels = labels_of(domain[column.name])
        if not set(column.texts) <= set(labels) or (column.has_missing and None not in labels):
            outside.append(column.name)
    return [f"Cells of {listing(outside)} are not in the public domain that the certificate states."] if outside else []


def column_problems(certificate: Certificate) -> list[str]:
    """Whether the columns can be those of a release of this shape."""
    fine = certificate.content_type.fits(certificate.published_columns)
    return [] if fine else ["The columns of the certificate are not those of a release of its shape."]
