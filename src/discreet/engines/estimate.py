# SPDX-License-Identifier: Apache-2.0
"""What a release will take, estimated before any work: rows, distinct rows, memory, disk and time.

Rows and distinct rows come from a sample (`table_sample.py`). The costs of a row and of a distinct row are rough, set
by hand from some releases through each engine; how fast this machine is compared with that one is measured in
hundredths of a second. What does not fit is refused here, with what to do, instead of by the system in the middle of
the work.
"""

from __future__ import annotations

import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.counting.distinct_estimate import DistinctEstimate
from discreet.engines.table_sample import TableSample, sample_of
from discreet.errors import DataError, quietly
from discreet.foundation.randomness import Randomness
from discreet.foundation.system import free_memory

# Rough: bytes of memory and seconds of the processor, for 8 quasi-identifiers.
_BASE = 450 << 20  # the interpreter, libraries, buffers, a bucket of rows
_DISTINCT_BYTES = (130, 25)  # of a distinct row, and for each of its columns
_SECONDS = {  # of a row, of a distinct row, and of starting, on all processors together
    "duckdb": (0.9e-6, 2e-6, 3.0),
    "spark": (3.1e-6, 1.4e-6, 25.0),
    "postgres": (5e-6, 2e-6, 3.0),
}
_WORKER_BASE, _WORKER_DISTINCT = 1 << 30, 64  # bytes for each core of a worker, and for each distinct row there
_TABLE_CELL, _TABLE_ROW = 9, 120  # bytes of a cell and of a row of a table in memory, when it is released
_SORT = 0.0026  # seconds that the machine of the measurement takes to sort _SORTED numbers
_SORTED = 2**16

# When distinct rows are so many that they are counted in parts.
FEW = 2**21  # rows that fit in memory whatever they are
MOST_DISTINCT = 2**26
_PART_BYTES = 600 << 20  # memory of a part

_TOO_SURE = 1.5  # how many times as much memory as there is may be likely: samples err by as much


@dataclass(frozen=True)
class ReleaseEstimate:
    """What a release will take. Bytes are at the peak; seconds are of one processor.

    in_parts   whether distinct rows outgrow memory and are decided on in parts
    available  bytes of memory that are free for it; disk likewise, where rows wait
    workers    bytes of memory for each core of the workers of a cluster; 0 if there are none
    """

    n_rows: int
    is_exact: bool
    n_quasi: int
    distinct: DistinctEstimate
    memory: int
    least_memory: int
    available: int
    disk: int
    free_disk: int
    seconds: float
    in_parts: bool
    workers: int = 0

    @property
    def lines(self) -> list[str]:
        """For the person who waits."""
        about = "" if self.is_exact else "about "
        d = self.distinct
        how = "decided on in parts, by histograms" if self.in_parts else "counted and decided on in memory"
        fits = "" if self.memory <= self.available else "; it may not fit"
        return [
            f"rows      {about}{_rounded(self.n_rows, self.is_exact)}",
            f"distinct  about {_rounded(d.likely)} in {self.n_quasi} quasi-identifiers"
            f" ({_rounded(d.least)} to {_rounded(d.most)}), {how}",
            f"memory    about {size(self.memory)} of {size(self.available)} that are free{fits}",
            *([f"workers   about {size(self.workers)} of memory for each core"] if self.workers else []),
            f"disk      about {size(self.disk)} of {size(self.free_disk)} that are free",
            f"time      about {duration(self.seconds)} of one processor",
        ]

    def refuse(self) -> None:
        """DataError if it cannot be done here."""
        if self.least_memory > self.available or self.memory > _TOO_SURE * self.available:
            raise DataError(
                f"About {_rounded(self.distinct.likely)} of {_rounded(self.n_rows)} rows are distinct in the"
                f" {self.n_quasi} quasi-identifiers. Deciding on them takes about {size(self.memory)} of memory, and"
                f" {size(self.available)} are free. Take fewer quasi-identifiers, round or cut those with most values"
                " before, give the engine less (--memory), take Mondrian, which decides on them in parts, or a machine"
                " with more memory."
            )
        if self.disk > self.free_disk:
            raise DataError(
                f"The rows wait on disk before they are in order: about {size(self.disk)}, and {size(self.free_disk)}"
                " are free where the release is to be written. Make room, or write it to another disk."
            )


