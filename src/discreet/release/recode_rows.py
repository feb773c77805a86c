# SPDX-License-Identifier: Apache-2.0
"""Recode new rows to the form of a saved release, from its published folder alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from discreet.data.dataset import rows_with_items
from discreet.errors import DataError
from discreet.foundation.plain_files import MOST_STATED, opened, read_most
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import recoded_rows
from discreet.recoding.record import RECORD, from_bytes
from discreet.release.certificate import Certificate, sha256_of

_ANEW = "Get the release again from its holder."


def recode(folder: str | os.PathLike[str], rows: Any) -> Any:
    """Recode new rows to the form of the release in `folder`: its columns and labels, in the order of the rows.

    `folder` is the published folder, which holds certificate.json; `rows` is any frame, file or query with the original
    quasi-identifiers, and the result a table. For a release of grouped items `rows` are baskets or transactions, and so
    the result is baskets. A row that fits no published pattern takes the pattern that it matches in most columns. The
    promise covers the released rows only.
    """
    folder = Path(folder)
    certificate = Certificate.read(folder)
    if not certificate.content_type.has_rows:
        hint = " Let the model predict them: discreet.load_model." if certificate.shape == "model" else ""
        raise DataError(
            f"The release is a document ({certificate.shape}) without rows, so rows cannot be recoded to it.{hint}"
        )
    if RECORD not in certificate.files:
        raise DataError(
            f"The release has no {RECORD}, so rows cannot be recoded to it: its method changes clusters of rows or"
            " draws numbers, or it has too many patterns. Ask its owner to recode them."
        )
    file_record = certificate.files[RECORD]
    if certificate.seal != certificate.computed_seal() or not os.path.lexists(folder / RECORD):
        raise DataError(f"The certificate was changed after it was sealed, or {RECORD} is not there. {_ANEW}")
    with opened(folder / RECORD, most=MOST_STATED) as file:
        if os.fstat(file.fileno()).st_size != file_record.bytes or sha256_of(file) != file_record.sha256:
            raise DataError(f"{RECORD} was changed after it was certified. {_ANEW}")
        content = read_most(file, MOST_STATED)
    if certificate.shape == "baskets":
        return GroupedItems.from_bytes(content).apply(rows_with_items(rows))
    plan = from_bytes(content)
    return recoded_rows(plan, rows, tuple(column.name for column in certificate.columns))
