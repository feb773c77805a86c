# SPDX-License-Identifier: Apache-2.0
"""Read a file of another program in a process of its own, whose memory is bounded: `python -m discreet.data.foreign`.

Workbooks and the files of SPSS, Stata and SAS are read by compiled libraries. A damaged or forged file may crash them,
or stand for far more cells than there is memory. Here that ends a process which has nothing to lose, and the caller
says so. The table goes to standard output as an Arrow stream, what is to be said about it as its metadata; an error of
ours goes there as text.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.foreign_excel import read_workbook
from discreet.data.foreign_statistics import read_statistics
from discreet.data.held_file import HeldFile, Source
from discreet.errors import DataError, shown
from discreet.foundation.system import limit_itself

REFUSED = 3  # exit status with an error of ours
ABOUT = b"discreet"  # key of the metadata
_FREE, _RATIO = 3 * 2**30, 60  # bytes of memory for any file, and in addition for each of its own
_SECONDS = 1800  # of the processor
_UNREADABLE = "{} cannot be read as a file of {} ({}). Save it again in its program, or as CSV."


def main() -> int:
    kind, name, place, options = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
    source: Source = Path(place) if place else HeldFile(name, sys.stdin.buffer.read())
    size = source.stat().st_size if isinstance(source, Path) else len(source.content)
    limit_itself(memory=_FREE + _RATIO * size, seconds=_SECONDS)
    out = sys.stdout.buffer
    try:
        table, about = (read_workbook if kind == "Excel" else read_statistics)(source, kind, **options)
    except Exception as error:  # messages of libraries may quote cells
        ours = isinstance(error, DataError)
        out.write((str(error) if ours else _UNREADABLE.format(shown(name), kind, type(error).__name__)).encode())
        return REFUSED
    schema = table.schema.with_metadata({ABOUT: json.dumps(about).encode()})
    with pa.ipc.new_stream(out, schema) as stream:
        stream.write_table(table.replace_schema_metadata(schema.metadata))
    out.flush()
    return 0


def received(stream: bytes) -> tuple[pa.Table, dict[str, Any]]:
    """What `main` wrote."""
    table = pa.ipc.open_stream(io.BytesIO(stream)).read_all()
    return table.replace_schema_metadata(None), json.loads(table.schema.metadata[ABOUT])


if __name__ == "__main__":
    sys.exit(main())
