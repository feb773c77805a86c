# SPDX-License-Identifier: Apache-2.0
"""discreet recode: write new rows with the labels of a release, from its published folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.data import BASKET_SUFFIXES, write_file, write_lines, write_table
from discreet.cli.engine_options import CountingOptions
from discreet.cli.file_options import BasketOptions, ReadingOptions
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, step, watch
from discreet.cli.parquet_files import parquet_files
from discreet.cli.running import names_of, refuse_unused
from discreet.errors import DataError, listing

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.engines.protocol import RowEngine


@with_groups
def recode(
    *,
    folder: Annotated[Path, typer.Argument(help="The release folder, the one that holds certificate.json.")],
    file: Annotated[
        Path,
        typer.Argument(
            help="The new rows, with the original columns: CSV, Excel, Parquet, SPSS and others; or a folder or"
            " pattern of Parquet files,"
            " which are recoded batch by batch; baskets as they came."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="File to write: .csv, .parquet, .xlsx, .sav or .dta; baskets .dat or .txt."),
    ],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    reading: ReadingOptions,
    rows: CountingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write new rows with the labels of a release, so that a model trained on it can be used on them.

    Needs only the published folder. The promise covers the released rows, not the ones written here. Of the released
    rows themselves, those with a value that is too rare to be named, and some of kactus2, may get other labels again.
    """
    from discreet.data.formats_out import format_of
    from discreet.data.storage import FORMATS
    from discreet.release.certificate import Certificate
    from discreet.release.recode_rows import recode as recode_rows

    watch(quiet=quiet, as_json=as_json)
    if Certificate.read(folder).shape == "baskets":
        refuse_unused(*names_of(CountingOptions), because="engines read the rows of tables, and these are baskets")
        _recode_baskets(folder, file, out, overwrite=overwrite, reading=reading, quiet=quiet, as_json=as_json)
        return
    format = format_of(out)
    if rows.is_used:
        if format not in FORMATS:
            raise DataError(f"Rows that an engine reads are written as {listing(FORMATS)}.")
        with step("Recoding"), rows.opened(file, reading) as engine:
            n_rows, names = _recode_engine(folder, engine, out, overwrite, format)
    elif format in FORMATS and (files := parquet_files(file)):
        refuse_unused(
            *names_of(ReadingOptions), because="Parquet files that are recoded in batches are read as they are"
        )
        with step(f"Recoding {len(files):,} files"):
            n_rows, names = _recode_files(folder, files, out, overwrite, format)
    else:
        table = reading.read(file)
        with step(f"Recoding {len(table):,} rows"):
            written = recode_rows(folder, table)
        write_table(written, out, overwrite)
        n_rows, names = len(written), written.names
    if as_json:
        emit({"format": 1, "file": str(out), "rows": n_rows, "columns": list(names)})
    elif not quiet:
        say(f"{out}: {n_rows:,} rows, columns {listing(names, most=len(names))}.")
        say("The promise covers the released rows, not these: do not publish them as if it did.")


def _recode_files(
    folder: Path, files: list[Path], out: Path, overwrite: bool, format: str
) -> tuple[int, tuple[str, ...]]:
    """Recode Parquet files batch by batch, so that only a batch is in memory."""
    import pyarrow.parquet as pq

    from discreet.data.rows_file import RowsFile
    from discreet.release.recode_rows import recoding_of

    recoding, counted = recoding_of(folder), [0]

    def write(path: Path) -> None:
        with RowsFile(path, format) as file:
            counted[0] = recoding.files(files, file.write)

    write_file(out, overwrite, write)
    there = {*pq.read_schema(files[0]).names, *(labelling.name for labelling in recoding.plan.labellings)}
    return counted[0], tuple(name for name in recoding.names if name in there)


def _recode_engine(
    folder: Path, engine: RowEngine, out: Path, overwrite: bool, format: str
) -> tuple[int, tuple[str, ...]]:
    """Recode the rows of an engine batch by batch."""
    from discreet.data.rows_file import RowsFile
    from discreet.release.recode_rows import recoding_of

    recoding, counted = recoding_of(folder), [0]
    sources = {labelling.source for labelling in recoding.plan.labellings}
    read = [name for name in engine.names if name in sources or name in recoding.names]

    def write(path: Path) -> None:
        with RowsFile(path, format) as file:
            counted[0] = recoding.batches(engine.raw_rows(read), file.write)

    write_file(out, overwrite, write)
    there = {*read, *(labelling.name for labelling in recoding.plan.labellings)}
    return counted[0], tuple(name for name in recoding.names if name in there)


def _recode_baskets(
    folder: Path, file: Path, out: Path, *, overwrite: bool, reading: ReadingOptions, quiet: bool, as_json: bool
) -> None:
    """A line for each row, with its published items, separated by tabs. CSV and Parquet hold 0/1 columns."""
    from discreet.data.baskets import Baskets
    from discreet.data.file_kinds import text_behind
    from discreet.data.storage import FORMATS
    from discreet.release.recode_rows import recode as recode_rows

    if out.suffix.lower() not in BASKET_SUFFIXES:
        raise DataError(f"{out.name!r}: baskets are written as {' or '.join(BASKET_SUFFIXES)}.")
    columns = file.suffix.lower().lstrip(".") in FORMATS or text_behind(file) is None
    if not columns:
        refuse_unused(*names_of(ReadingOptions), because="the new rows are transactions, not a table")
    rows: Baskets = Baskets.from_columns(reading.read(file)) if columns else BasketOptions().transactions(file)
    with step(f"Recoding {len(rows):,} rows"):
        written: Baskets = recode_rows(folder, rows)
    lines = ("\t".join(written.items(row)) + "\n" for row in range(len(written)))
    write_file(out, overwrite, lambda path: write_lines(path, lines))
    if as_json:
        emit({"format": 1, "file": str(out), "rows": len(written), "columns": list(written.names)})
    elif not quiet:
        say(f"{out}: {len(written):,} rows, {len(written.names)} items, separated by tabs.")
        say("The promise covers the released rows, not these: do not publish them as if it did.")
