# SPDX-License-Identifier: Apache-2.0
"""discreet data: list the built-in data sets and those of the papers, and write them to files."""

from __future__ import annotations

import shlex
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_samples
from discreet.cli.options import Json, Quiet, console, emit, given_once, say, step, watch
from discreet.errors import DataError

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.table import Table
    from discreet.samples import Sample

app = typer.Typer(help="Data sets to try things on: list them, write them to a file.", no_args_is_help=True)

BASKET_SUFFIXES = (".dat", ".txt")


@app.command("list")
def list_sets(as_json: Json = False) -> None:
    """List the data sets by name. Those of the papers are read from the folder that DISCREET_DATA names."""
    from discreet.samples import BUILTIN, CATALOG

    sets: list[dict[str, Any]] = []
    for name, make in BUILTIN.items():
        fixed = (
            {} if "rows" in signature(make).parameters else dict(zip(("rows", "columns"), make().shape, strict=True))
        )
        sets.append({"name": name, "where": "built in", "rows": None, "columns": None, "about": _about(make), **fixed})
    sets += [
        {
            "name": name,
            "where": "DISCREET_DATA",
            "rows": entry.rows,
            "columns": entry.columns,
            "about": entry.description,
        }
        for name, entry in CATALOG.items()
        if name not in BUILTIN
    ]
    if as_json:
        emit({"format": 1, "data": sets})
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for title in ("name", "size", "what it is"):
        table.add_column(title, justify="right" if title == "size" else "left")
    for line in sets:
        size = "as asked" if line["rows"] is None else f"{line['rows']:,} x {line['columns']:,}"
        table.add_row(line["name"], size, line["about"], end_section=line["name"] == list(BUILTIN)[-1])
    console().print(table)
    say("The first five are built in; the others are read from the folder that DISCREET_DATA names.")
    say("Write one to a file, for example: discreet data write clinic -o clinic.csv")


@app.command("write")
def write_set(
    name: Annotated[
        str, typer.Argument(help="A name that `discreet data list` shows.", autocompletion=complete_samples)
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Tables: .csv, .parquet, .xlsx, .sav or .dta. Baskets: .dat, one row per line."
        ),
    ],
    rows: Annotated[int | None, typer.Option(help="Number of rows, for synthetic sets.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of synthetic sets.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any option of the set, name=value, such as classes=2 for quest.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write a data set to a file, and say how to release it."""
    from discreet.samples import load

    watch(quiet=quiet, as_json=as_json)
    options = {key: value for key, value in (("rows", rows), ("random_state", seed)) if value is not None}
    options = given_once(options, settings)
    with step(f"Making and writing {name}"):
        sample = load(name, **options)
        shape = sample.data.shape_name
        written = _WRITERS[shape](sample, out, overwrite)
    command = _release_command(sample, written)
    n_rows, n_columns = sample.shape
    if as_json:
        files = [str(path) for path in written]
        emit({"name": name, "shape": shape, "rows": n_rows, "columns": n_columns, "files": files, "release": command})
        return
    what = {"table": "columns", "baskets": "items"}[shape]
    say(f"{' and '.join(str(path) for path in written)}: {n_rows:,} rows, {n_columns:,} {what}.")
    if command and not quiet:
        say("Release it, for example, with", f"  {command}")


def _about(make: Any) -> str:
    return (make.__doc__ or make.__name__).strip().splitlines()[0]


def _write_table(sample: Sample, out: Path, overwrite: bool) -> list[Path]:
    write_table(sample.data, out, overwrite, input_again=True)  # type: ignore[arg-type]
    return [out]


def _write_baskets(sample: Sample, out: Path, overwrite: bool) -> list[Path]:
    """Write one row per line, items separated by white space, and the labels, one per line, to a second file."""
    baskets: Baskets = sample.data  # type: ignore[assignment]
    if out.suffix.lower() not in BASKET_SUFFIXES:
        raise DataError(
            f"{out.name!r}: {sample.name!r} holds baskets, which are written as {' or '.join(BASKET_SUFFIXES)}."
        )
    gap = "\t" if any(len(name.split()) != 1 for name in baskets.names) else " "
    lines = (gap.join(baskets.items(row)) + "\n" for row in range(len(baskets)))
    write_file(out, overwrite, lambda path: write_lines(path, lines))
    if baskets.labels is None or baskets.classes is None:
        return [out]
    beside = out.with_suffix(".labels")
    classes = [str(label) for label in baskets.classes.tolist()]
    write_file(beside, overwrite, lambda path: write_lines(path, (f"{classes[i]}\n" for i in baskets.labels)))
    return [out, beside]


_WRITERS = {"table": _write_table, "baskets": _write_baskets}


def write_table(table: Table, out: Path, overwrite: bool, *, input_again: bool = False) -> None:
    """Write a table in the format that the ending of the file asks for."""
    from discreet.data.formats_out import format_of, write_rows

    format, rows = format_of(out), table.to_arrow()
    write_file(out, overwrite, lambda path: write_rows(rows, path, format, input_again=input_again))


def write_lines(path: Path, lines: Any) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def write_file(out: Path, overwrite: bool, fill: Any) -> None:
    """Write the file completely or not at all."""
    if out.exists() and not overwrite:
        raise DataError(f"{out.name!r} exists already. Choose another name, or add --overwrite.")
    from discreet.foundation.atomic_files import new_file

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with new_file(out, mode=0o644) as partial:
            fill(partial)
    except OSError as error:
        raise DataError(f"{out.name!r} cannot be written ({error.strerror}). Choose another folder.") from None


def _release_command(sample: Sample, written: list[Path]) -> str:
    from discreet.report.again import role_options

    roles = sample.roles
    if roles is None:
        if len(written) < 2:
            return ""
        return (
            f"discreet release {written[0]} --baskets transactions --labels {written[1]} --method greedy --k 5 -o out"
        )
    names = {
        "target": [roles.target] if roles.target else [],
        "quasi": roles.quasi,
        "sensitive": roles.sensitive,
        "identifiers": roles.identifiers,
        "other": roles.other,
        "person": [roles.person] if roles.person else [],
    }
    options = shlex.join(role_options(names))
    return f"discreet release {written[0]} {options} --method mondrian --k 5 -o out"
