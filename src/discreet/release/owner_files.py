# SPDX-License-Identifier: Apache-2.0
"""What the owner keeps of a release and nobody else may see: whose rows they are, what they were made from, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.records import Records
from discreet.data.table import Table
from discreet.release.data_subjects import DataSubjects
from discreet.release.owner_evidence import EVIDENCE, PERSONS
from discreet.sketching.signs import KEY_FILE, Signs, write_key

RECEIPT = "ledger.json"


@dataclass(eq=False)
class OwnerFiles:
    """The owner's side of a release.

    persons   whose row each published row is, where persons are counted
    evidence  what the promise compares the release with: the quasi-identifiers as they were, row by row; the rows
              behind a document; the records behind sketches
    signs     the key that sketches were made with
    trace     the steps of the method; `notes` are for the owner to read
    seed      what the method's randomness began with, if it was given
    people    whom the release is about, for the ledger
    receipts  of the ledger that paid for it
    """

    persons: np.ndarray | None = None
    evidence: Table | Records | None = None
    signs: Signs | None = None
    trace: Sequence[dict[str, Any]] = ()
    notes: Sequence[str] = ()
    seed: int | None = None
    people: DataSubjects | None = None
    receipts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def records(self) -> Records | None:
        """The records behind sketches, in their order; None of another release."""
        return self.evidence if isinstance(self.evidence, Records) else None

    def write(self, folder: Path, changes: Mapping[str, int], files: Mapping[str, bytes]) -> None:
        """Write the owner's folder, readable by its owner alone; `files` are further ones, by name."""
        folder.mkdir(mode=0o700)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        record = {"seed": self.seed, "notes": list(self.notes), "trace": list(self.trace), "changes": changes}
        (folder / "trace.json").write_text(json.dumps(record, indent=1, default=str), encoding="utf-8")
        if self.persons is not None:
            persons = pa.table({"person": self.persons})
            pq.write_table(persons, folder / PERSONS, compression="none", store_schema=False)
        if self.evidence is not None:
            self.evidence.write(folder / EVIDENCE)
        if self.signs is not None and self.records is not None:
            write_key(self.signs, self.records.names, folder / KEY_FILE)
        if self.receipts:
            self.write_receipts(folder)
        for path in folder.iterdir():
            path.chmod(0o600)

    def write_receipts(self, folder: Path) -> None:
        """Where the ledger wrote the release down, so that the owner can tell later whether that is still there."""
        (folder / RECEIPT).touch(mode=0o600)
        (folder / RECEIPT).write_text(json.dumps({"format": 1, "receipts": self.receipts}, indent=1), encoding="utf-8")
