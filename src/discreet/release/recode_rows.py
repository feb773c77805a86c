# SPDX-License-Identifier: Apache-2.0
"""New rows in the form of a saved release, by whoever has its published folder."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.foundation.plain_files import MOST_STATED, opened, read_most
from discreet.recoding.patterns import recoded_rows
from discreet.recoding.record import RECORD, from_bytes
from discreet.release.certificate import Certificate, sha256_of

_ANEW = "Get the release anew from its holder."


def recode(folder: str | os.PathLike, rows: object) -> Table:
    """New rows as the release in `folder` writes them: its columns, in the rows' order, with published labels only.

    `folder` is the published folder, the one that holds certificate.json; `rows` any frame, file or query that has the
    quasi-identifiers as they were before. A row that fits no published pattern is written as the one that it fits in
    most columns. The promise covers the released rows only.
    """
    folder = Path(folder)
    certificate = Certificate.read(folder)
    if not certificate.content_type.has_rows:
        hint = " Let the model predict them: discreet.load_model." if certificate.shape == "model" else ""
        raise DataError(f"The release holds a document ({certificate.shape}), no rows to write others like.{hint}")
    if RECORD not in certificate.files:
        raise DataError(
            f"The release has no {RECORD}, so rows cannot be brought to its form: its method changes rows together, or"
            " it has too many patterns. Ask its owner to recode them."
        )
    stated = certificate.files[RECORD]
    if certificate.seal != certificate.computed_seal() or not os.path.lexists(folder / RECORD):
        raise DataError(f"The certificate was changed after it was sealed, or {RECORD} is not there. {_ANEW}")
    with opened(folder / RECORD, most=MOST_STATED) as file:
        if os.fstat(file.fileno()).st_size != stated.bytes or sha256_of(file) != stated.sha256:
            raise DataError(f"{RECORD} was changed after it was certified. {_ANEW}")
        plan = from_bytes(read_most(file, MOST_STATED))
    return recoded_rows(plan, rows, tuple(column.name for column in certificate.columns))
