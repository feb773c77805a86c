# SPDX-License-Identifier: Apache-2.0
"""An engine that keeps what it has counted and published in the folder of a job, so that a killed job goes on there.

Each tally is kept as soon as it is counted, and the published parts as soon as all of them are written, with a hash of
the decision that they follow from: parts of another decision are not taken. The decision itself is made anew from the
kept tally. The secret of the order of rows is not kept; the parts have their order already.

What lies in the folder is in clear: the tally holds the distinct quasi-identifiers with their counts. It is as private
as the source (foundation/job_folder.py), and gone when the release is there.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding
from discreet.counting.router import Histograms, Router
from discreet.counting.tally import Tally
from discreet.data.cells import Cells
from discreet.data.column import Column, Kind
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import Apply, CellEngine, CompactEngine, Sink, state_of
from discreet.errors import quietly
from discreet.foundation.atomic_files import write_whole

_DONE = "done.json"  # written last: what lacks it is not complete


class Resumable:
    """An engine whose tallies and parts are kept in `folder`, and taken from there if an earlier job left them.

    The folder must be that of a job on the same rows (`purpose_of`). All other verbs are those of the engine.
    """

    def __init__(self, engine: CellEngine, folder: Path):
        self._engine = engine
        self.scratch = folder

    @property
    def has_begun(self) -> bool:
        """Whether an earlier job left something that is taken."""
        return any(_said(place) is not None for place in self.scratch.iterdir() if place.is_dir())

    @property
    def names(self) -> tuple[str, ...]:
        return self._engine.names

    def __len__(self) -> int:
        return len(self._engine)

    def __contains__(self, name: object) -> bool:
        return name in self._engine.names

    def state(self) -> object:
        return state_of(self._engine)

    def prepare(self, names: Sequence[str]) -> None:
        getattr(self._engine, "prepare", lambda names: None)(names)

    def values(self, name: str) -> Column:
        return self._engine.values(name)

    def declared(self, name: str) -> Kind | None:
        return getattr(self._engine, "declared", lambda name: None)(name)

    def coding(self, name: str, *, listed: bool = False) -> Coding:
        return self._engine.coding(name, listed=listed)

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        return self._engine.coded(columns)

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        return self._engine.cells(columns)

    def likely_distinct(self, columns: Sequence[str]) -> int:
        return self._engine.likely_distinct(columns)

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        return self._engine.histograms(router, columns, opened=opened, by=by)

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        place = self.scratch / f"tally-{_hash([list(columns), target, person])}"
        kept = _read_tally(place, tuple(columns)) if _is_done(place) else None
        if kept is None:
            kept = self._engine.tally(columns, target=target, person=person)
            _write_tally(place, kept)
        return kept

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        return self._published(columns, apply, sink, lambda into: self._engine.publish(columns, apply, secret, into))

    def _published(self, columns: Sequence[str], apply: Apply, sink: Sink, publish: Callable[[Sink], int]) -> int:
        decision = getattr(apply, "fingerprint", "")
        if not isinstance(sink, PartsSink) or not decision:
            return publish(sink)
        place = self.scratch / f"parts-{_hash([list(columns), decision])}"
        done = _said(place)
        if done is None:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(mode=0o700)
            with PartsSink(place / "table", None if sink.owner is None else place / "persons") as kept:
                n_rows = publish(kept)
            done = {"rows": n_rows, "parts": [file.name for file in kept.files]}
            write_whole(place / _DONE, json.dumps(done).encode())
        sink.take(place / "table", place / "persons", done["parts"])
        return int(done["rows"])


class ResumableCompact(Resumable):
    """The same of an engine whose rows may be known by their groups before they are published."""

    _engine: CompactEngine

    def read_together(self, columns: Sequence[str]) -> None:
        self._engine.read_together(columns)

    def publish_compact(self, batches: Iterable[pa.RecordBatch], apply: Apply, secret: bytes, sink: Sink) -> int:
        return self._published([], apply, sink, lambda into: self._engine.publish_compact(batches, apply, secret, into))


def resumable(engine: CellEngine, folder: Path) -> Resumable:
    """The engine with a folder for what it has finished."""
    return (ResumableCompact if isinstance(engine, CompactEngine) else Resumable)(engine, folder)


def purpose_of(rows: Any, **asked: Any) -> dict[str, Any]:
    """What a job is for: these rows, as an engine's `identity` tells them from others, and what is asked of them."""
    return {"rows": rows, **asked}


def identity_of_files(files: Sequence[Path]) -> list[Any]:
    """What tells files from others: place, size, times and last bytes, where Parquet says where its cells are."""
    return [_state(file) for file in files]


def _state(file: Path) -> list[Any]:
    about = file.stat()
    with file.open("rb") as content:
        content.seek(max(0, about.st_size - 2**16))
        end = hashlib.sha256(content.read()).hexdigest()
    return [os.path.abspath(file), about.st_size, about.st_mtime_ns, about.st_ino, end]


def _hash(what: Any) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]


def _said(place: Path) -> dict[str, Any] | None:
    said, _ = quietly(lambda: json.loads((place / _DONE).read_bytes()))
    return said if isinstance(said, dict) else None


def _is_done(place: Path) -> bool:
    return _said(place) is not None


def _write_tally(place: Path, tally: Tally) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    arrays = {"codes": tally.codes, "counts": tally.counts, "sizes": tally.sizes}
    for name, array in arrays.items():
        np.save(place / f"{name}.npy", array, allow_pickle=False)
    for number, values in enumerate(tally.values):
        with pa.OSFile(str(place / f"values-{number}.arrow"), "wb") as file:
            table = pa.table({"values": values})
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
    write_whole(place / _DONE, json.dumps({"columns": len(tally.values)}).encode())


def _read_tally(place: Path, columns: tuple[str, ...]) -> Tally | None:
    """The kept tally; None if its files cannot be read, after a power failure for instance."""

    def read() -> Tally:
        codes, counts, sizes = (
            np.load(place / f"{name}.npy", allow_pickle=False) for name in ("codes", "counts", "sizes")
        )
        values = []
        for number in range(len(columns)):
            with pa.OSFile(str(place / f"values-{number}.arrow")) as file:
                values.append(pa.ipc.open_file(file).read_all().column("values").combine_chunks())
        if not len(codes) == len(counts) == len(sizes) or codes.shape[1] != len(columns):
            raise ValueError
        return Tally(columns, codes, counts, sizes, values=tuple(values))

    return quietly(read)[0]
