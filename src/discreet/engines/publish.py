# SPDX-License-Identifier: Apache-2.0
"""Publish rows that outgrow memory: apply, scatter to buckets, permute each bucket, write.

Buckets hold what `Apply.compact` keeps of a row, a few bytes, in a scratch folder. One bucket is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from discreet.engines.buckets import Buckets
from discreet.engines.parts_sink import rows_of_part
from discreet.engines.protocol import Apply, Sink
from discreet.foundation.atomic_files import scratch_folder
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness

_BUCKET = 2**20  # rows, as long as there are few enough buckets
_MOST_BUCKETS = 250  # files that are open at once


def publish_in_buckets(
    batches: Iterable[pa.RecordBatch],
    apply: Apply,
    secret: bytes,
    sink: Sink,
    *,
    n_rows: int,
    scratch: Path | None = None,
) -> int:
    """The compact rows of all batches, as `apply` publishes them, in random order, into `sink`; returns how many there
    were.
    """
    n_buckets = min(max(-(-n_rows // _BUCKET), 1), _MOST_BUCKETS)
    if begin := getattr(apply, "begin", None):
        begin()
    most, written = rows_of_part(len(apply.schema)), 0
    with scratch_folder(scratch) as folder, progress("publishing rows", 3 * n_rows) as bar:
        buckets = Buckets(folder, apply.compact_schema, n_buckets=n_buckets, randomness=Randomness.of_secret(secret))
        for batch in batches:
            buckets.add(batch)
            bar.advance(len(batch))
        for rows in buckets.shuffled():
            for start in range(0, len(rows), most):
                sink.write(apply.published(rows.slice(start, most)))
                bar.advance(2 * len(rows.slice(start, most)))  # writing takes twice as long as reading
            written += len(rows)
    return written
