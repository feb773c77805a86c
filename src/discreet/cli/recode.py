# SPDX-License-Identifier: Apache-2.0
"""discreet recode: write new rows with the labels of a release, from its published folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.data import write_file
from discreet.cli.file_options import ReadingOptions
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, step, watch
from discreet.errors import DataError, listing


@with_groups
def recode(
    *,
    folder: Annotated[Path, typer.Argument(help="The release folder, the one that holds certificate.json.")],
    file: Annotated[Path, typer.Argument(help="The new rows, a CSV or Parquet file with the original columns.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write, .csv or .parquet.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write new rows with the labels of a release, so that a model trained on it can be used on them.

    Needs only the published folder. The promise covers the released rows, not the ones written here.
    """
    from discreet.data.storage import FORMATS
    from discreet.release.recode_rows import recode as recode_rows

    watch(quiet=quiet, as_json=as_json)
    format = out.suffix.lstrip(".").lower()
    if format not in FORMATS:
        raise DataError(f"{out.name!r} is written as .csv or .parquet. Choose a name with one of these endings.")
    table = reading.read(file)
    with step(f"Recoding {len(table):,} rows"):
        written = recode_rows(folder, table)
    write_file(out, overwrite, lambda path: written.write(path, format))
    if as_json:
        emit({"format": 1, "file": str(out), "rows": len(written), "columns": list(written.names)})
    elif not quiet:
        say(f"{out}: {len(written):,} rows, columns {listing(written.names, most=8)}.")
        say("The promise covers the released rows, not these: do not publish them as if it did.")
