# SPDX-License-Identifier: Apache-2.0
"""discreet sketch: turn a stream of records, as lines or Arrow batches, into sketches with the owner's key."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.data import write_file
from discreet.cli.options import Json, Quiet, emit, say, watch
from discreet.cli.running import refuse_unused
from discreet.errors import DataError

if TYPE_CHECKING:
    from discreet.sketching.sketches import Sketches

_BATCH = 16_384  # records of a Parquet file read at a time
_STANDARD = "-"
_ARROW = (".arrow", ".arrows", ".feather")
_ARROW_FILE, _ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"  # how the two formats of Arrow begin


def sketch(
    stream: Annotated[
        str,
        typer.Option(
            "--stream",
            help="The input: a file with one line of items per record; a .parquet, .arrow or .feather file with a"
            " column of lists 'items'; or - for lines or an Arrow stream on standard input.",
        ),
    ],
    owner: Annotated[Path, typer.Option(help="The owner's folder, where key.json is, or is made (mode 0600).")],
    out: Annotated[
        str, typer.Option("--out", "-o", help="File to write: .parquet, else lines of numbers; - for standard output.")
    ],
    items: Annotated[
        Path | None, typer.Option(help="The names of the items, one per line; needed to make a key.")
    ] = None,
    delta: Annotated[float, typer.Option(help="The least variance of any estimate of a cell.")] = 0.5,
    max_components: Annotated[int, typer.Option(help="The most components of a sketch.")] = 256,
    information: Annotated[float, typer.Option(help="The share of a record's bits that a sketch may carry.")] = 0.5,
    separator: Annotated[str | None, typer.Option(help="The separator of items; white space if not given.")] = None,
    label_first: Annotated[bool, typer.Option("--label-first", help="The first item of a line is its label.")] = False,
    counts: Annotated[bool, typer.Option("--counts", help="An item that is named twice counts twice.")] = False,
    allow_determined: Annotated[
        bool, typer.Option("--allow-determined", help="Allow sketches that may determine their records fully.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Turn a stream of records into sketches in constant memory, checking delta-anonymity batch by batch.

    The order of records is preserved, and suppressed ones are empty: shuffle the sketches before publishing them.
    """
    from discreet.methods import DeltaSketch, StreamCounts, owners_key, sketch_stream

    watch(quiet=quiet, as_json=as_json)
    if as_json and out == _STANDARD:
        raise DataError("Sketches and --json cannot both go to standard output. Name a file with --out.")
    if out == _STANDARD:
        refuse_unused("overwrite", because="the sketches go to standard output")
    if Path(stream).suffix in (".parquet", *_ARROW):
        refuse_unused("separator", "label_first", because="the records are no lines of text")
    method = DeltaSketch(
        delta, max_components=max_components, information=information, allow_determined=allow_determined
    )
    method.components([[1]])  # the parameters are checked before a key is made
    with _batches(stream, separator, label_first) as batches, _new_key_only_if_used(owner, out):
        signs, names = owners_key(owner, None if items is None else _names(items))
        account = StreamCounts()
        sketches = sketch_stream(batches, method, signs, names, account, counts=counts)
        if out == _STANDARD:
            _write_lines(sketches, sys.stdout)
        else:
            path = Path(out)
            fill = _write_parquet if path.suffix == ".parquet" else _write_text
            write_file(path, overwrite, lambda partial: fill(sketches, partial))
    totals = {"records": account.records, "suppressed": account.suppressed, "unknown_items": account.unknown}
    if as_json:
        emit({"format": 1, "file": out, "promise": str(method.promise), **totals, "components": account.components})
    elif not quiet:
        say(
            f"{account.records:,} records, {account.suppressed:,} of them suppressed; {account.unknown:,} unknown items"
            f" left out. {method.promise} holds. The order is preserved: shuffle before you publish.",
            err=out == _STANDARD,
        )


@contextmanager
def _new_key_only_if_used(owner: Path, out: str) -> Iterator[None]:
    """Remove a key that was made for sketches that were not; those on standard output may have been read."""
    from discreet.sketching.signs import KEY_FILE

    key = owner / KEY_FILE
    new, new_folder = not key.exists() and out != _STANDARD, not owner.exists()
    try:
        yield
    except BaseException:
        if new:
            key.unlink(missing_ok=True)
            if new_folder:
                with suppress(OSError):
                    owner.rmdir()
        raise


@contextmanager
def _batches(source: str, separator: str | None, label_first: bool) -> Iterator[Iterable[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from discreet.methods import line_batches

    path = Path(source)
    if source != _STANDARD and not path.is_file():
        raise DataError(f"There is no file {path.name!r} to read records from.")
    try:
        if source == _STANDARD:
            standard = io.BufferedReader(sys.stdin.buffer)  # type: ignore[type-var]
            if standard.peek(len(_ARROW_STREAM)).startswith(_ARROW_STREAM):
                yield pa.ipc.open_stream(standard)
            else:
                yield line_batches(standard, separator, label_first=label_first)
            standard.detach()
        elif path.suffix == ".parquet":
            with pq.ParquetFile(path) as file:
                yield file.iter_batches(batch_size=_BATCH)
        elif path.suffix in _ARROW:
            with pa.OSFile(str(path)) as raw:
                yield _arrow_batches(raw)
        else:
            with _opened(path) as lines:
                yield line_batches(lines, separator, label_first=label_first)
    except (pa.ArrowException, gzip.BadGzipFile) as error:
        name = "Standard input" if source == _STANDARD else repr(path.name)
        raise DataError(f"{name} cannot be read: its content is damaged ({type(error).__name__}).") from None


def _arrow_batches(raw: Any) -> Iterable[Any]:
    """The batches of a file in Arrow's file or stream format."""
    import pyarrow as pa

    packed = raw.read(len(_ARROW_FILE)) == _ARROW_FILE
    raw.seek(0)
    if not packed:
        return pa.ipc.open_stream(raw)
    file = pa.ipc.open_file(raw)
    return (file.get_batch(place) for place in range(file.num_record_batches))


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")  # type: ignore[return-value]


def _names(path: Path) -> list[str]:
    if not path.is_file():
        raise DataError(f"There is no file {path.name!r} with the names of items.")
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise DataError(f"{path.name!r} is not a UTF-8 list of items, one per line.") from None


def _write_parquet(sketches: Iterable[Sketches], path: Path) -> None:
    import pyarrow.parquet as pq

    from discreet.methods import as_batch

    writer = None
    try:
        for part in sketches:
            batch = as_batch(part)
            writer = writer or pq.ParquetWriter(path, batch.schema, compression="none", store_schema=False)
            writer.write_table(batch)
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise DataError("The stream has no records: nothing was written.")


def _write_text(sketches: Iterable[Sketches], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        _write_lines(sketches, file)


def _write_lines(sketches: Iterable[Sketches], file: IO[str]) -> None:
    """Write one line per record: its label and a tab if it has one, then its components."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for part in sketches:
        texts = pa.array(part.values).cast(pa.string())
        lines = pc.binary_join(pa.ListArray.from_arrays(pa.array(part.offsets, pa.int32()), texts), " ").to_pylist()
        if part.labels is not None:
            names = part.classes[part.labels].tolist()  # type: ignore[index]
            lines = [f"{name}\t{line}" for name, line in zip(names, lines, strict=True)]
        file.write("\n".join([*lines, ""]))
