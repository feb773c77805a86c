# SPDX-License-Identifier: Apache-2.0
"""A published folder, read by Python's own readers; pyarrow only turns Parquet into lists."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.random_releases.cells import key, written

CERTIFICATE, RECORD = "certificate.json", "recoding.json"
_LONGEST = 1 << 24  # characters of a cell


@dataclass(frozen=True)
class Released:
    """The files of a published folder, and what they say."""

    folder: Path

    @cached_property
    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}

    @cached_property
    def certificate(self) -> dict[str, Any]:
        return json.loads(self.files[CERTIFICATE])

    @cached_property
    def record(self) -> dict[str, Any] | None:
        return json.loads(self.files[RECORD]) if RECORD in self.files else None

    @property
    def data_file(self) -> str:
        (name,) = [name for name in self.certificate["files"] if name != RECORD]
        return name

    @cached_property
    def document(self) -> dict[str, Any]:
        return json.loads(self.files[self.data_file])

    def named(self, role: str) -> list[str]:
        return [column["name"] for column in self.certificate["columns"] if column["role"] == role]

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The columns of the data file: texts, or whatever Parquet holds."""
        path = self.folder / self.data_file
        if path.suffix == ".parquet":
            return pq.read_table(path).to_pydict()
        before = csv.field_size_limit(_LONGEST)  # of the whole process
        try:
            with path.open(encoding="utf-8", newline="") as file:
                head, *rows = csv.reader(file, strict=True)
        finally:
            csv.field_size_limit(before)
        stated = [column["name"] for column in self.certificate["columns"]]
        head = stated if [key(name) for name in head] == [key(name) for name in stated] else head
        rows = [row or [""] for row in rows]  # an empty line is a row of one missing cell
        if any(len(row) != len(head) for row in rows) or len(set(head)) < len(head):
            raise ValueError("rows of different lengths, or a column twice")
        return {name: [row[place] or None for row in rows] for place, name in enumerate(head)}

    @cached_property
    def texts(self) -> dict[str, list[str | None]]:
        """The cells as they are written, None where missing."""
        return {name: [_text(cell) for cell in cells] for name, cells in self.columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def file_problems(self) -> list[str]:
        """What is not as the certificate says: the files, and their hashes."""
        found = [] if all(path.is_file() and not path.is_symlink() for path in self.folder.iterdir()) else ["a link"]
        stated = self.certificate["files"]
        if set(self.files) != {*stated, CERTIFICATE}:
            found.append(f"the folder holds {sorted(self.files)}, the certificate names {sorted(stated)}")
        for name in set(stated) & set(self.files):
            of_file = stated[name] if isinstance(stated[name], dict) else {"sha256": stated[name]}
            if hashlib.sha256(self.files[name]).hexdigest() != of_file["sha256"]:
                found.append(f"{name} has another hash than the certificate states")
            if of_file.get("bytes", len(self.files[name])) != len(self.files[name]):
                found.append(f"{name} has another length than the certificate states")
        return found


def _text(cell: Any) -> str | None:
    return cell if isinstance(cell, str) or cell is None else written(cell)