def estimate(
    sample: TableSample,
    *,
    n_quasi: int,
    place: Path,
    engine: str = "duckdb",
    engine_memory: int = 0,
    parts: bool = False,
) -> ReleaseEstimate:
    """What the release of a table will take of which this is a sample.

    n_quasi  how many of the sampled columns, from the first on, are quasi-identifiers; the others are kept as they are
    place    a folder on the disk where rows wait
    parts    whether the method can decide in parts
    """
    distinct = sample.distinct(range(n_quasi))
    in_parts = parts and outgrow_memory(sample.n_rows, distinct.likely)
    n, d = sample.n_rows, distinct.likely
    per_row = _DISTINCT_BYTES[0] + _DISTINCT_BYTES[1] * n_quasi
    held, held_least = (_PART_BYTES, _PART_BYTES) if in_parts else (d * per_row, distinct.least * per_row)
    of_row, of_distinct, start = _SECONDS[engine]
    return ReleaseEstimate(
        n_rows=n,
        is_exact=sample.is_exact,
        n_quasi=n_quasi,
        distinct=distinct,
        memory=_BASE + held + engine_memory // 4,
        least_memory=_BASE + held_least,
        available=max(0, free_memory()),
        disk=round(n * _bytes_of_row(sample, n_quasi)),
        free_disk=free_disk(place),
        seconds=_slowness() * (start + of_row * n + of_distinct * d),
        in_parts=in_parts,
        workers=_WORKER_BASE + _WORKER_DISTINCT * d if engine == "spark" else 0,
    )


def outgrow_memory(n_rows: int, likely: int) -> bool:
    """Whether distinct rows are too many to be kept, or nearly as many as the rows."""
    return n_rows > FEW and likely > min(n_rows // 2, MOST_DISTINCT)


def refuse_table(file: Path) -> None:
    """DataError if a file is too large to be released as a table in memory; a file that cannot be read passes."""
    if file.suffix.lower() in (".gz", ".bz2", ".zst") or not file.is_file():
        return
    if file.stat().st_size * 3 < free_memory():  # surely fits
        return
    try:
        sample = sample_of([file], None)
    except DataError:
        return  # whoever reads it says what is wrong
    needed = _BASE + sample.n_rows * (_TABLE_ROW + _TABLE_CELL * len(sample.codes))
    free = free_memory()
    if needed > _TOO_SURE * free:
        raise DataError(
            f"{file.name!r} has about {_rounded(sample.n_rows)} rows. As a table in memory they take about"
            f" {size(needed)}, and {size(free)} are free. With --engine duckdb they stay on disk."
        )


def free_disk(place: Path) -> int:
    return shutil.disk_usage(place).free


def _bytes_of_row(sample: TableSample, n_quasi: int) -> float:
    """Of a row in a bucket, and of the same row in a published part."""
    bits = [max(1, int(code.max(initial=0)).bit_length()) for code in sample.codes]
    waiting = 4 + sum(-(-one // 8) for one in bits[n_quasi:])
    return waiting + sum(bits) / 8


def _slowness() -> float:
    """How many times as long as the machine of the measurement this one takes."""
    numbers = Randomness(0).numpy().random(_SORTED)
    taken = []
    for _ in range(3):
        start = time.process_time()
        np.sort(numbers)
        taken.append(time.process_time() - start)
    return max(0.2, min(taken) / _SORT)


def bytes_of(text: str | None) -> int:
    """A size as DuckDB takes it; 0 for none, and for what is none.

    >>> bytes_of("1.5GB"), bytes_of("512 MiB"), bytes_of(None)
    (1500000000, 536870912, 0)
    """
    match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?)b\s*", (text or "").lower())
    number = None if match is None else quietly(float, match[1])[0]
    if match is None or number is None:
        return 0
    return int(number * (1024 if match[3] else 1000) ** ("kmgt".index(match[2]) + 1 if match[2] else 0))


def size(n_bytes: int) -> str:
    """
    >>> size(3 * 2**30), size(5 * 2**20)
    ('3.0 GB', '5 MB')
    """
    return f"{n_bytes / 2**30:.1f} GB" if n_bytes >= 2**30 else f"{n_bytes / 2**20:.0f} MB"


def duration(seconds: float) -> str:
    """
    >>> duration(40), duration(400), duration(40_000)
    ('40 seconds', '7 minutes', '11 hours')
    """
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.0f} hours"


def _rounded(n: int, is_exact: bool = False) -> str:
    return f"{n:,}" if is_exact or n < 1000 else f"{float(f'{n:.2g}'):,.0f}"
